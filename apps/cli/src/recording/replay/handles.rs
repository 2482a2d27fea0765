//! [`Handles`]: what a server hands to the client and gets back unchanged.

use std::collections::HashMap;

use mcp_client::types::json::{self, Value};

/// Members of results with handles, and the members of params in which they are sent back.
const MEMBERS: [(&str, &str); 3] = [
    ("taskId", "taskId"),
    ("nextCursor", "cursor"),
    ("requestState", "requestState"),
];

/// The ids of tasks, cursors and states of this run, by those of the recording.
#[derive(Default)]
pub(super) struct Handles(HashMap<(&'static str, String), String>);

impl Handles {
    /// Stores the handles that two results have at the same places.
    pub(super) fn learn(&mut self, recorded: &Value, now: &Value) {
        match (recorded, now) {
            (Value::Object(recorded), Value::Object(now)) => {
                for (name, value) in recorded {
                    let Some(now) = now.get(name) else { continue };
                    let member = MEMBERS.iter().find(|(given, _)| *given == name);
                    if let (Some((_, sent)), Some(recorded), Some(now)) =
                        (member, value.as_str(), now.as_str())
                    {
                        self.0.insert((sent, recorded.to_owned()), now.to_owned());
                    } else {
                        self.learn(value, now);
                    }
                }
            }
            (Value::Array(recorded), Value::Array(now)) => {
                for (recorded, now) in recorded.iter().zip(now) {
                    self.learn(recorded, now);
                }
            }
            _ => {}
        }
    }

    /// Returns a message with the handles of this run in its params.
    pub(super) fn replace(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        let Ok(mut message) = json::from_str::<Value>(text) else {
            return text.to_owned();
        };
        let mut is_changed = false;
        if let Some(params) = message.get_mut("params").and_then(Value::as_object_mut) {
            for (_, sent) in MEMBERS {
                if let Some(Value::String(value)) = params.get_mut(sent)
                    && let Some(now) = self.0.get(&(sent, value.clone()))
                    && now != value
                {
                    value.clone_from(now);
                    is_changed = true;
                }
            }
        }
        if is_changed {
            message.to_string()
        } else {
            text.to_owned()
        }
    }
}
