//! [`Fetched`]: the content of a resource, which is received piece by piece.

use std::fmt;

use bytes::Bytes;
use mcp_types::peer_text::{PeerDisplay, PeerText};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::download::Download;
use super::failed::FetchFailed;
use super::read::{Content, read};
use super::reference::Reference;
use crate::features::shared_connection::SharedConnection;
use mcp_fetch::{FetchError, FetchPolicy};

/// The maximum capacity that is reserved because of a declared size, in bytes.
const RESERVED: u64 = 1 << 20;

/// How the content is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchedBy {
    /// By its URL.
    Url,
    /// With `resources/read`, over the connection. [`Fetched::attempts`] has the reasons.
    Read,
}

/// The content of a resource. Content from a URL is received as the program requests it. This keeps
/// the connection to the server open, as a client does.
///
/// An interrupted transfer is resumed if the content has a strong entity tag. Otherwise, if the
/// program has not received anything yet, the resource is read over the connection instead.
/// [`attempts`](Self::attempts) contains the errors.
pub struct Fetched {
    pub(super) connection: SharedConnection,
    pub(super) reference: Reference,
    pub(super) wanted: Option<String>,
    pub(super) limit: u64,
    pub(super) attempts: Vec<FetchError>,
    pub(super) by: FetchedBy,
    pub(super) media_type: Option<String>,
    pub(super) length: Option<u64>,
    pub(super) source: Source,
    /// The number of bytes that the program has received.
    pub(super) given: u64,
}

pub(super) enum Source {
    Url(Box<Download>),
    /// It has to be read over the connection.
    Read,
    Whole(Bytes),
    End,
    Failed,
}

impl Fetched {
    /// Returns how the content is fetched. This changes if the URL fails and the resource is read
    /// instead.
    #[must_use]
    pub fn by(&self) -> FetchedBy {
        self.by
    }

    /// Returns the errors of the URL so far, in order.
    #[must_use]
    pub fn attempts(&self) -> &[FetchError] {
        &self.attempts
    }

    /// Returns the reference to the resource; the current one if the server was asked for it.
    #[must_use]
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// Returns the media type of the content, if it is known.
    #[must_use]
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// Returns the total size in bytes, if it is known.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// Returns all remaining content, at most [`FetchPolicy::size`](crate::FetchPolicy) bytes.
    ///
    /// # Errors
    ///
    /// See [`FetchFailed`].
    pub async fn bytes(&mut self) -> Result<Bytes, FetchFailed> {
        let capacity = self.length.unwrap_or_default().min(RESERVED);
        let mut all = Vec::with_capacity(usize::try_from(capacity).unwrap_or_default());
        loop {
            match self.pull().await? {
                Ok(Some(bytes)) => all.extend_from_slice(&bytes),
                Ok(None) => break,
                Err(error) => {
                    all.clear();
                    self.fall_back(error)?;
                }
            }
        }
        self.given += all.len() as u64;
        Ok(all.into())
    }

    /// Returns the next bytes; `None` at the end. Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// See [`FetchFailed`]. The bytes before the error may be only a part of the content.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchFailed> {
        loop {
            match self.pull().await? {
                Ok(Some(bytes)) if bytes.is_empty() => {}
                Ok(bytes) => {
                    self.given += bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
                    return Ok(bytes);
                }
                Err(error) => self.fall_back(error)?,
            }
        }
    }

    /// Writes all remaining content, and returns the number of bytes.
    ///
    /// # Errors
    ///
    /// See [`FetchFailed`]. The written bytes may be only a part of the content.
    pub async fn write_to<W>(&mut self, writer: &mut W) -> Result<u64, FetchFailed>
    where
        W: AsyncWrite + Unpin + ?Sized,
    {
        let before = self.given;
        let failed = |given| move |source| FetchFailed::Write { given, source };
        loop {
            let written = self.given;
            let Some(bytes) = self.chunk().await? else {
                writer.flush().await.map_err(failed(written))?;
                return Ok(written - before);
            };
            writer.write_all(&bytes).await.map_err(failed(written))?;
        }
    }

    /// Returns the next bytes, which may be empty, or the error of the current source.
    pub(super) async fn pull(&mut self) -> Result<Result<Option<Bytes>, FetchError>, FetchFailed> {
        if let Source::Read = self.source {
            self.read().await?;
        }
        match &mut self.source {
            Source::Url(download) => {
                let attempts = &mut self.attempts;
                let bytes = download.chunk(|error| attempts.push(error)).await;
                if matches!(bytes, Ok(None)) {
                    self.source = Source::End;
                }
                Ok(bytes)
            }
            Source::Whole(bytes) => {
                let bytes = std::mem::take(bytes);
                self.source = Source::End;
                Ok(Ok(Some(bytes)))
            }
            Source::End => Ok(Ok(None)),
            Source::Read | Source::Failed => Err(FetchFailed::Over { given: self.given }),
        }
    }

    /// Falls back to `resources/read` after the URL has failed. Fails if the program has already
    /// received a part of the content, or if the content is too large.
    pub(super) fn fall_back(&mut self, error: FetchError) -> Result<(), FetchFailed> {
        let uri = || self.reference.uri.clone();
        if let FetchError::TooLarge { .. } = error {
            self.source = Source::Failed;
            return Err(FetchFailed::TooLarge {
                uri: uri(),
                attempts: std::mem::take(&mut self.attempts),
                source: Box::new(error),
            });
        }
        if self.given > 0 {
            self.source = Source::Failed;
            return Err(FetchFailed::Broken {
                uri: uri(),
                given: self.given,
                attempts: std::mem::take(&mut self.attempts),
                source: Box::new(error),
            });
        }
        let uri = PeerText(&self.reference.uri);
        tracing::debug!(%uri, error = %PeerDisplay(&error), "reading the resource instead of fetching its URL");
        self.attempts.push(error);
        self.source = Source::Read;
        Ok(())
    }

    /// Requests the content from the URL.
    pub(super) async fn request(&mut self, policy: &FetchPolicy) -> Result<(), FetchError> {
        let download = Download::begin(policy, &self.reference, self.wanted.as_deref()).await?;
        self.by = FetchedBy::Url;
        self.media_type.clone_from(&download.media_type);
        self.length = download.length;
        self.source = Source::Url(Box::new(download));
        Ok(())
    }

    /// Reads the content over the connection.
    pub(super) async fn read(&mut self) -> Result<(), FetchFailed> {
        let wanted = self.wanted.as_deref();
        match read(&self.connection, &self.reference, wanted, self.limit).await {
            Ok(Content { bytes, media_type }) => {
                self.by = FetchedBy::Read;
                self.length = Some(bytes.len() as u64);
                self.media_type = media_type;
                self.source = Source::Whole(bytes);
                Ok(())
            }
            Err(source) => {
                self.source = Source::Failed;
                Err(FetchFailed::Read {
                    uri: self.reference.uri.clone(),
                    attempts: std::mem::take(&mut self.attempts),
                    source,
                })
            }
        }
    }
}

impl fmt::Debug for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetched")
            .field("by", &self.by)
            .field("reference", &self.reference)
            .field("media_type", &self.media_type)
            .field("length", &self.length)
            .field("given", &self.given)
            .field("attempts", &self.attempts)
            .finish_non_exhaustive()
    }
}
