//! [`read`]: reads the content with `resources/read`.

use bytes::Bytes;
use mcp_types::{AnyResourceContents, ReadResourceRequest, ReadResourceRequestParams};

use super::failed::ReadError;
use super::reference::{Reference, is_same_type};
use crate::features::calls::Call;
use crate::features::shared_connection::SharedConnection;
use crate::protocol::request_meta::RequestMeta;

/// Content that was read over the connection.
pub(super) struct Content {
    pub(super) bytes: Bytes,
    pub(super) media_type: Option<String>,
}

/// Reads a resource, and returns the most suitable of its contents.
pub(super) async fn read(
    connection: &SharedConnection,
    reference: &Reference,
    wanted: Option<&str>,
    limit: u64,
) -> Result<Content, ReadError> {
    // The size of the resource is that of its own type.
    if let Some(size) = reference.bytes().filter(|_| wanted.is_none()) {
        if size > limit {
            return Err(ReadError::TooLarge { size, limit });
        }
        // The request is not sent: over a byte stream, a message that is too long fails all other
        // calls, too.
        let limit = connection.connection().limits.message_bytes;
        if size > limit as u64 {
            return Err(ReadError::Message { size, limit });
        }
    }
    let params = ReadResourceRequestParams::new(&reference.uri, RequestMeta::placeholder());
    let call = Call::<ReadResourceRequest>::new(connection.clone(), params);
    let mut contents = call.await?.contents;
    let chosen = if let Some(wanted) = wanted {
        let found = contents
            .iter()
            .filter_map(AnyResourceContents::mime_type)
            .map(str::to_owned)
            .collect();
        let is_wanted = |contents: &AnyResourceContents| {
            let own = contents.mime_type();
            own.is_some_and(|own| is_same_type(own, wanted))
        };
        contents.retain(is_wanted);
        let chosen = choose(contents, reference, Some(wanted));
        chosen.ok_or_else(|| ReadError::MediaType {
            wanted: wanted.to_owned(),
            found,
        })?
    } else {
        let chosen = choose(contents, reference, reference.mime_type.as_deref());
        chosen.ok_or(ReadError::Empty)?
    };
    let (bytes, media_type): (Bytes, _) = match chosen {
        AnyResourceContents::Text(text) => (text.text.into_bytes().into(), text.mime_type),
        AnyResourceContents::Blob(blob) => (blob.blob.decode()?.into(), blob.mime_type),
        _ => return Err(ReadError::Empty),
    };
    let size = bytes.len() as u64;
    if size > limit {
        return Err(ReadError::TooLarge { size, limit });
    }
    Ok(Content { bytes, media_type })
}

/// Returns the preferred representation of the resource. Some servers send the contents of a
/// resource under another URI, so without any of its own the first are returned, except for a
/// collection, where they belong to a member.
fn choose(
    contents: Vec<AnyResourceContents>,
    reference: &Reference,
    mime_type: Option<&str>,
) -> Option<AnyResourceContents> {
    let own = AnyResourceContents::preferred(&contents, &reference.uri, mime_type);
    let index = own.or_else(|| (!reference.is_collection()).then_some(0))?;
    contents.into_iter().nth(index)
}
