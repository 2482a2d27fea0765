//! The tools that add, list and sum up expenses.

use mcp_server::types::ToolAnnotations;
use mcp_server::{Context, Group, HandlerError, Json, Principal, State, ToolDef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::store::{Expense, NewExpense, Store};

/// The most expenses that one call lists.
const MOST: i64 = 100;

#[derive(Deserialize, JsonSchema)]
struct Selection {
    /// Only expenses of this category
    category: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Expenses {
    expenses: Vec<Expense>,
}

#[derive(Serialize, JsonSchema)]
struct Total {
    count: i64,
    cents: i64,
}

async fn add(
    new: NewExpense,
    user: Principal,
    State(store): State<Store>,
    cx: Context,
) -> Result<Json<Expense>, HandlerError> {
    let added = store.add(user, new).await?;
    cx.server().resources_changed();
    Ok(Json(added))
}

async fn list(
    Selection { category }: Selection,
    user: Principal,
    State(store): State<Store>,
) -> Result<Json<Expenses>, HandlerError> {
    let expenses = store.list(user, category, 0, MOST).await?;
    Ok(Json(Expenses { expenses }))
}

async fn total(
    Selection { category }: Selection,
    user: Principal,
    State(store): State<Store>,
) -> Result<Json<Total>, HandlerError> {
    let (count, cents) = store.total(user, category).await?;
    Ok(Json(Total { count, cents }))
}

pub(crate) fn group() -> Group {
    // Hosts ask their user less often before they call a tool that only reads.
    let reads = || ToolAnnotations::new().read_only_hint(true);
    let list = ToolDef::new("list")
        .description("Lists expenses, the oldest first")
        .annotations(reads())
        .handler(list);
    let total = ToolDef::new("total")
        .description("Counts expenses and adds up their amounts")
        .annotations(reads())
        .handler(total);
    Group::new()
        .tool("add", "Adds an expense", add)
        .add_tool(list)
        .add_tool(total)
}
