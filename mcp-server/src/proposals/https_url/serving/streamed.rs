//! [`StreamedBytes`]: the body of a response that is read while it is sent.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use mcp_types::Resource;
use mcp_types::peer_text::PeerText;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::timeout;

use crate::features::resources::resolved::AuthorizedResource;
use crate::protocol::core::Context;
use crate::protocol::dispatch::request_task::caught;
use crate::protocol::quota::permits::DownloadPermit;
use crate::transport::http::response::body::{Chunk, Source};
use crate::transport::http::response::chunks::CHUNK;
use crate::util::etag;

/// The bytes of a stream. Only one chunk is in memory besides those that wait to be written: the
/// next one is read when the client has read enough of them. Dropping this drops the stream.
pub(crate) struct StreamedBytes {
    pub(crate) reader: Pin<Box<dyn AsyncRead + Send>>,
    /// The number of bytes that are left to send; `None` for all until the end of the stream.
    pub(crate) left: Option<u64>,
    /// What has to hold for the response to be complete.
    pub(crate) unchanged: Option<Unchanged>,
    /// The maximum duration of one read.
    pub(crate) read_time: Duration,
    /// For the log.
    pub(crate) uri: String,
    pub(crate) _permit: DownloadPermit,
}

impl StreamedBytes {
    /// Reads the next bytes. `None` at the end.
    async fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let wanted = self.left.map_or(CHUNK, |left| {
            usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK))
        });
        let mut bytes = Vec::with_capacity(wanted);
        let mut reader = (&mut self.reader).take(wanted as u64);
        let read = caught(reader.read_buf(&mut bytes));
        let Ok(read) = timeout(self.read_time, read).await else {
            return Err(io::Error::from(io::ErrorKind::TimedOut));
        };
        // The panic is in the log.
        read.ok_or_else(|| io::Error::other("the stream panicked"))??;
        if bytes.is_empty() {
            if let Some(left) = self.left {
                let missing = format!("the stream ended, expected {left} more bytes");
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, missing));
            }
            self.check().await?;
            return Ok(None);
        }
        // A source may return a few bytes at a time.
        if bytes.len() < CHUNK / 2 {
            bytes.shrink_to_fit();
        }
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(bytes.len() as u64);
            // The last bytes are sent only if all of them belong to one version.
            if *left == 0 {
                self.check().await?;
            }
        }
        Ok(Some(bytes))
    }

    async fn check(&mut self) -> io::Result<()> {
        match self.unchanged.take() {
            Some(unchanged) => unchanged.check(self.read_time).await,
            None => Ok(()),
        }
    }
}

impl Source for StreamedBytes {
    fn next(mut self: Box<Self>) -> Pin<Box<dyn Future<Output = Chunk> + Send>> {
        Box::pin(async move {
            match self.read().await {
                Ok(Some(bytes)) => {
                    let rest: Option<Box<dyn Source>> = match self.left {
                        Some(0) => None,
                        _ => Some(self),
                    };
                    Ok(Some((bytes, rest)))
                }
                Ok(None) => Ok(None),
                Err(error) => {
                    let uri = PeerText(&self.uri);
                    tracing::warn!(%uri, %error, "closed the connection of a download that cannot be completed");
                    Err(error)
                }
            }
        })
    }
}

/// The version of a resource that a response states.
pub(crate) struct Unchanged {
    pub(crate) found: AuthorizedResource,
    pub(crate) cx: Context,
    pub(crate) etag: String,
}

impl Unchanged {
    /// Describes the resource again, for at most `limit`.
    ///
    /// # Errors
    ///
    /// If the resource has another version, or cannot be described any more.
    pub(crate) async fn check(self, limit: Duration) -> io::Result<()> {
        let described = caught(self.found.describe(&self.cx));
        let Ok(described) = timeout(limit, described).await else {
            return Err(io::Error::from(io::ErrorKind::TimedOut));
        };
        match described {
            Some(Ok(resource)) if tag(&resource) == Some(self.etag) => Ok(()),
            Some(Ok(_)) => Err(io::Error::other("the resource changed while it was read")),
            Some(Err(_)) | None => Err(io::Error::other(
                "the resource cannot be described any more",
            )),
        }
    }
}

/// Returns the entity tag of a resource whose version is known.
pub(crate) fn tag(resource: &Resource) -> Option<String> {
    resource.version.as_deref().map(etag::of_version)
}
