//! Each expense as a resource, such as `expense://7`.

use mcp_server::types::Resource;
use mcp_server::{
    Group, HandlerError, ListAt, Principal, ResourcePage, ResourceUri, State, TemplateDef,
    Variables,
};
use serde::Deserialize;

use crate::store::Store;

#[derive(Deserialize)]
struct At {
    id: i64,
}

/// Who may read an expense: its owner. The server asks this before it says anything of an expense.
async fn is_own(
    Variables(At { id }): Variables<At>,
    user: Principal,
    State(store): State<Store>,
) -> Result<(), HandlerError> {
    match store.find(user, id).await? {
        Some(_) => Ok(()),
        None => Err(HandlerError::forbidden("no expense of this user")),
    }
}

async fn read(
    At { id }: At,
    ResourceUri(uri): ResourceUri,
    user: Principal,
    State(store): State<Store>,
) -> Result<String, HandlerError> {
    let found = store.find(user, id).await?;
    let expense = found.ok_or_else(|| HandlerError::resource_not_found(uri))?;
    Ok(serde_json::to_string_pretty(&expense)?)
}

/// Lists one page, from the position at which the last one ended.
async fn list(
    at: ListAt,
    user: Principal,
    State(store): State<Store>,
) -> Result<ResourcePage, HandlerError> {
    let after = at.after.as_deref().unwrap_or("0").parse()?;
    let expenses = store.list(user, None, after, at.limit()).await?;
    let resources = expenses.iter().map(|expense| {
        let title = format!("{} on {}", expense.category, expense.day);
        Resource::new(format!("expense://{}", expense.id), expense.id.to_string())
            .title(title)
            .mime_type("application/json")
    });
    Ok(at.page(resources, |last| last.name.clone()))
}

pub(crate) fn group() -> Group {
    let expense = TemplateDef::new("expense://{id}", "expense")
        .description("An expense of the user")
        .mime_type("application/json")
        .guard(is_own)
        .handler(read)
        .list(list);
    Group::new().add_resource_template(expense)
}
