//! [`read`]: reads the content with `resources/read`.

use bytes::Bytes;
use mcp_types::AnyResourceContents;
use mcp_types::base64::Base64Text;

use super::failed::ReadError;
use super::reader::ResourceReader;
use super::reference::Reference;
use crate::util::media_type::is_same;

/// Content that was read over the connection.
pub(super) struct Content {
    pub(super) bytes: Bytes,
    pub(super) media_type: Option<String>,
}

/// Reads a resource, and returns the most suitable of its contents.
pub(super) async fn read(
    reader: &dyn ResourceReader,
    reference: &Reference,
    wanted: Option<&str>,
    limit: u64,
) -> Result<Content, ReadError> {
    // The request is not sent: over a byte stream, a message that is too long fails all other calls, too.
    let most = reader.message_bytes();
    if let Some(size) = reference.bytes()
        && wanted.is_none()
        && size > most as u64
    {
        return Err(ReadError::Message { size, limit: most });
    }
    let contents = reader.contents(&reference.uri).await?;
    let mut parts: Vec<_> = contents.into_iter().filter_map(ContentPart::new).collect();
    let chosen = if let Some(wanted) = wanted {
        let found = parts.iter().filter_map(|part| part.media_type.clone());
        let found = found.collect();
        parts.retain(|part| part.is(wanted));
        let own = |part: &ContentPart| part.uri == reference.uri;
        let at = parts.iter().position(own).unwrap_or_default();
        let part = parts.into_iter().nth(at);
        part.ok_or_else(|| ReadError::MediaType {
            wanted: wanted.to_owned(),
            found,
        })?
    } else {
        let listed = reference.mime_type.as_deref().unwrap_or_default();
        let rank = |part: &ContentPart| (part.uri != reference.uri, !part.is(listed));
        let best = parts.into_iter().min_by_key(rank);
        best.ok_or(ReadError::Empty)?
    };
    let bytes: Bytes = match chosen.data {
        ContentData::Text(text) => text.into_bytes().into(),
        ContentData::Blob(text) => text.decode()?.into(),
    };
    let size = bytes.len() as u64;
    if size > limit {
        return Err(ReadError::TooLarge { size, limit });
    }
    let media_type = chosen.media_type;
    Ok(Content { bytes, media_type })
}

/// One of the contents.
struct ContentPart {
    uri: String,
    media_type: Option<String>,
    data: ContentData,
}

enum ContentData {
    Text(String),
    Blob(Base64Text),
}

impl ContentPart {
    /// Returns `None` for kinds of contents that this version does not know.
    fn new(contents: AnyResourceContents) -> Option<Self> {
        match contents {
            AnyResourceContents::Text(text) => Some(Self {
                uri: text.uri,
                media_type: text.mime_type,
                data: ContentData::Text(text.text),
            }),
            AnyResourceContents::Blob(blob) => Some(Self {
                uri: blob.uri,
                media_type: blob.mime_type,
                data: ContentData::Blob(blob.blob),
            }),
            _ => None,
        }
    }

    fn is(&self, media_type: &str) -> bool {
        let own = self.media_type.as_deref();
        own.is_some_and(|own| is_same(own, media_type))
    }
}
