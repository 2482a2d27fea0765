//! `mcp prompts` and `mcp prompt`.

use mcp_client::Client;
use mcp_client::types::json::{Map, Value};
use mcp_client::types::{GetPromptRequest, GetPromptRequestParams};

use crate::action::NamedArguments;
use crate::call::content;
use crate::connect::named;
use crate::exact::Exactly;
use crate::failure::Failure;
use crate::output::Output;
use crate::tools::{all, object};

pub(crate) async fn prompts(client: &Client, output: Output) -> Result<(), Failure> {
    let prompts = all(client.prompts()).await?;
    if output.json {
        return Ok(output.value(&object("prompts", &prompts))?);
    }
    for prompt in &prompts {
        output.line(&named(prompt.title.as_deref(), &prompt.name))?;
        output.indented(prompt.description.as_deref().unwrap_or_default())?;
        for argument in prompt.arguments.iter().flatten() {
            let mut line = format!("  {}", named(argument.title.as_deref(), &argument.name));
            if argument.required == Some(true) {
                line += ", required";
            }
            if let Some(description) = &argument.description {
                line += &format!(" - {description}");
            }
            output.indented(&line)?;
        }
    }
    Ok(())
}

pub(crate) async fn prompt(
    client: &Client,
    named: &NamedArguments<'_>,
    output: Output,
) -> Result<(), Failure> {
    let mut arguments: Map<String> = Map::new();
    for (name, value) in &named.given {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        arguments.insert(name, text);
    }
    for (name, text) in &named.words {
        arguments.insert(name, *text);
    }
    let params = GetPromptRequestParams::new(named.name, client.meta()).arguments(arguments);
    let exact = client.request::<Exactly<GetPromptRequest>>(params).await?;
    let result = &exact.result;
    if output.json {
        return Ok(output.json(exact.text())?);
    }
    for message in &result.messages {
        output.line(&format!("{}:", message.role.as_str()))?;
        content(&message.content, output)?;
    }
    Ok(())
}
