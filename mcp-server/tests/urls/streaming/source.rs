//! A source of bytes that counts what is read, and fails when it should.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use mcp_server::types::{Annotations, Resource};
use mcp_server::{ResourceDef, ResourceStream, ServerBuilder, WantedBytes};
use tokio::io::{AsyncRead, AsyncSeek, ReadBuf};
use tokio::sync::Notify;

pub(crate) const URI: &str = "demo://film";

/// What the stream does at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Stops,
    Fails,
    Panics,
    /// Never returns.
    Hangs,
}

/// A resource with a pattern as its bytes, and the counts of what was read of it.
#[derive(Clone)]
pub(crate) struct Film {
    /// The size in its description.
    pub(crate) size: Option<u64>,
    pub(crate) versioned: bool,
    pub(crate) last_modified: Option<&'static str>,
    pub(crate) end: (u64, End),
    pub(crate) state: Arc<State>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) version: AtomicU64,
    opened: AtomicUsize,
    bytes: AtomicU64,
    /// `true` if opening the stream makes a new version.
    pub(crate) changes: AtomicBool,
    pub(crate) dropped: Notify,
}

/// How the handler supplies the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamForm {
    Whole,
    Seekable,
    Wanted,
}

impl Film {
    pub(crate) fn new(size: u64) -> Self {
        Self {
            size: Some(size),
            versioned: true,
            last_modified: None,
            end: (size, End::Stops),
            state: Arc::default(),
        }
    }

    /// Returns how often it was opened, and how many bytes were read, since the last call.
    pub(crate) fn counts(&self) -> (usize, u64) {
        let State { opened, bytes, .. } = &*self.state;
        (
            opened.swap(0, Ordering::SeqCst),
            bytes.swap(0, Ordering::SeqCst),
        )
    }

    pub(crate) fn definition(&self, form: StreamForm) -> ResourceDef {
        let (film, described) = (self.clone(), self.clone());
        ResourceDef::new(URI, "film")
            .mime_type("video/mp4")
            .handler(move |wanted: WantedBytes| {
                let at = if form == StreamForm::Wanted {
                    wanted.first
                } else {
                    0
                };
                let reader = Reader {
                    film: film.clone(),
                    at,
                };
                film.state.opened.fetch_add(1, Ordering::SeqCst);
                if film.state.changes.load(Ordering::SeqCst) {
                    film.state.version.fetch_add(1, Ordering::SeqCst);
                }
                async move {
                    match form {
                        StreamForm::Whole => ResourceStream::new(reader),
                        StreamForm::Seekable => ResourceStream::seekable(reader),
                        StreamForm::Wanted => ResourceStream::starting_at(at, reader),
                    }
                }
            })
            .describe(move |film: Resource| {
                let mut film = film;
                film.size = described.size.map(|size| size.try_into().unwrap());
                let version = described.state.version.load(Ordering::SeqCst);
                film.version = described.versioned.then(|| version.to_string());
                let changed = described.last_modified;
                film.annotations = changed.map(|at| Annotations::new().last_modified(at));
                async { film }
            })
    }

    pub(crate) fn add(&self, form: StreamForm, builder: ServerBuilder) -> ServerBuilder {
        builder.add_resource(self.definition(form))
    }
}

/// The byte at a position: no multiple of any chunk size repeats.
pub(crate) fn byte(at: u64) -> u8 {
    u8::try_from(at % 251).unwrap()
}

pub(crate) fn pattern(range: std::ops::Range<u64>) -> Vec<u8> {
    range.map(byte).collect()
}

struct Reader {
    film: Film,
    at: u64,
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (until, end) = self.film.end;
        let left = until.saturating_sub(self.at);
        if left == 0 {
            return match end {
                End::Stops => Poll::Ready(Ok(())),
                End::Fails => Poll::Ready(Err(io::Error::other("the disk is gone"))),
                End::Panics => panic!("on purpose"),
                End::Hangs => Poll::Pending,
            };
        }
        let count = usize::try_from(left).unwrap().min(buffer.remaining());
        let bytes = pattern(self.at..self.at + count as u64);
        buffer.put_slice(&bytes);
        self.at += count as u64;
        self.film
            .state
            .bytes
            .fetch_add(count as u64, Ordering::SeqCst);
        Poll::Ready(Ok(()))
    }
}

impl AsyncSeek for Reader {
    fn start_seek(mut self: Pin<&mut Self>, position: io::SeekFrom) -> io::Result<()> {
        let io::SeekFrom::Start(at) = position else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        self.at = at;
        Ok(())
    }

    fn poll_complete(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Poll::Ready(Ok(self.at))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.film.state.dropped.notify_one();
    }
}
