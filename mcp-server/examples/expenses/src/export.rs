//! The tool that exports everything, and reports how far it is.

use std::fmt::Write as _;

use mcp_server::{Context, Group, HandlerError, Principal, State};

use crate::store::Store;

/// The number of expenses that are read at once.
const CHUNK: i64 = 100;

async fn export(
    user: Principal,
    State(store): State<Store>,
    cx: Context,
) -> Result<String, HandlerError> {
    let (count, _) = store.total(user.clone(), None).await?;
    let mut csv = String::from("id,day,cents,category,note\n");
    let (mut done, mut after) = (0, 0);
    loop {
        let expenses = store.list(user.clone(), None, after, CHUNK).await?;
        let Some(last) = expenses.last() else {
            return Ok(csv);
        };
        (done, after) = (done + expenses.len(), last.id);
        for expense in expenses {
            let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            let note = expense.note.unwrap_or_default();
            let (category, note) = (quoted(&expense.category), quoted(&note));
            let (id, day, cents) = (expense.id, expense.day, expense.cents);
            writeln!(csv, "{id},{day},{cents},{category},{note}")?;
        }
        let message = format!("{done} of {count} expenses");
        cx.progress(done, count, message).await?;
    }
}

pub(crate) fn group() -> Group {
    Group::new().tool("export", "Exports all expenses as CSV", export)
}
