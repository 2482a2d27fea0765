//! Reading a resource as `resources/read` does, for nobody who is connected.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use mcp_types::{AnyResourceContents, ReadResourceRequest, Request as _};
use tokio::sync::oneshot;
use tracing::Span;

use crate::context::{self, Context, Ended, Extensions};
use crate::engine::Call;
use crate::error::{Cause, HandlerError, RESOURCE_NOT_FOUND};
use crate::outlet::{Outlet, Push};
use crate::peer::Peer;
use crate::progress::Progress;
use crate::resources::Found;
use crate::server::Server;

/// Attached to what is read by a URL and not by the protocol, as an
/// [extension](Context::extension). Nobody can be asked then, and nobody hears of progress.
#[derive(Clone, Copy, Debug)]
pub struct ReadByUrl;

/// What a resource is, in bytes.
pub(super) struct Representation {
    pub(super) bytes: Bytes,
    /// As the contents say it, or else the description.
    pub(super) mime_type: Option<String>,
    pub(super) is_text: bool,
}

/// Why there are no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// There is no such resource, or there is nothing in it.
    NotFound,
    /// The handler failed, or took too long.
    Inside,
}

/// Where nobody listens.
struct Nowhere;

impl Outlet for Nowhere {
    fn push(&self, _: &[u8]) -> Push {
        Push::Closed
    }

    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// Runs the handler. It is dropped with the future.
pub(super) async fn read(
    server: &Server,
    found: Found,
    extensions: Extensions,
    span: Span,
) -> Result<Representation, Failed> {
    let mut extensions = extensions;
    extensions.insert(ReadByUrl);
    let cx = Context {
        call: Arc::new(context::Call {
            server: server.clone(),
            id: None,
            method: ReadResourceRequest::METHOD.into(),
            peer: Peer::modern(None),
            progress_token: None,
            log_level: None,
            meta_bytes: 0,
            trace_parent: None,
            outlet: Arc::new(Nowhere),
            extensions: Arc::new(extensions),
            ended: Ended::default(),
            #[cfg(feature = "versioned-resources")]
            subscribed: None,
            progress: Progress::default(),
            inputs: crate::input::Inputs::default(),
        }),
    };
    let (sender, mut receiver) = oneshot::channel();
    let running = {
        let cx = cx.clone();
        Box::pin(async move {
            let _ = sender.send(contents(&found, &cx).await);
            Ok(Vec::new())
        })
    };
    // Panics and the time that it takes are looked after there, as for any request.
    let limit = server.limits().request_time;
    Call::new(cx, running, span.clone(), Some(limit)).await;
    let outcome = receiver.try_recv().map_err(|_| Failed::Inside)?;
    let (asked, contents) = outcome.map_err(|error| span.in_scope(|| failed(error)))?;
    // Where there are several in different formats, the first is the one that the server prefers.
    // What has another URI is another resource: a member of a collection.
    let mut contents = contents.into_iter();
    let first = contents.find(|contents| contents.uri() == asked);
    span.in_scope(|| represent(first.ok_or(Failed::NotFound)?))
}

/// Described first, since the media type may stand nowhere else.
async fn contents(
    found: &Found,
    cx: &Context,
) -> Result<(String, Vec<AnyResourceContents>), HandlerError> {
    let resource = found.describe(cx).await?;
    #[cfg(feature = "sep-2093")]
    if resource.resource_type == Some(mcp_types::ResourceType::Collection) {
        return Err(HandlerError::resource_not_found(resource.uri));
    }
    let contents = found.read_as(&resource, cx).await?;
    Ok((resource.uri, contents))
}

fn failed(error: HandlerError) -> Failed {
    match error.cause {
        // A URI whose variables are not of their types is no resource either.
        Cause::Protocol(error)
            if [RESOURCE_NOT_FOUND, mcp_types::rpc::INVALID_PARAMS].contains(&error.code) =>
        {
            Failed::NotFound
        }
        _ => {
            tracing::error!(%error, "a resource could not be read by its URL");
            Failed::Inside
        }
    }
}

fn represent(contents: AnyResourceContents) -> Result<Representation, Failed> {
    match contents {
        AnyResourceContents::Text(text) => Ok(Representation {
            bytes: text.text.into(),
            mime_type: text.mime_type,
            is_text: true,
        }),
        AnyResourceContents::Blob(blob) => {
            let bytes = blob.blob.decode().map_err(|error| {
                tracing::error!(%error, "a resource gave bytes that are no base64");
                Failed::Inside
            })?;
            Ok(Representation {
                bytes: bytes.into(),
                mime_type: blob.mime_type,
                is_text: false,
            })
        }
        _ => {
            tracing::error!("a resource gave contents of a kind that has no bytes");
            Err(Failed::Inside)
        }
    }
}
