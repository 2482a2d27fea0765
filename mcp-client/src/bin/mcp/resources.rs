//! `mcp resources` and `mcp read`.

use std::path::Path;

use mcp_client::types::json::{Object, Value};
use mcp_client::types::{
    AnyResourceContents, ReadResourceRequest, ReadResourceRequestParams, Resource, ResourceTemplate,
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
        show(
            output,
            uri,
            &named(title.as_deref(), name),
            &about,
            description.as_deref(),
        )?;
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
    file: Option<&Path>,
    output: Output,
) -> Result<(), Failure> {
    let params = ReadResourceRequestParams::new(uri, client.meta());
    let exact = client
        .request::<Exactly<ReadResourceRequest>>(params)
        .await?;
    let result = &exact.result;
    if let Some(path) = file {
        return write(path, &result.contents);
    }
    if output.json {
        return Ok(output.json(exact.text())?);
    }
    for contents in &result.contents {
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

/// Writes contents to a file, one after the other.
fn write(path: &Path, contents: &[AnyResourceContents]) -> Result<(), Failure> {
    let mut all = Vec::new();
    for contents in contents {
        match contents {
            AnyResourceContents::Text(text) => all.extend_from_slice(text.text.as_bytes()),
            AnyResourceContents::Blob(blob) => {
                let bytes = blob.blob.decode().map_err(|error| Failure::Answer {
                    method: "resources/read",
                    source: error.into(),
                })?;
                all.extend_from_slice(&bytes);
            }
            _ => {
                return Err(Failure::Answer {
                    method: "resources/read",
                    source: "these are neither text nor bytes".into(),
                });
            }
        }
    }
    std::fs::write(path, all).map_err(|source| Failure::File {
        path: path.to_owned(),
        source,
    })
}
