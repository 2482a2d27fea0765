//! `mcp prompts`, `mcp prompt` and `mcp complete`.

use mcp_client::Client;
use mcp_client::types::json::{Map, Value};
use mcp_client::types::{
    CompleteRequest, CompleteRequestParams, CompletionArgument, CompletionContext,
    CompletionReference, GetPromptRequest, GetPromptRequestParams, ListPromptsRequest, Prompt,
    PromptReference, Request, ResourceTemplateReference,
};

use super::call::content;
use super::lists::{all, empty, icons, object};
use super::save::save;
use crate::action::NamedArguments;
use crate::connect::named;
use crate::failure::Failure;
use crate::output::exact::Exactly;
use crate::output::{Output, print_message, table};

pub(crate) async fn prompts(client: &Client, output: Output) -> Result<(), Failure> {
    let (prompts, mut end) = all(client, client.prompts(), output.limit).await;
    if end.is_ok() && prompts.is_empty() {
        end = empty::<ListPromptsRequest>(client);
    }
    if output.json {
        output.value(&object("prompts", &prompts))?;
        return end;
    }
    if output.is_table() {
        let rows: Vec<[String; 3]> = prompts.iter().map(row).collect();
        table::print(output, ["NAME", "ARGUMENTS", "DESCRIPTION"], &rows)?;
        return end;
    }
    for prompt in &prompts {
        output.heading(&named(prompt.title.as_deref(), &prompt.name))?;
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
        icons(prompt.icons.as_ref(), output)?;
    }
    end
}

fn row(prompt: &Prompt) -> [String; 3] {
    let arguments = prompt.arguments.iter().flatten();
    let arguments: Vec<&str> = arguments.map(|argument| argument.name.as_str()).collect();
    let description = prompt.description.clone().unwrap_or_default();
    [prompt.name.clone(), arguments.join(", "), description]
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
    if output.json {
        let exact = client.request::<Exactly<GetPromptRequest>>(params).await?;
        return Ok(output.json(exact.text())?);
    }
    let result = client.request::<GetPromptRequest>(params).await?;
    for (at, message) in result.messages.iter().enumerate() {
        if at > 0 {
            output.line("")?;
        }
        output.line(&format!("{}:", message.role.as_str()))?;
        content(&message.content, output)?;
    }
    match named.file {
        Some(path) => {
            let blocks = result.messages.iter().map(|message| &message.content);
            save(path, GetPromptRequest::METHOD, blocks)
        }
        None => Ok(()),
    }
}

/// Suggests values for the first argument of a prompt or of a URI template. The other arguments are
/// sent with it.
pub(crate) async fn complete(
    client: &Client,
    named: &NamedArguments<'_>,
    output: Output,
) -> Result<(), Failure> {
    let Some(((name, value), others)) = named.words.split_first() else {
        let message = "no argument to complete: expected NAME=VALUE, where VALUE may be empty";
        return Err(Failure::Usage(message.to_owned()));
    };
    let is_template = named.name.contains("://") || named.name.contains('{');
    let reference: CompletionReference = if is_template {
        ResourceTemplateReference::new(named.name).into()
    } else {
        PromptReference::new(named.name).into()
    };
    let argument = CompletionArgument::new(*name, *value);
    let mut params = CompleteRequestParams::new(reference, argument, client.meta());
    if !others.is_empty() {
        let others: Map<String> = others.iter().map(|(name, text)| (*name, *text)).collect();
        params = params.context(CompletionContext::new().arguments(others));
    }
    if output.json {
        let exact = client.request::<Exactly<CompleteRequest>>(params).await?;
        return Ok(output.json(exact.text())?);
    }
    let completion = client.request::<CompleteRequest>(params).await?.completion;
    for value in &completion.values {
        output.line(value)?;
    }
    if completion.has_more == Some(true) {
        print_message("there are more values");
    }
    Ok(())
}
