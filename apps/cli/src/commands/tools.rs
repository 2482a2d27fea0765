//! `mcp tools`.

use mcp_client::Client;
use mcp_client::types::json::Value;
use mcp_client::types::{ListToolsRequest, Tool};

use super::lists::{all, empty, icons, object};
use crate::connect::named;
use crate::failure::Failure;
use crate::output::exact::to_json;
use crate::output::{Output, table};
use crate::schema::reader::{Reader, fields};

/// Lists the tools whose names contain one of the words, or all.
pub(crate) async fn tools(
    client: &Client,
    words: &[String],
    output: Output,
) -> Result<(), Failure> {
    let limit = if words.is_empty() {
        output.limit
    } else {
        usize::MAX
    };
    let (mut tools, mut end) = all(client, client.tools(), limit).await;
    if end.is_ok() && tools.is_empty() {
        end = empty::<ListToolsRequest>(client);
    }
    if !words.is_empty() {
        tools.retain(|tool| words.iter().any(|word| tool.name.contains(word)));
        if end.is_ok() && tools.is_empty() {
            let words = words.join("` or `");
            let message = format!("no tool has a name that contains `{words}`");
            return Err(Failure::Absent(message));
        }
        tools.truncate(output.limit);
    }
    if output.json {
        output.value(&object("tools", &tools))?;
    } else if output.is_table() {
        let rows: Vec<[String; 3]> = tools.iter().map(row).collect();
        table::print(output, ["NAME", "ARGUMENTS", "DESCRIPTION"], &rows)?;
    } else {
        for tool in &tools {
            show(tool, output)?;
        }
    }
    end
}

fn row(tool: &Tool) -> [String; 3] {
    let arguments = fields(&to_json(&tool.input_schema)).into_iter();
    let arguments = arguments.map(|field| {
        let optional = if field.required { "" } else { "?" };
        format!("{}{optional}", field.name)
    });
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    let description = tool.description.clone().unwrap_or_default();
    [tool.name.clone(), arguments, description]
}

fn show(tool: &Tool, output: Output) -> Result<(), Failure> {
    let annotations = tool.annotations.as_ref();
    let title = annotations.and_then(|annotations| annotations.title.as_deref());
    let mut line = named(tool.title.as_deref().or(title), &tool.name);
    let hints = annotations.map(|all| hints(&to_json(all)));
    let hints = hints.unwrap_or_default();
    if !hints.is_empty() {
        line += &format!(" [{}]", hints.join(", "));
    }
    output.heading(&line)?;
    if let Some(description) = &tool.description {
        output.indented(description)?;
    }
    for field in fields(&to_json(&tool.input_schema)) {
        output.indented(&format!("  {}", field.described()))?;
    }
    if let Some(schema) = tool.output_schema.as_ref().map(to_json) {
        let result = Reader::new(&schema).shape(&schema, 0);
        output.indented(&format!("  returns {result}"))?;
    }
    icons(tool.icons.as_ref(), output)
}

/// Returns what a tool says about its effects.
fn hints(annotations: &Value) -> Vec<&'static str> {
    let hints = [
        ("readOnlyHint", "read-only", "writes"),
        ("destructiveHint", "destructive", "not destructive"),
        ("idempotentHint", "idempotent", "not idempotent"),
        ("openWorldHint", "open world", "closed world"),
    ];
    // By their names: revisions differ in what they have.
    let hints = hints.into_iter().filter_map(|(name, on, off)| {
        let hint = annotations.get(name)?.as_bool()?;
        Some(if hint { on } else { off })
    });
    hints.collect()
}
