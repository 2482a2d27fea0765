//! `mcp resources` and `mcp read`.

use std::path::Path;

use mcp_client::types::json::{Object, Value};
use mcp_client::types::{
    AnyResourceContents, ReadResourceRequest, ReadResourceRequestParams, ReadResourceResult,
    Resource, ResourceTemplate,
};
use mcp_client::{CallError, Client};

use crate::call::bytes;
use crate::connect::named;
use crate::exact::{Exactly, to_json};
use crate::failure::Failure;
use crate::output::Output;
use crate::tools::all;

pub(crate) async fn resources(client: &Client, output: Output) -> Result<(), Failure> {
    let resources = all(client.resources()).await?;
    let templates = match all(client.resource_templates()).await {
        Ok(templates) => templates,
        // Servers without templates may not know the method.
        Err(CallError::Refused { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    if output.json {
        let list = |values: Vec<Value>| Value::from(values);
        let both = Object::from([
            ("resources", list(resources.iter().map(to_json).collect())),
            (
                "resourceTemplates",
                list(templates.iter().map(to_json).collect()),
            ),
        ]);
        return Ok(output.value(&both)?);
    }
    for resource in &resources {
        describe(resource, output)?;
    }
    for template in &templates {
        let ResourceTemplate {
            uri_template,
            name,
            title,
            mime_type,
            description,
            ..
        } = template;
        let about = [mime_type.clone()];
        let name = named(title.as_deref(), name);
        show(output, uri_template, &name, &about, description.as_deref())?;
    }
    Ok(())
}

/// Prints a resource in a few lines.
pub(crate) fn describe(resource: &Resource, output: Output) -> Result<(), Failure> {
    let Resource {
        uri,
        name,
        title,
        mime_type,
        size,
        description,
        ..
    } = resource;
    let size = size.map(|size| format!("{size} bytes"));
    let about = [mime_type.clone(), size];
    let name = named(title.as_deref(), name);
    show(output, uri, &name, &about, description.as_deref())
}

fn show(
    output: Output,
    uri: &str,
    name: &str,
    about: &[Option<String>],
    description: Option<&str>,
) -> Result<(), Failure> {
    output.line(uri)?;
    let about: Vec<&str> = about.iter().flatten().map(String::as_str).collect();
    output.indented(&[&[name], about.as_slice()].concat().join(", "))?;
    output.indented(description.unwrap_or_default())?;
    Ok(())
}

pub(crate) async fn read(
    client: &Client,
    uri: &str,
    media_type: Option<&str>,
    file: Option<&Path>,
    output: Output,
) -> Result<(), Failure> {
    let params = ReadResourceRequestParams::new(uri, client.meta());
    let exact = client
        .request::<Exactly<ReadResourceRequest>>(params)
        .await?;
    let result = &exact.result;
    let chosen = media_type.map(|media_type| form(uri, media_type, result));
    let chosen = chosen.transpose()?;
    let contents = chosen.map_or(&*result.contents, std::slice::from_ref);
    if let Some(path) = file {
        return write(path, contents);
    }
    match chosen {
        Some(chosen) if output.json => return Ok(output.value(chosen)?),
        None if output.json => return Ok(output.json(exact.text())?),
        _ => {}
    }
    for contents in contents {
        match contents {
            AnyResourceContents::Text(text) => output.text(&text.text)?,
            AnyResourceContents::Blob(blob) => {
                let kind = blob.mime_type.as_deref();
                output.line(&bytes(&blob.uri, kind, blob.blob.as_str()))?;
            }
            other => output.value(other)?,
        }
    }
    Ok(())
}

/// Returns the contents of a resource that have a media type.
fn form<'a>(
    uri: &'a str,
    media_type: &str,
    result: &'a ReadResourceResult,
) -> Result<&'a AnyResourceContents, Failure> {
    let forms = result.contents_of(uri);
    forms.alternative(media_type).ok_or_else(|| {
        let all = forms.alternatives();
        let all = all.map(|form| form.mime_type().unwrap_or("unknown type"));
        let all = all.collect::<Vec<_>>().join(", ");
        Failure::Absent(format!(
            "`{uri}` has no contents of the type `{media_type}`, only: {all}"
        ))
    })
}

/// Writes all contents to a file, one after the other.
fn write(path: &Path, contents: &[AnyResourceContents]) -> Result<(), Failure> {
    let mut all = Vec::new();
    for contents in contents {
        let bytes = contents.bytes().map_err(|error| Failure::Answer {
            method: "resources/read",
            source: error.into(),
        })?;
        all.extend_from_slice(&bytes);
    }
    std::fs::write(path, all).map_err(|source| Failure::File {
        path: path.to_owned(),
        source,
    })
}
