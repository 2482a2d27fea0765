//! Elicitation: forms to fill in, and pages to open.

use mcp_client::InputError;
use mcp_client::types::json::{self, Map, Object, Value};
use mcp_client::types::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestUrlParams, ElicitResult, ElicitValue,
};

use crate::ask::{Answers, AskPermit, NoAnswer};
use crate::exact::to_json;
use crate::output::print_message;
use crate::schema::{Field, fields};
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
            if let Some(value) = ask(&turn, &field).await? {
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

fn is_yes(answer: &str) -> bool {
    matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes")
}

/// Asks for a field until the answer is valid; `None` if the field stays empty.
async fn ask(turn: &AskPermit<'_>, field: &Field) -> Result<Option<Value>, NoAnswer> {
    loop {
        let text = turn.ask(&format!("  {}:", field.question())).await?;
        if text.is_empty() {
            match (&field.default, field.required) {
                (Some(default), _) => return Ok(Some(default.clone())),
                (None, false) => return Ok(None),
                (None, true) => {
                    print_message("  The server needs it.");
                    continue;
                }
            }
        }
        let value = values::answer(field, &text);
        match field.fault(&value) {
            None => return Ok(Some(value)),
            Some(fault) => print_message(&format!("  {fault}")),
        }
    }
}
