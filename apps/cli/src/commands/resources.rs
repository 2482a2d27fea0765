//! `mcp resources` and `mcp read`.

use std::path::Path;

use mcp_client::types::json::Object;
use mcp_client::types::{
    AnyResourceContents, BlobResourceContents, ContentsWarning, GetResourceContents,
    ListResourcesRequest, ReadResourceRequest, ReadResourceRequestParams, ReadResourceResult,
    Resource, ResourceTemplate, TextResourceContents,
};
use mcp_client::{CallError, Client, Current};

use super::call::bytes;
use super::described::described;
use super::lists::{all, empty, icons, object};
use super::save;
use crate::args;
use crate::connect::named;
use crate::failure::Failure;
use crate::output::exact::Exactly;
use crate::output::{Output, print_error, print_message, table};

/// Lists the resources that match a filter, and with them the templates, or all of both.
pub(crate) async fn resources(
    client: &Client,
    filter: Option<Object>,
    output: Output,
) -> Result<(), Failure> {
    let with_templates = filter.is_none();
    let list = match filter {
        Some(filter) => client.resources_where(filter)?,
        None => client.resources(),
    };
    let (resources, mut end) = all(client, list, output.limit).await;
    let mut templates = Vec::new();
    if with_templates {
        let limit = output.limit.saturating_sub(resources.len());
        let (found, fault) = all(client, client.resource_templates(), limit).await;
        templates = found;
        // Servers without templates may not know the method.
        match fault {
            Ok(()) | Err(Failure::Absent(_)) => {}
            Err(Failure::Call(CallError::Refused { .. })) if end.is_ok() => {}
            fault => end = end.and(fault),
        }
    }
    if end.is_ok() && resources.is_empty() && templates.is_empty() {
        end = empty::<ListResourcesRequest>(client);
    }
    if output.json {
        let mut both = object("resources", &resources);
        both.extend(object("resourceTemplates", &templates));
        output.value(&both)?;
        return end;
    }
    if output.is_table() {
        rows(&resources, &templates, output)?;
        return end;
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
        icons(template.icons.as_ref(), output)?;
    }
    end
}

/// Prints resources and templates as a table.
fn rows(
    resources: &[Resource],
    templates: &[ResourceTemplate],
    output: Output,
) -> Result<(), Failure> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let resources = resources.iter().map(|resource| {
        let (uri, name) = (resource.uri.clone(), resource.name.clone());
        [
            uri,
            name,
            text(&resource.mime_type),
            text(&resource.description),
        ]
    });
    let templates = templates.iter().map(|template| {
        let (uri, name) = (template.uri_template.clone(), template.name.clone());
        [
            uri,
            name,
            text(&template.mime_type),
            text(&template.description),
        ]
    });
    let rows: Vec<[String; 4]> = resources.chain(templates).collect();
    Ok(table::print(
        output,
        ["URI", "NAME", "TYPE", "DESCRIPTION"],
        &rows,
    )?)
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
    show(output, uri, &name, &about, description.as_deref())?;
    icons(resource.icons.as_ref(), output)
}

fn show(
    output: Output,
    uri: &str,
    name: &str,
    about: &[Option<String>],
    description: Option<&str>,
) -> Result<(), Failure> {
    output.heading(uri)?;
    let about: Vec<&str> = about.iter().flatten().map(String::as_str).collect();
    output.indented(&[&[name], about.as_slice()].concat().join(", "))?;
    output.indented(description.unwrap_or_default())?;
    Ok(())
}

pub(crate) async fn read(
    client: &Client,
    uri: &str,
    how: &args::Read,
    output: Output,
) -> Result<(), Failure> {
    if let Some(version) = &how.unless {
        return read_unless(client, uri, version, how, output).await;
    }
    let params = ReadResourceRequestParams::new(uri, client.meta());
    if output.json && how.output.is_none() && how.media_type.is_none() {
        let call = client.request::<Exactly<ReadResourceRequest>>(params);
        return Ok(output.json(call.await?.text())?);
    }
    let result = client.request::<ReadResourceRequest>(params).await?;
    for warning in warnings(client, uri, &result).await {
        print_error(&violation(&warning));
    }
    let media_type = how.media_type.as_ref();
    let chosen = media_type.map(|media_type| form(uri, media_type, &result));
    let chosen = chosen.transpose()?;
    let contents = chosen.map_or(&*result.contents, std::slice::from_ref);
    if let Some(path) = &how.output {
        return write(path, contents);
    }
    match chosen {
        Some(chosen) if output.json => Ok(output.value(chosen)?),
        _ => print(contents, output),
    }
}

/// Returns the rules that contents violate. Their metadata tell whether they are a collection, if
/// they do not tell it themselves.
async fn warnings(client: &Client, uri: &str, result: &ReadResourceResult) -> Vec<ContentsWarning> {
    let warnings = result.contents_of(uri).warnings();
    if !warnings.contains(&ContentsWarning::Untyped) {
        return warnings;
    }
    // Without metadata, nothing declares a collection.
    match described(client, uri).await {
        Ok(Some(resource)) => result.contents_as(&resource).warnings(),
        _ => warnings,
    }
}

/// Says which rule for contents a server violates.
pub(crate) fn violation(warning: &ContentsWarning) -> String {
    match warning {
        ContentsWarning::Empty => "the document has no contents".to_owned(),
        ContentsWarning::OtherUri { uri, .. } => {
            format!("the document has contents of another resource, `{uri}`")
        }
        ContentsWarning::Untyped => {
            "the contents are of several resources, but the server declares no collection"
                .to_owned()
        }
        other => format!("the contents violate a rule: {other:?}"),
    }
}

/// Reads a resource unless it still has this version.
async fn read_unless(
    client: &Client,
    uri: &str,
    version: &str,
    how: &args::Read,
    output: Output,
) -> Result<(), Failure> {
    let Current::Changed(found) = client.get_resource(uri).unless(version).await? else {
        print_message("not modified");
        if output.json {
            output.value(&Object::from([("notModified", true)]))?;
        }
        return Err(Failure::Unmodified);
    };
    if output.json && how.output.is_none() {
        return Ok(output.value(&*found)?);
    }
    if let Some(version) = &found.resource.version {
        print_message(&format!("version {version}"));
    }
    let contents: AnyResourceContents = match found.contents {
        GetResourceContents::Text(text) => TextResourceContents::new(uri, text.content)
            .mime_type(text.content_type)
            .into(),
        GetResourceContents::Blob(blob) => BlobResourceContents::new(uri, blob.blob)
            .mime_type(blob.content_type)
            .into(),
        _ => return Ok(()),
    };
    match &how.output {
        Some(path) => write(path, &[contents]),
        None => print(&[contents], output),
    }
}

/// Prints contents. Several are labelled with their URIs and types.
fn print(all: &[AnyResourceContents], output: Output) -> Result<(), Failure> {
    for (at, contents) in all.iter().enumerate() {
        let kind = contents.mime_type();
        match contents {
            AnyResourceContents::Text(text) if all.len() > 1 => {
                if at > 0 {
                    output.line("")?;
                }
                let (uri, kind) = (&text.uri, kind.unwrap_or("unknown type"));
                output.line(&format!("[{uri}, {kind}, {} bytes]", text.text.len()))?;
                output.text(&text.text)?;
                if !text.text.ends_with('\n') {
                    output.line("")?;
                }
            }
            AnyResourceContents::Text(text) => output.text(&text.text)?,
            AnyResourceContents::Blob(blob) => {
                output.line(&bytes(&blob.uri, kind, blob.blob.as_str()))?;
                if output.terminal {
                    print_message("hint: `--output FILE` writes the binary contents to a file");
                }
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
        let members = forms.children().count();
        Failure::Absent(if !all.is_empty() {
            format!("`{uri}` has no contents of the type `{media_type}`, only: {all}")
        } else if members > 0 {
            format!("`{uri}` has no contents of its own, only those of {members} other resources")
        } else {
            format!("`{uri}` has no contents")
        })
    })
}

/// Writes contents to a file. If there are several, the others are written beside it, with their
/// number before the extension, if there is no such file.
fn write(path: &Path, contents: &[AnyResourceContents]) -> Result<(), Failure> {
    if contents.is_empty() {
        let message = "nothing to write: the resource has no contents";
        return Err(Failure::Absent(message.to_owned()));
    }
    for (at, one) in contents.iter().enumerate() {
        let bytes = one.bytes().map_err(|error| Failure::Answer {
            method: "resources/read",
            source: error.into(),
        })?;
        let path = save::write(path, at + 1, &bytes)?;
        if contents.len() > 1 {
            let (uri, kind) = (one.uri(), one.mime_type().unwrap_or("unknown type"));
            let (path, size) = (path.display(), bytes.len());
            print_message(&format!("{size} bytes in {path}: {uri}, {kind}"));
        }
    }
    Ok(())
}
