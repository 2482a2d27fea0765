//! `mcp metadata`.

use mcp_client::Client;
use mcp_client::types::{ReadResourceMetadataRequest, ReadResourceMetadataRequestParams, Resource};

use super::described::{is_unknown, listed};
use super::resources::describe;
use crate::failure::Failure;
use crate::output::Output;
use crate::output::exact::{Exactly, to_json};

pub(crate) async fn metadata(client: &Client, uri: &str, output: Output) -> Result<(), Failure> {
    let params = ReadResourceMetadataRequestParams::new(uri, client.meta());
    let described = if output.json {
        let call = client.request::<Exactly<ReadResourceMetadataRequest>>(params);
        match call.await {
            Ok(exact) => return Ok(output.json(exact.text())?),
            Err(error) => Err(error),
        }
    } else {
        let call = client.request::<ReadResourceMetadataRequest>(params);
        call.await.map(|result| result.resource)
    };
    let resource = match described {
        Ok(resource) => resource,
        Err(error) if is_unknown(&error) => {
            let found = listed(client.resources(), uri).await?;
            found.ok_or_else(|| {
                let message = "the server does not support `resources/metadata` and does not list the resource";
                Failure::Absent(format!("no metadata of `{uri}`: {message}"))
            })?
        }
        Err(error) => return Err(error.into()),
    };
    if output.json {
        let resource = mcp_client::types::json::Object::from([("resource", to_json(&resource))]);
        return Ok(output.value(&resource)?);
    }
    show(&resource, output)
}

fn show(resource: &Resource, output: Output) -> Result<(), Failure> {
    describe(resource, output)?;
    let annotations = resource.annotations.as_ref();
    let texts = [
        (
            "type",
            resource.resource_type.as_ref().map(ToString::to_string),
        ),
        ("kind", resource.kind.clone()),
        ("version", resource.version.clone()),
        (
            "modified",
            annotations.and_then(|annotations| annotations.last_modified.clone()),
        ),
        ("url", resource.http_url.clone()),
        ("url until", resource.http_url_expires_at.clone()),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            output.indented(&format!("{name}: {text}"))?;
        }
    }
    for (name, value) in resource.metadata.iter().flatten() {
        let value = mcp_client::types::json::to_string(value).unwrap_or_default();
        output.indented(&format!("{name}: {value}"))?;
    }
    Ok(())
}
