//! `mcp call`.

use std::future::IntoFuture;

use mcp_client::types::json::{self, Value};
use mcp_client::types::revision::Versioned;
use mcp_client::types::{
    AnyResourceContents, CallToolRequest, CallToolRequestParams, CallToolResult, ContentBlock,
    Request, rpc,
};
use mcp_client::{Call, CallError, Client};

use super::save::save;
use crate::action::NamedArguments;
use crate::failure::Failure;
use crate::output::exact::{Exactly, to_json};
use crate::output::progress::Progress;
use crate::output::{Output, print_message};
use crate::schema::Field;
use crate::schema::reader::fields;
use crate::values;

pub(crate) async fn call(
    client: &Client,
    named: &NamedArguments<'_>,
    verbose: bool,
    output: Output,
) -> Result<(), Failure> {
    let params = params(client, named).await?;
    if output.json {
        let exact = send(client.request::<Exactly<CallToolRequest>>(params), verbose).await?;
        output.json(exact.text())?;
        return outcome(exact.member("isError").as_bool());
    }
    let result = send(client.request::<CallToolRequest>(params), verbose).await?;
    show(&result, named, output)
}

/// Returns the params of a call, with the arguments in the types that the tool expects.
pub(crate) async fn params(
    client: &Client,
    named: &NamedArguments<'_>,
) -> Result<CallToolRequestParams, Failure> {
    let mut arguments = named.given.clone();
    let schema = if named.words.is_empty() {
        Vec::new()
    } else {
        schema(client, named.name).await
    };
    for (name, text) in &named.words {
        let field = schema.iter().find(|field| field.name == *name);
        arguments.insert(name, values::argument(name, field, text)?);
    }
    Ok(CallToolRequestParams::new(named.name, client.meta()).arguments(arguments))
}

/// Prints a result, and writes its binary contents to the file that is named.
pub(crate) fn show(
    result: &CallToolResult,
    named: &NamedArguments<'_>,
    output: Output,
) -> Result<(), Failure> {
    contents(&result.content, output)?;
    if result.content.is_empty()
        && let Some(value) = &result.structured_content
    {
        output.value(value)?;
    }
    if let Some(path) = named.file {
        save(path, CallToolRequest::METHOD, &result.content)?;
    }
    outcome(result.is_error)
}

/// Returns an error for the result of a tool that failed.
pub(crate) fn outcome(is_error: Option<bool>) -> Result<(), Failure> {
    match is_error {
        Some(true) => Err(Failure::Tool),
        _ => Ok(()),
    }
}

/// Sends a call and shows its progress.
async fn send<R, T>(call: Call<R>, verbose: bool) -> Result<T, CallError>
where
    R: Request<Params: Versioned, Result: Versioned> + 'static,
    Call<R>: IntoFuture<Output = Result<T, CallError>>,
{
    let progress = Progress::new(verbose);
    match progress.handler() {
        Some(handler) => call.on_progress(handler).await,
        None => call.await,
    }
}

/// Returns the arguments that the input schema of a tool declares; none if the tool is not listed.
/// Requests no page after the one with the tool.
async fn schema(client: &Client, name: &str) -> Vec<Field> {
    let mut list = client.tools();
    while let Some(tool) = list.next().await {
        match tool {
            Ok(tool) if tool.name == name => return fields(&to_json(&tool.input_schema)),
            Err(CallError::Element { source, .. }) if source.name.as_deref() == Some(name) => {
                let tool: Value = json::from_str(source.raw.get()).unwrap_or_default();
                return tool.get("inputSchema").map(fields).unwrap_or_default();
            }
            Ok(_) | Err(CallError::Element { .. }) => {}
            // The tool may exist nevertheless.
            Err(error) if error.code() == Some(rpc::METHOD_NOT_FOUND) => break,
            Err(error) => {
                print_message(&format!(
                    "The types of the arguments are not known: {error}"
                ));
                break;
            }
        }
    }
    Vec::new()
}

/// Prints content blocks, separated by empty lines.
pub(crate) fn contents<'a>(
    blocks: impl IntoIterator<Item = &'a ContentBlock>,
    output: Output,
) -> Result<(), Failure> {
    for (at, block) in blocks.into_iter().enumerate() {
        if at > 0 {
            output.line("")?;
        }
        content(block, output)?;
    }
    Ok(())
}

/// Prints a content block: text unchanged, everything else as a line that describes it.
pub(crate) fn content(block: &ContentBlock, output: Output) -> Result<(), Failure> {
    let line = match block {
        ContentBlock::Text(text) => return Ok(output.block(&text.text)?),
        ContentBlock::Image(image) => bytes("image", Some(&image.mime_type), image.data.as_str()),
        ContentBlock::Audio(audio) => bytes("audio", Some(&audio.mime_type), audio.data.as_str()),
        ContentBlock::ResourceLink(link) => {
            let url = link.http_url.as_ref().map(|url| format!(", {url}"));
            let url = url.unwrap_or_default();
            format!("[resource {}, {}{url}]", link.uri, link.name)
        }
        ContentBlock::Resource(resource) => match &resource.resource {
            AnyResourceContents::Text(contents) => return Ok(output.block(&contents.text)?),
            AnyResourceContents::Blob(contents) => bytes(
                &format!("resource {}", contents.uri),
                contents.mime_type.as_deref(),
                contents.blob.as_str(),
            ),
            other => to_json(other).to_string(),
        },
        other => to_json(other).to_string(),
    };
    Ok(output.line(&line)?)
}

/// Describes binary content, which is not printed.
pub(crate) fn bytes(what: &str, kind: Option<&str>, base64: &str) -> String {
    let kind = kind.unwrap_or("unknown type");
    let is_data = |byte: &u8| *byte != b'=' && !byte.is_ascii_whitespace();
    let size = base64.bytes().filter(is_data).count() * 3 / 4;
    format!("[{what}, {kind}, {size} bytes]")
}
