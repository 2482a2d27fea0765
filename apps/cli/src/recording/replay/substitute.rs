//! [`Substitutes`]: the ids and progress tokens of the client in place of the recorded ones.

use std::collections::HashMap;

use mcp_client::types::id::RequestId;
use mcp_client::types::json::{self, Value};
use mcp_client::types::meta::{PROGRESS_TOKEN, SUBSCRIPTION_ID};

/// The ids and tokens of the client, by those of the recording.
#[derive(Default)]
pub(super) struct Substitutes {
    ids: HashMap<String, Value>,
    /// `None` if the client wants no progress.
    tokens: HashMap<String, Option<Value>>,
}

impl Substitutes {
    /// Adds a request of the client.
    pub(super) fn add(
        &mut self,
        recorded: (&RequestId, Option<&Value>),
        own: (RequestId, Option<Value>),
    ) {
        let id = Value::from(recorded.0.clone()).to_string();
        self.ids.insert(id, own.0.into());
        if let Some(token) = recorded.1 {
            self.tokens.insert(token.to_string(), own.1);
        }
    }

    /// Returns a notification for the client; `None` if the client has not asked for it.
    pub(super) fn notification(&self, text: String) -> Option<String> {
        if !(text.contains(PROGRESS_TOKEN) || text.contains(SUBSCRIPTION_ID)) {
            return Some(text);
        }
        let Ok(mut message) = json::from_str::<Value>(&text) else {
            return Some(text);
        };
        if let Some(params) = message.get_mut("params") {
            if let Some(token) = params.get_mut(PROGRESS_TOKEN)
                && let Some(own) = self.tokens.get(&token.to_string())
            {
                *token = own.clone()?;
            }
            self.subscription(params)?;
        }
        Some(json::to_string(&message).unwrap_or(text))
    }

    /// Returns a result for the client.
    pub(super) fn result(&self, text: String) -> String {
        if !text.contains(SUBSCRIPTION_ID) {
            return text;
        }
        let Ok(mut result) = json::from_str::<Value>(&text) else {
            return text;
        };
        match self.subscription(&mut result) {
            Some(()) => json::to_string(&result).unwrap_or(text),
            None => text,
        }
    }

    /// Replaces the id of a subscription. Returns `None` if the client has not opened it.
    fn subscription(&self, part: &mut Value) -> Option<()> {
        let meta = part.get_mut("_meta");
        if let Some(id) = meta.and_then(|meta| meta.get_mut(SUBSCRIPTION_ID)) {
            *id = self.ids.get(&id.to_string())?.clone();
        }
        Some(())
    }
}
