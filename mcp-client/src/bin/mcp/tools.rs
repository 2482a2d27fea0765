//! `mcp tools`.

use mcp_client::types::Tool;
use mcp_client::types::json::{Object, Value};
use mcp_client::{CallError, Client, List, Listed, Paged};
use serde::Serialize;

use crate::connect::named;
use crate::exact::to_json;
use crate::failure::Failure;
use crate::output::{Output, print_error};
use crate::schema::fields;

pub(crate) async fn tools(client: &Client, output: Output) -> Result<(), Failure> {
    let tools = all(client.tools()).await?;
    if output.json {
        return Ok(output.value(&object("tools", &tools))?);
    }
    for tool in &tools {
        show(tool, output)?;
    }
    Ok(())
}

/// Returns all elements of a list. Malformed elements are reported on stderr.
pub(crate) async fn all<R: Paged>(list: List<R>) -> Result<Vec<R::Item>, CallError> {
    let Listed { items, faults, .. } = list.all().await?;
    for fault in faults {
        print_error(&format!("left out of the list: {fault}"));
    }
    Ok(items)
}

/// Returns an object with one member, a list.
pub(crate) fn object(name: &str, items: &[impl Serialize]) -> Object {
    let items: Value = items.iter().map(to_json).collect();
    Object::from([(name, items)])
}

fn show(tool: &Tool, output: Output) -> Result<(), Failure> {
    output.line(&named(tool.title.as_deref(), &tool.name))?;
    if let Some(description) = &tool.description {
        output.indented(description)?;
    }
    for field in fields(&to_json(&tool.input_schema)) {
        output.indented(&format!("  {}", field.described()))?;
    }
    Ok(())
}
