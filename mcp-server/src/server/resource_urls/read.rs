//! Reading a resource as `resources/read` does, for nobody who is connected.

use crate::protocol::core::RequestState;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::OnceLock;

use http::Method;
use http::request::Parts;
use mcp_types::{AnyResourceContents, ReadResourceRequest, Request as _, Resource};
use tokio::sync::oneshot;
use tracing::Span;

use super::select::{Selected, unmet};
use crate::features::resources::fixed_body::FixedBody;
use crate::features::resources::found::{Found, Located};
use crate::protocol::answer::Rejection;
use crate::protocol::core::Context;
use crate::protocol::core::Core;
use crate::protocol::error_report::{logged, report, resolve};
use crate::protocol::extensions::Extensions;
use crate::protocol::handler_error::{Cause, HandlerError, RESOURCE_NOT_FOUND};
use crate::protocol::message_sink::{MessageSink, TrySend};
use crate::protocol::peer::Peer;
use crate::protocol::request_task::RequestTask;
#[cfg(feature = "versioned-resources")]
use crate::util::etag;
use crate::util::progress_throttle::ProgressThrottle;
use crate::util::signal::CancelSignal;

/// Attached to what is read by a URL and not by the protocol, as an
/// [extension](Context::extension). Nobody can be asked then, and nobody hears of progress.
#[derive(Clone, Copy, Debug)]
pub struct ReadByUrl;

/// What is known of a resource after the handlers have run.
pub(crate) enum Outcome {
    /// Enough without its contents.
    WithoutContents(WithoutContents),
    /// Its contents are part of its definition. The media type is the one that the description
    /// says.
    Fixed(FixedBody, Option<String>),
    /// Its contents, and their entity tag if their version is known.
    Read(AnyResourceContents, Option<String>),
}

/// What answers a request for a resource without its contents.
pub(crate) struct WithoutContents {
    pub(crate) selected: Selected,
    pub(crate) etag: String,
    pub(crate) size: u64,
    pub(crate) mime_type: Option<String>,
}

/// Why there are no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// There is no such resource, or there is nothing in it.
    NotFound,
    /// The handler failed, or took too long.
    Inside,
}

/// Where nobody listens.
struct Nowhere;

impl MessageSink for Nowhere {
    fn push(&self, _: &[u8]) -> TrySend {
        TrySend::Closed
    }

    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// Runs the handlers that the request needs. They are dropped with the future.
pub(crate) async fn read(
    server: &Arc<Core>,
    located: Located,
    extensions: Extensions,
    span: Span,
    request: Arc<Parts>,
) -> Result<Outcome, Failed> {
    let mut extensions = extensions;
    extensions.insert(ReadByUrl);
    let cx = Context {
        state: Arc::new(RequestState {
            core: Arc::clone(server),
            id: None,
            method: ReadResourceRequest::METHOD.into(),
            peer: Peer::modern(None),
            progress_token: None,
            log_level: None,
            meta_bytes: 0,
            trace_parent: None,
            outlet: Arc::new(Nowhere),
            extensions: Arc::new(extensions),
            ended: CancelSignal::default(),
            progress: ProgressThrottle::default(),
            inputs: OnceLock::new(),
        }),
        values: None,
    };
    let (sender, mut receiver) = oneshot::channel();
    let running = {
        let cx = cx.clone();
        Box::pin(async move {
            let outcome = match located.admit(&cx).await {
                Ok(found) => outcome(&found, &cx, &request).await,
                Err(error) => Err(error),
            };
            let _ = sender.send(outcome.map_err(|error| failed(error, &cx)));
            Ok(Vec::new())
        })
    };
    // Panics and the time that it takes are looked after there, as for any request.
    let limit = server.limits().request_time;
    RequestTask::new(cx, running, span, Some(limit)).await;
    let outcome = receiver.try_recv().map_err(|_| Failed::Inside)?;
    outcome?.ok_or(Failed::NotFound)
}

/// Described first: the version may make reading needless, and the media type may stand nowhere
/// else. `None` where the resource holds nothing.
async fn outcome(
    found: &Found,
    cx: &Context,
    request: &Parts,
) -> Result<Option<Outcome>, HandlerError> {
    let resource = found.describe(cx).await?;
    #[cfg(feature = "sep-2093")]
    if resource.resource_type == Some(mcp_types::ResourceType::Collection) {
        return Err(HandlerError::resource_not_found(resource.uri));
    }
    if let Some(body) = found.fixed_body() {
        return Ok(Some(Outcome::Fixed(body, resource.mime_type)));
    }
    let mut etag = tag(&resource);
    if let Some(etag) = &etag
        && let Some(unread) = unread(&resource, etag, request)
    {
        return Ok(Some(Outcome::WithoutContents(unread)));
    }
    let contents = found.read_as(&resource, cx).await?;
    // Contents that changed in the meantime are of another version. Parts of both under one tag
    // would be put together by the client.
    if etag.is_some() && tag(&found.describe(cx).await?) != etag {
        etag = None;
    }
    // Where there are several in different formats, the first is the one that the server prefers.
    // What has another URI is another resource: a member of a collection.
    let mut contents = contents.into_iter();
    let first = contents.find(|contents| contents.uri() == resource.uri);
    Ok(first.map(|first| Outcome::Read(first, etag)))
}

/// The entity tag of what a resource holds, if its version is known.
fn tag(resource: &Resource) -> Option<String> {
    #[cfg(feature = "versioned-resources")]
    return resource.version.as_deref().map(etag::of_version);
    #[cfg(not(feature = "versioned-resources"))]
    {
        let _ = resource;
        None
    }
}

/// The answer to a request, if it needs no contents: a condition is not met, or only the headers
/// are asked for and the size is known.
fn unread(resource: &Resource, etag: &str, request: &Parts) -> Option<WithoutContents> {
    let size = resource.size.and_then(|size| u64::try_from(size).ok());
    let selected = match unmet(&request.headers, etag) {
        Some(selected) => selected,
        None if request.method == Method::HEAD && size.is_some() => Selected::Whole,
        None => return None,
    };
    Some(WithoutContents {
        selected,
        etag: etag.to_owned(),
        size: size.unwrap_or_default(),
        mime_type: resource.mime_type.clone(),
    })
}

fn failed(error: HandlerError, cx: &Context) -> Failed {
    let error = resolve(error, cx);
    if matches!(error.rejection, Some(Rejection::Forbidden(_))) {
        return Failed::NotFound;
    }
    match error.cause {
        // A URI whose variables are not of their types is no resource either.
        Cause::Protocol(error)
            if [RESOURCE_NOT_FOUND, mcp_types::rpc::INVALID_PARAMS].contains(&error.code) =>
        {
            Failed::NotFound
        }
        // The client gets a status and nothing of the error.
        Cause::Other(error) => {
            report(&*error, None, cx);
            Failed::Inside
        }
        _ => {
            tracing::warn!(error = %logged(&error), "a resource could not be read by its URL");
            Failed::Inside
        }
    }
}
