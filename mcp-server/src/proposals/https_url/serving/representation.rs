//! [`Representation`]: the bytes of a resource, and the values of their headers.

use std::sync::Arc;

use bytes::Bytes;
use mcp_types::AnyResourceContents;
use mcp_types::base64::Base64Error;

use crate::proposals::https_url::fixed_body::FixedBody;
use crate::proposals::https_url::issue::Urls;
use crate::proposals::https_url::serving::read::ReadContents;
use crate::protocol::quota::permits::DownloadPermit;
use crate::util::etag;

/// The bytes of a resource, and the values of their headers.
pub(crate) struct Representation {
    pub(crate) bytes: Bytes,
    pub(crate) etag: String,
    /// The media type of the contents, or else that of the description.
    pub(crate) mime_type: Option<String>,
    pub(crate) is_text: bool,
    /// `true` if another `Accept` might select another representation.
    pub(crate) is_negotiated: bool,
}

/// The reasons why contents cannot be sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RepresentationError {
    #[error("the contents are not valid base64")]
    Base64(#[from] Base64Error),
    #[error("expected contents of kind text or blob")]
    Kind,
}

/// Returns `true` if contents are small enough to be processed on the current thread.
pub(crate) fn is_quick(contents: &AnyResourceContents) -> bool {
    match contents {
        AnyResourceContents::Text(text) => text.text.len() <= SMALL,
        AnyResourceContents::Blob(blob) => blob.blob.as_str().len() <= SMALL,
        _ => true,
    }
}

/// Decodes contents. If their tag is not known, it is computed from all bytes.
pub(crate) fn represent(read: ReadContents) -> Result<Representation, RepresentationError> {
    let ReadContents {
        contents,
        etag,
        is_negotiated,
    } = read;
    let (bytes, mime_type, is_text) = match contents {
        AnyResourceContents::Text(text) => (Bytes::from(text.text), text.mime_type, true),
        AnyResourceContents::Blob(blob) => (blob.blob.decode()?.into(), blob.mime_type, false),
        _ => return Err(RepresentationError::Kind),
    };
    Ok(Representation {
        etag: etag.unwrap_or_else(|| etag::of_contents(&bytes)),
        bytes,
        mime_type,
        is_text,
        is_negotiated,
    })
}

/// Returns `true` if the tag of fixed contents is known, or they are small enough to be processed
/// on the current thread.
pub(crate) fn is_quick_fixed(body: &FixedBody) -> bool {
    body.known_etag().is_some() || body.bytes.len() <= SMALL
}

/// Creates the representation of contents that are part of a definition. They are not copied, and
/// their tag is computed once.
pub(crate) fn represent_fixed(body: &FixedBody, mime_type: Option<String>) -> Representation {
    Representation {
        bytes: body.bytes.clone(),
        etag: body.etag().to_owned(),
        mime_type,
        is_text: body.is_text,
        is_negotiated: false,
    }
}

/// Contents of up to this size in bytes are processed on the current thread, because passing them
/// to another thread costs more.
pub(crate) const SMALL: usize = 64 << 10;

/// Runs `work` on a thread that may block, and returns its result and the permit of the request.
/// Returns `None` if the runtime shuts down or the work panics.
///
/// The permit is held while the work runs, even if the client disconnects: otherwise clients that
/// connect and disconnect could queue any amount of work.
pub(crate) async fn offload<T: Send + 'static>(
    urls: &Urls,
    permit: DownloadPermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<(T, DownloadPermit)> {
    let thread = Arc::clone(&urls.threads).acquire_owned().await.ok()?;
    let work = tokio::task::spawn_blocking(move || {
        let result = work();
        drop(thread);
        (result, permit)
    });
    work.await.ok()
}
