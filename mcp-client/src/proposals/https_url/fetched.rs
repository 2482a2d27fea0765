//! [`Fetched`]: content that is there, or on its way.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use mcp_types::peer_text::{PeerDisplay, PeerText};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::download::Download;
use super::failed::FetchFailed;
use super::read::{Content, read};
use super::reader::ResourceReader;
use super::reference::Reference;
use crate::protocol::fetch::FetchError;

/// As many bytes are made room for because a server says that they will come.
const ROOM: u64 = 1 << 20;

/// How content came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchedBy {
    /// By its URL.
    Url,
    /// By `resources/read`, over the connection. [`Fetched::attempts`] says why not by its URL.
    Read,
}

/// The content of a resource. Of what comes by a URL the beginning has been seen, and the rest
/// comes when it is asked for. It keeps the connection to the server alive, as a client does.
///
/// A transfer that breaks off is taken up where it broke off, if the server gave the content a
/// strong entity tag. Else, as long as the program has taken nothing, all of it is read over the
/// connection instead. [`attempts`](Self::attempts) has what went wrong.
pub struct Fetched {
    pub(super) reader: Arc<dyn ResourceReader>,
    pub(super) reference: Reference,
    pub(super) wanted: Option<String>,
    pub(super) limit: u64,
    pub(super) attempts: Vec<FetchError>,
    pub(super) by: FetchedBy,
    pub(super) media_type: Option<String>,
    pub(super) length: Option<u64>,
    pub(super) source: Source,
    /// As many bytes the program has taken.
    pub(super) given: u64,
}

pub(super) enum Source {
    Url(Box<Download>),
    /// It is yet to be read over the connection.
    Read,
    Whole(Bytes),
    End,
    Failed,
}

impl Fetched {
    /// How it comes. This changes if a transfer breaks off and the content is read instead.
    #[must_use]
    pub fn by(&self) -> FetchedBy {
        self.by
    }

    /// Why the URL was not used, and what went wrong with it, in the order in which it happened.
    #[must_use]
    pub fn attempts(&self) -> &[FetchError] {
        &self.attempts
    }

    /// What was known of the resource; where the server was asked anew, what it says now.
    #[must_use]
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// The media type that came with the content.
    #[must_use]
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// Bytes in all, where that is known.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// All that was not taken yet, at most [`FetchPolicy::size`](crate::FetchPolicy) bytes.
    ///
    /// # Errors
    ///
    /// See [`FetchFailed`].
    pub async fn bytes(&mut self) -> Result<Bytes, FetchFailed> {
        let room = self.length.unwrap_or_default().min(ROOM);
        let mut all = Vec::with_capacity(usize::try_from(room).unwrap_or_default());
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

    /// The next bytes, as they come; `None` at the end. Nothing is lost if the future is dropped.
    ///
    /// # Errors
    ///
    /// See [`FetchFailed`]. What came before may be a part of the content only.
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

    /// Writes all that was not taken yet, part by part, and gives the number of its bytes.
    ///
    /// # Errors
    ///
    /// See [`FetchFailed`]. What was written before may be a part of the content only.
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

    /// The next bytes, which may be none; or why there are not to be more from there.
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

    /// The URL was of no use: the content is read over the connection, if the program has taken
    /// nothing of it, and it is not too large whichever way it comes.
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
        tracing::debug!(%uri, error = %PeerDisplay(&error), "read in place of the URL");
        self.attempts.push(error);
        self.source = Source::Read;
        Ok(())
    }

    /// Reads the content over the connection.
    pub(super) async fn read(&mut self) -> Result<(), FetchFailed> {
        let wanted = self.wanted.as_deref();
        match read(&*self.reader, &self.reference, wanted, self.limit).await {
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
