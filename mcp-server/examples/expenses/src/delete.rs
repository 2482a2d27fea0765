//! The tool that deletes an expense, after it has asked the user.

use mcp_server::types::ToolAnnotations;
use mcp_server::{Context, Elicited, Form, Group, HandlerError, Principal, State, ToolDef};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::store::Store;

#[derive(Deserialize, JsonSchema)]
struct Which {
    /// The id of the expense
    id: u32,
}

async fn delete(
    Which { id }: Which,
    user: Principal,
    State(store): State<Store>,
    cx: Context,
) -> Result<String, HandlerError> {
    let id = i64::from(id);
    let none = || HandlerError::tool(format!("you have no expense {id}"));
    let expense = store.find(user.clone(), id).await?.ok_or_else(none)?;

    // Nothing before this line may change anything, because it may run twice.
    let question = format!("Delete {} cents for {}?", expense.cents, expense.category);
    let Elicited::Accepted(_) = cx.elicit(Form::new(question)).await? else {
        return Ok("The user wants to keep it.".to_owned());
    };

    if !store.delete(user, id).await? {
        return Err(none());
    }
    cx.server().resources_changed();
    Ok(format!("Deleted expense {id}."))
}

pub(crate) fn group() -> Group {
    let delete = ToolDef::new("delete")
        .description("Deletes an expense, if the user agrees")
        .annotations(ToolAnnotations::new().destructive_hint(true))
        .handler(delete);
    Group::new().add_tool(delete)
}
