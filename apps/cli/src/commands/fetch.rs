//! `mcp fetch`.

use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::path::Path;

use mcp_client::types::ResourceType;
use mcp_client::types::json::{Object, Value};
use mcp_client::{
    CallError, Client, FetchFailed, Fetched, FetchedBy, Proposal, ReadError, Reference,
};

use super::described::{described, listed};
use crate::args;
use crate::failure::Failure;
use crate::output::{Output, print_message};

pub(crate) async fn fetch(
    client: &Client,
    uri: &str,
    how: &args::Fetch,
    output: Output,
) -> Result<(), Failure> {
    if output.json && how.output.is_none() {
        let message = "`--json` prints a description of the content, so the content itself needs a file: `-o FILE`";
        return Err(Failure::Usage(message.to_owned()));
    }
    let mut reference = reference(client, uri).await?;
    if let Some(url) = &how.http_url {
        reference.http_url = Some(url.clone());
        reference.http_url_expires_at = None;
    }
    let is_collection = reference.resource_type == Some(ResourceType::Collection);
    let mut fetch = client.fetch(reference);
    if let Some(media_type) = &how.media_type {
        fetch = fetch.as_type(media_type.as_str());
    }
    let mut fetched = fetch.await.map_err(|error| match error {
        FetchFailed::Read {
            source: ReadError::Empty | ReadError::MediaType { .. },
            ..
        } if is_collection => of_collection(uri, how.media_type.as_deref()),
        error => error.into(),
    })?;
    let bytes = match &how.output {
        Some(path) => write_file(&mut fetched, path).await?,
        None if std::io::stdout().is_terminal() => {
            let text = fetched.bytes().await?;
            output.text(&String::from_utf8_lossy(&text))?;
            text.len() as u64
        }
        None => write(&mut fetched, &mut std::io::stdout()).await?,
    };
    if output.json {
        return Ok(output.value(&description(&fetched, bytes))?);
    }
    if fetched.by() == FetchedBy::Read {
        // Several attempts may have failed for the same reason.
        let mut reasons: Vec<_> = fetched.attempts().iter().map(ToString::to_string).collect();
        reasons.dedup();
        for reason in reasons {
            print_message(&format!("not fetched by its URL: {reason}"));
        }
    }
    let media_type = fetched.media_type().unwrap_or("of an unknown type");
    print_message(&format!("{bytes} bytes, {media_type}, {}", by(&fetched)));
    Ok(())
}

/// Says that the contents of a collection are those of its members.
fn of_collection(uri: &str, media_type: Option<&str>) -> Failure {
    let wanted = media_type.map(|media_type| format!(" of the type `{media_type}`"));
    let wanted = wanted.unwrap_or_default();
    Failure::Absent(format!(
        "`{uri}` is a collection and has no contents{wanted} of its own\n\
         hint: `mcp tree` shows its members"
    ))
}

/// Returns what the server says about a resource: its metadata, or what its list says if the server
/// has no metadata but URLs.
async fn reference(client: &Client, uri: &str) -> Result<Reference, Failure> {
    let found = if client.negotiated(Proposal::Sep2093) {
        match described(client, uri).await {
            Ok(found) => found,
            // The resource may be readable nevertheless.
            Err(error @ CallError::Refused { .. }) => {
                print_message(&format!("the metadata are refused: {error}"));
                None
            }
            Err(error) => return Err(error.into()),
        }
    } else if client.negotiated(Proposal::HttpsUrl) {
        listed(client.resources(), uri).await?
    } else {
        None
    };
    Ok(found.map_or_else(|| uri.into(), Reference::from))
}

fn by(fetched: &Fetched) -> &'static str {
    match fetched.by() {
        FetchedBy::Url => "by its URL",
        _ => "by resources/read",
    }
}

fn description(fetched: &Fetched, bytes: u64) -> Object {
    let attempts = fetched.attempts().iter();
    let attempts: Vec<Value> = attempts.map(|error| error.to_string().into()).collect();
    let media_type = fetched.media_type().map_or(Value::Null, Value::from);
    Object::from([
        ("uri", Value::from(fetched.reference().uri.as_str())),
        ("by", by(fetched).into()),
        ("bytes", bytes.into()),
        ("mimeType", media_type),
        ("attempts", attempts.into()),
    ])
}

/// Writes the content as it arrives, and returns the number of bytes.
async fn write(fetched: &mut Fetched, to: &mut impl Write) -> Result<u64, Failure> {
    let mut bytes = 0;
    while let Some(chunk) = fetched.chunk().await? {
        to.write_all(&chunk)?;
        bytes += chunk.len() as u64;
    }
    to.flush()?;
    Ok(bytes)
}

/// Writes to a temporary file first, so that the requested file never has a part of the content.
async fn write_file(fetched: &mut Fetched, path: &Path) -> Result<u64, Failure> {
    let failed = |source| Failure::File {
        path: path.to_owned(),
        source,
    };
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = TempFile(name.as_ref());
    let file = OpenOptions::new().write(true).create_new(true).open(part.0);
    let written = write(fetched, &mut file.map_err(failed)?).await;
    let bytes = written.map_err(|failure| match failure {
        Failure::Io(source) => failed(source),
        other => other,
    })?;
    std::fs::rename(part.0, path).map_err(failed)?;
    Ok(bytes)
}

/// A temporary file, which is deleted when this is dropped, unless it was renamed.
struct TempFile<'a>(&'a Path);

impl Drop for TempFile<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.0);
    }
}
