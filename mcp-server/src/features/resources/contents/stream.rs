//! [`ResourceStream`]: bytes of a resource that are read while they are sent.

use std::io;
use std::ops::Range;
use std::pin::Pin;

use mcp_types::AnyResourceContents;
use mcp_types::json::{Object, Value};
use mcp_types::rpc::ErrorObject;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncSeek, AsyncSeekExt as _, SeekFrom};

use crate::features::resources::contents;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::short;
use crate::protocol::handler::extract::FromContext;
use crate::protocol::handler::requirements::Requirements;
use crate::util::partial_debug::partial_debug;

/// The bytes of a resource as a stream, which a handler returns in place of contents. At the URL of
/// the resource, the bytes are sent while they are read, so that a resource of any size needs
/// little memory.
///
/// `describe` should set `version` and `size`: conditional requests, HEAD and the choice of a range
/// then read nothing. The number of bytes must be `size`, and the version must differ after each
/// change: it is looked up again before the last bytes are sent. If either is wrong, or if the
/// stream fails, the server closes the connection, and the client sees that the body is incomplete.
/// Without a version there is no `ETag`; without a size, no ranges.
///
/// `resources/read` and everything else that needs all bytes at once collects the stream up to a
/// [limit](Self::limit). Its contents are text if all bytes are UTF-8, and a blob otherwise.
///
/// ```
/// use mcp_server::types::Resource;
/// use mcp_server::{HandlerError, ResourceDef, ResourceStream};
///
/// async fn open() -> Result<ResourceStream, HandlerError> {
///     Ok(ResourceStream::seekable(tokio::fs::File::open("film.mp4").await?))
/// }
///
/// async fn describe(film: Resource) -> Result<Resource, HandlerError> {
///     let file = std::fs::metadata("film.mp4")?;
///     let modified = file.modified()?.duration_since(std::time::UNIX_EPOCH)?;
///     let version = format!("{}-{}", file.len(), modified.as_nanos());
///     Ok(film.size(i64::try_from(file.len())?).version(version))
/// }
///
/// let film = ResourceDef::new("film://one", "film")
///     .mime_type("video/mp4")
///     .handler(open)
///     .describe(describe);
/// # drop(film);
/// ```
#[must_use = "a stream is not read until a handler returns it"]
pub struct ResourceStream {
    bytes: StreamBytes,
    limit: Option<u64>,
}

/// Where the bytes of a stream begin.
enum StreamBytes {
    At(u64, Pin<Box<dyn AsyncRead + Send>>),
    Seekable(Pin<Box<dyn ReadSeek>>),
}

trait ReadSeek: AsyncRead + AsyncSeek + Send {}

impl<R: AsyncRead + AsyncSeek + Send> ReadSeek for R {}

impl ResourceStream {
    /// Creates a stream of all bytes of the resource. Requests for a range are answered with all of
    /// them, as HTTP permits.
    pub fn new(reader: impl AsyncRead + Send + 'static) -> Self {
        Self::starting_at(0, reader)
    }

    /// Creates a stream of a reader that can begin at any position, such as a file. It must be at
    /// its start now.
    pub fn seekable(reader: impl AsyncRead + AsyncSeek + Send + 'static) -> Self {
        Self {
            bytes: StreamBytes::Seekable(Box::pin(reader)),
            limit: None,
        }
    }

    /// Creates a stream of the bytes from a position on, which should be the
    /// [`first`](WantedBytes::first) that is wanted. Bytes behind the wanted ones are not read.
    pub fn starting_at(first: u64, reader: impl AsyncRead + Send + 'static) -> Self {
        Self {
            bytes: StreamBytes::At(first, Box::pin(reader)),
            limit: None,
        }
    }

    /// Sets how many bytes `resources/read` returns at most. By default half of
    /// [`Limits::message_bytes`](field@crate::Limits::message_bytes), so that the contents fit into
    /// a message as base64, too. A larger resource is error -32603, which names its `httpUrl`.
    pub fn limit(mut self, bytes: u64) -> Self {
        self.limit = Some(bytes);
        self
    }

    /// Returns a reader of the bytes from `first` on, or from the start if the stream cannot begin
    /// there, and the position at which it begins.
    pub(crate) async fn start(
        self,
        first: u64,
    ) -> io::Result<(u64, Pin<Box<dyn AsyncRead + Send>>)> {
        match self.bytes {
            StreamBytes::At(at, reader) if at == first || at == 0 => Ok((at, reader)),
            StreamBytes::At(at, _) => Err(io::Error::other(format!(
                "the stream begins at byte {at}, expected {first} or 0"
            ))),
            StreamBytes::Seekable(mut reader) => {
                if first > 0 {
                    reader.seek(SeekFrom::Start(first)).await?;
                }
                Ok((first, Box::pin(reader)))
            }
        }
    }

    /// Collects all bytes. `size` is their number, if it is known.
    ///
    /// # Errors
    ///
    /// -32603 if there are more bytes than the limit, or the stream fails.
    pub(crate) async fn collect(
        self,
        uri: &str,
        mime_type: Option<&str>,
        size: Option<u64>,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        let default = cx.core().limits.message_bytes / 2;
        let limit = self.limit.unwrap_or(default as u64);
        if let Some(size) = size.filter(|size| *size > limit) {
            return Err(too_large(uri, Some(size), limit));
        }
        let (_, reader) = self.start(0).await?;
        let mut bytes = Vec::new();
        let mut reader = reader.take(limit.saturating_add(1));
        reader.read_to_end(&mut bytes).await?;
        if bytes.len() as u64 > limit {
            return Err(too_large(uri, size, limit));
        }
        if let Some(size) = size
            && bytes.len() as u64 != size
        {
            let found = bytes.len();
            let uri = short(uri);
            return Err(HandlerError::internal(format!(
                "the stream of `{uri}` has {found} bytes, expected {size}"
            )));
        }
        Ok(vec![match String::from_utf8(bytes) {
            Ok(text) => contents::text(text, uri, mime_type),
            Err(error) => contents::bytes(error.as_bytes(), uri, mime_type),
        }])
    }
}

/// Creates the error for a resource that is too large to be read at once.
fn too_large(uri: &str, size: Option<u64>, limit: u64) -> HandlerError {
    let mut data = Object::from([("uri", uri)]);
    data.insert("limit", Value::from(limit));
    data.insert("instead", Value::from("httpUrl"));
    let has = match size {
        Some(size) => {
            data.insert("size", Value::from(size));
            format!("{size} bytes")
        }
        None => "more bytes".to_owned(),
    };
    let what = format!(
        "the resource has {has}, and {limit} can be read at once: fetch the `httpUrl` of the resource"
    );
    HandlerError::from(ErrorObject::internal_error(what).data(data))
}

partial_debug!(ResourceStream, |it|
    bytes: match &it.bytes {
        StreamBytes::At(first, _) => format!("from byte {first} on"),
        StreamBytes::Seekable(_) => "seekable".to_owned(),
    },
    limit: it.limit
);

/// Extracts which bytes of a streamed resource are wanted, for a source that can be asked for a
/// part, such as an object store. Only for handlers that read a resource.
///
/// Pass [`first`](Self::first) on to [`ResourceStream::starting_at`]. A handler that does not
/// extract the range returns all bytes.
///
/// ```
/// use mcp_server::{HandlerError, ResourceDef, ResourceStream, WantedBytes};
/// # async fn fetch(_: String) -> Result<std::io::Cursor<Vec<u8>>, HandlerError> { Ok(std::io::Cursor::default()) }
///
/// async fn open(wanted: WantedBytes) -> Result<ResourceStream, HandlerError> {
///     let range = match wanted.length {
///         Some(length) => format!("bytes={}-{}", wanted.first, wanted.first + length - 1),
///         None => format!("bytes={}-", wanted.first),
///     };
///     Ok(ResourceStream::starting_at(wanted.first, fetch(range).await?))
/// }
///
/// let archive = ResourceDef::new("archive://2026", "archive").handler(open);
/// # drop(archive);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WantedBytes {
    /// The position of the first byte.
    pub first: u64,
    /// The number of bytes, at least 1; `None` for all that follow.
    pub length: Option<u64>,
}

impl WantedBytes {
    /// Returns a range of bytes that is not empty.
    pub(crate) fn of(range: &Range<u64>) -> Self {
        Self {
            first: range.start,
            length: Some(range.end.saturating_sub(range.start)),
        }
    }
}

impl FromContext for WantedBytes {
    fn requirements(requirements: &mut Requirements) {
        requirements.resource::<Self>();
    }

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        Ok(cx.value::<Self>().copied().unwrap_or_default())
    }
}
