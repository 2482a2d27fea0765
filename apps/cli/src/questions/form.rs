//! Elicitation: forms to fill in, and pages to open.

use mcp_client::types::form::check;
use mcp_client::types::json::{self, Map, Object, Value};
use mcp_client::types::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestUrlParams, ElicitResult, ElicitValue,
    RequestedSchema,
};
use mcp_client::{FormError, InputError};
use mcp_guard::schema_validator::{Invalid, Validator};

use super::ask::{Answers, AskPermit, NoAnswer, is_yes};
use crate::output::exact::to_json;
use crate::output::print_message;
use crate::schema::Field;
use crate::schema::reader::fields;
use crate::values;

/// Asks for the fields of a form, one after the other, and for the permission to send them.
pub(crate) async fn fill_in(
    answers: Answers,
    params: ElicitRequestFormParams,
) -> Result<ElicitResult, InputError> {
    print_message(&format!("The server asks: {}", params.message));
    let filled = async {
        let turn = answers.turn().await?;
        let mut content = Object::new();
        for field in fields(&to_json(&params.requested_schema)) {
            if let Some(value) = ask(&turn, &params.requested_schema, &field).await? {
                content.insert(&field.name, value);
            }
        }
        // Piped input may not have been meant for the server, so it must confirm, too.
        let accepted = is_yes(&turn.ask("Send this to the server? [y/N]").await?);
        Ok(accepted.then_some(content))
    };
    match filled.await {
        Ok(Some(content)) => {
            let content: Map<ElicitValue> = json::from_object(content)?;
            Ok(ElicitResult::new(ElicitAction::Accept).content(content))
        }
        Ok(None) => Ok(ElicitResult::new(ElicitAction::Decline)),
        Err(no_answer) => Ok(refuse(no_answer)),
    }
}

/// Asks whether to open a page.
pub(crate) async fn open(
    answers: Answers,
    params: ElicitRequestUrlParams,
) -> Result<ElicitResult, InputError> {
    print_message(&format!("The server asks: {}", params.message));
    print_message(&format!("It sends you to {}", params.url));
    let opened = async {
        let turn = answers.turn().await?;
        turn.ask("Will you open it? [y/N]").await
    };
    Ok(match opened.await {
        Ok(answer) if is_yes(&answer) => ElicitResult::new(ElicitAction::Accept),
        Ok(_) => ElicitResult::new(ElicitAction::Decline),
        Err(no_answer) => refuse(no_answer),
    })
}

/// Returns the result that declines or cancels a question, and prints the reason.
fn refuse(no_answer: NoAnswer) -> ElicitResult {
    match no_answer.reason() {
        Some(reason) => {
            print_message(&format!("The question is declined: {reason}."));
            ElicitResult::new(ElicitAction::Decline)
        }
        None => ElicitResult::new(ElicitAction::Cancel),
    }
}

/// Asks for a field until the answer is valid; `None` if the field stays empty.
async fn ask(
    turn: &AskPermit<'_>,
    form: &RequestedSchema,
    field: &Field,
) -> Result<Option<Value>, NoAnswer> {
    loop {
        let text = turn.ask(&format!("  {}:", field.question())).await?;
        let value = if !text.is_empty() {
            values::value(&field.shape, &text, true)
        } else if field.default.is_some() {
            field.default.clone()
        } else if field.required {
            print_message("  The server needs it.");
            continue;
        } else {
            return Ok(None);
        };
        let Some(value) = value else {
            print_message(&format!("  {}", field.expected()));
            continue;
        };
        match fault(form, &field.name, &value) {
            None => return Ok(Some(value)),
            Some(fault) => print_message(&format!("  The answer {fault}.")),
        }
    }
}

/// Returns what is wrong with the value of a field.
fn fault(form: &RequestedSchema, name: &str, value: &Value) -> Option<String> {
    let schema = form.properties.get(name)?.clone();
    let pattern = to_json(&schema).get("pattern").cloned();
    let form = RequestedSchema::new(Map::from([(name, schema)]));
    let Ok(content) = json::from_object(Object::from([(name, value.clone())])) else {
        return Some("has a type that no form can have".to_owned());
    };
    match check(&form, &content) {
        Err(FormError::Misfit { reason, .. }) => Some(reason.to_string()),
        _ => mismatch(pattern?.as_str()?, value),
    }
}

/// Returns what is wrong with a value that does not match a pattern. The server decides about
/// patterns that are invalid, and about those that would take too long.
fn mismatch(pattern: &str, value: &Value) -> Option<String> {
    let validator = Validator::new(&serde_json::json!({ "pattern": pattern })).ok()?;
    match validator.check(value) {
        Ok(()) | Err(Invalid::Costly) => None,
        Err(_) => Some(format!("does not match the pattern `{pattern}`")),
    }
}
