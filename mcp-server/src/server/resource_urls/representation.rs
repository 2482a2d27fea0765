//! [`Representation`]: the bytes of a resource, with what headers say of them.

use bytes::Bytes;
use mcp_types::AnyResourceContents;
use mcp_types::base64::Base64Error;

use super::offload::SMALL;
use crate::features::resources::fixed_body::FixedBody;
use crate::util::etag;

/// What a resource is, in bytes.
pub(crate) struct Representation {
    pub(crate) bytes: Bytes,
    pub(crate) etag: String,
    /// As the contents say it, or else the description.
    pub(crate) mime_type: Option<String>,
    pub(crate) is_text: bool,
}

/// Why contents cannot be sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    #[error("the contents are no base64")]
    Base64(#[from] Base64Error),
    #[error("contents of this kind have no bytes")]
    Kind,
}

/// Whether contents are made a representation of in next to no time.
pub(crate) fn is_quick(contents: &AnyResourceContents) -> bool {
    match contents {
        AnyResourceContents::Text(text) => text.text.len() <= SMALL,
        AnyResourceContents::Blob(blob) => blob.blob.as_str().len() <= SMALL,
        _ => true,
    }
}

/// Decodes contents. Without an entity tag it is made of all bytes.
pub(crate) fn represent(
    contents: AnyResourceContents,
    etag: Option<String>,
) -> Result<Representation, Unusable> {
    let (bytes, mime_type, is_text) = match contents {
        AnyResourceContents::Text(text) => (Bytes::from(text.text), text.mime_type, true),
        AnyResourceContents::Blob(blob) => (blob.blob.decode()?.into(), blob.mime_type, false),
        _ => return Err(Unusable::Kind),
    };
    Ok(Representation {
        etag: etag.unwrap_or_else(|| etag::of_contents(&bytes)),
        bytes,
        mime_type,
        is_text,
    })
}

/// Whether the tag of contents of a definition is known, or made in next to no time.
pub(crate) fn is_quick_fixed(body: &FixedBody) -> bool {
    body.known_etag().is_some() || body.contents().len() <= SMALL
}

/// The representation of contents that are part of a definition: nothing of them is copied, and
/// they are read once for all requests.
pub(crate) fn represent_fixed(body: &FixedBody, mime_type: Option<String>) -> Representation {
    Representation {
        bytes: body.contents().clone(),
        etag: body.etag().to_owned(),
        mime_type,
        is_text: body.is_text(),
    }
}
