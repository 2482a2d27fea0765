//! `mcp call`.

use mcp_client::types::{
    AnyResourceContents, CallToolRequest, CallToolRequestParams, ContentBlock,
};
use mcp_client::{CallError, Client};

use crate::action::NamedArguments;
use crate::exact::{Exactly, to_json};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::schema::{Field, fields};
use crate::{tools, values};

pub(crate) async fn call(
    client: &Client,
    named: &NamedArguments<'_>,
    verbose: bool,
    output: Output,
) -> Result<(), Failure> {
    let mut arguments = named.given.clone();
    let schema = if named.words.is_empty() {
        Vec::new()
    } else {
        schema(client, named.name).await?
    };
    for (name, text) in &named.words {
        let field = schema.iter().find(|field| field.name == *name);
        arguments.insert(name, values::value(field, text));
    }
    let params = CallToolRequestParams::new(named.name, client.meta()).arguments(arguments);
    let progress = Progress::new(verbose);
    let call = client.request::<Exactly<CallToolRequest>>(params);
    let result = match progress.handler() {
        Some(handler) => call.on_progress(handler).await,
        None => call.await,
    };
    drop(progress);
    let exact = result?;
    let result = &exact.result;
    if output.json {
        output.json(exact.text())?;
    } else {
        for block in &result.content {
            content(block, output)?;
        }
        if result.content.is_empty()
            && let Some(value) = &result.structured_content
        {
            output.value(value)?;
        }
    }
    if result.is_error == Some(true) {
        return Err(Failure::Tool);
    }
    Ok(())
}

/// Returns the arguments that the input schema of a tool declares; none if the tool is not listed.
async fn schema(client: &Client, name: &str) -> Result<Vec<Field>, Failure> {
    let tools = match tools::all(client.tools()).await {
        Ok(tools) => tools,
        // The tool may exist although the server does not list tools.
        Err(CallError::Refused { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let tool = tools.into_iter().find(|tool| tool.name == name);
    Ok(tool.map_or_else(Vec::new, |tool| fields(&to_json(&tool.input_schema))))
}

/// Prints a content block: text unchanged, everything else as a line that describes it.
pub(crate) fn content(block: &ContentBlock, output: Output) -> Result<(), Failure> {
    let line = match block {
        ContentBlock::Text(text) => return Ok(output.block(&text.text)?),
        ContentBlock::Image(image) => bytes("image", Some(&image.mime_type), image.data.as_str()),
        ContentBlock::Audio(audio) => bytes("audio", Some(&audio.mime_type), audio.data.as_str()),
        ContentBlock::ResourceLink(link) => format!("[resource {}, {}]", link.uri, link.name),
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
    let padding = base64
        .bytes()
        .rev()
        .take_while(|&byte| byte == b'=')
        .count();
    let size = (base64.len() * 3 / 4).saturating_sub(padding);
    format!("[{what}, {kind}, {size} bytes]")
}
