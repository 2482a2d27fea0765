//! Questions of a server to the user: forms to fill in, pages to open.

use mcp_client::InputError;
use mcp_client::types::json::{self, Map, Object, Value};
use mcp_client::types::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestUrlParams, ElicitResult, ElicitValue,
};

use crate::ask::{Terminal, Turn};
use crate::exact::to_json;
use crate::output::note;
use crate::schema::{Field, fields};
use crate::values;

/// Asks for the fields of a form, one after the other.
pub(crate) async fn fill_in(
    terminal: Terminal,
    params: ElicitRequestFormParams,
) -> Result<ElicitResult, InputError> {
    let Some(turn) = terminal.turn().await else {
        return Ok(ElicitResult::new(ElicitAction::Decline));
    };
    note(&format!("The server asks: {}", params.message));
    let mut content = Object::new();
    for field in fields(&to_json(&params.requested_schema)) {
        match ask(&turn, &field).await {
            Answer::Value(value) => {
                content.insert(&field.name, value);
            }
            Answer::None => {}
            Answer::Ended => return Ok(ElicitResult::new(ElicitAction::Cancel)),
        }
    }
    let sent = turn.ask("Send this to the server? [y/N]").await;
    let accepted = sent.is_some_and(|answer| is_yes(&answer));
    if !accepted {
        return Ok(ElicitResult::new(ElicitAction::Decline));
    }
    let content: Map<ElicitValue> = json::from_object(content)?;
    Ok(ElicitResult::new(ElicitAction::Accept).content(content))
}

/// Asks whether to open a page.
pub(crate) async fn open(
    terminal: Terminal,
    params: ElicitRequestUrlParams,
) -> Result<ElicitResult, InputError> {
    let Some(turn) = terminal.turn().await else {
        return Ok(ElicitResult::new(ElicitAction::Decline));
    };
    note(&format!("The server asks: {}", params.message));
    note(&format!("It sends you to {}", params.url));
    let action = match turn.ask("Will you open it? [y/N]").await {
        Some(answer) if is_yes(&answer) => ElicitAction::Accept,
        Some(_) => ElicitAction::Decline,
        None => ElicitAction::Cancel,
    };
    Ok(ElicitResult::new(action))
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes")
}

enum Answer {
    Value(Value),
    /// The field stays empty.
    None,
    /// The user has no more to say.
    Ended,
}

async fn ask(turn: &Turn<'_>, field: &Field) -> Answer {
    loop {
        let Some(text) = turn.ask(&format!("  {}:", field.words())).await else {
            return Answer::Ended;
        };
        if text.is_empty() {
            match (&field.default, field.required) {
                (Some(default), _) => return Answer::Value(default.clone()),
                (None, false) => return Answer::None,
                (None, true) => {
                    note("  The server needs it.");
                    continue;
                }
            }
        }
        let value = values::answer(field, &text);
        match field.fault(&value) {
            None => return Answer::Value(value),
            Some(fault) => note(&format!("  {fault}")),
        }
    }
}
