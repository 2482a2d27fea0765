//! Reads a resource for a URL, as `resources/read` does.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::request::Parts;
use http::{HeaderValue, Method};
use mcp_types::{AnyResourceContents, ReadResourceRequest, Request as _, Resource};
use tokio::io::AsyncRead;
use tokio::sync::oneshot;
use tracing::Span;

use super::accept::Accept;
use super::file_name::content_disposition;
use super::last_modified::last_modified;
use super::select::{CacheValidators, Selected, evaluate_conditions, select};
use crate::features::resources::contents::body::ResourceBody;
use crate::features::resources::contents::stream::WantedBytes;
use crate::features::resources::resolved::{AuthorizedResource, ResolvedResource};
use crate::proposals::https_url::fixed_body::FixedBody;
use crate::proposals::https_url::presigned::PresignedUrl;
use crate::proposals::https_url::serving::streamed::{Unchanged, tag};
use crate::protocol::caller::Extensions;
use crate::protocol::core::{Context, Core};
use crate::protocol::dispatch::error_report::{for_log, report, resolve};
use crate::protocol::dispatch::request_task::RequestTask;
use crate::protocol::error::handler_error::{ErrorKind, HandlerError, RESOURCE_NOT_FOUND};
use crate::protocol::error::rejection::Rejection;
use crate::protocol::metrics::operations::OperationOutcome;

/// Marks, as an [extension](Context::extension), that a handler runs for a URL and not for a
/// request of the protocol. Such a handler cannot send requests, log messages or progress to a
/// client.
#[derive(Clone, Copy, Debug)]
pub struct ReadByUrl;

/// The result of the handlers of a resource, and the time of its last change.
pub(crate) struct ReadResult {
    pub(crate) outcome: ReadOutcome,
    pub(crate) last_modified: Option<SystemTime>,
    pub(crate) disposition: Option<HeaderValue>,
}

/// What the response is made of.
pub(crate) enum ReadOutcome {
    /// The response needs no contents.
    WithoutContents(WithoutContents),
    /// The contents are part of the resource's definition. The media type is that of the
    /// description.
    Fixed(Arc<FixedBody>, Option<String>),
    Read(ReadContents),
    /// A URL of another host serves the resource.
    Redirect(PresignedUrl),
    Stream(Box<OpenStream>),
}

/// Contents that were read.
pub(crate) struct ReadContents {
    pub(crate) contents: AnyResourceContents,
    /// The entity tag, if the version is known.
    pub(crate) etag: Option<String>,
    /// `true` if another `Accept` might select other contents.
    pub(crate) is_negotiated: bool,
}

/// A stream from which nothing was read so far.
pub(crate) struct OpenStream {
    pub(crate) selected: Selected,
    /// Absent if the response has no body.
    pub(crate) reader: Option<Pin<Box<dyn AsyncRead + Send>>>,
    /// The size of the whole resource in bytes.
    pub(crate) size: Option<u64>,
    pub(crate) mime_type: Option<String>,
    /// Present if the version is known.
    pub(crate) unchanged: Option<Unchanged>,
    pub(crate) uri: String,
}

/// The data of a response that needs no contents.
pub(crate) struct WithoutContents {
    pub(crate) selected: Selected,
    pub(crate) etag: Option<String>,
    pub(crate) size: u64,
    pub(crate) mime_type: Option<String>,
    /// `true` unless the resource has one representation, as far as this is known without reading.
    pub(crate) is_negotiated: bool,
}

/// The reasons why a resource cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadFailure {
    /// The resource does not exist or has no contents.
    NotFound,
    /// The handler failed or exceeded its time limit.
    Internal,
    /// The handler failed, and may succeed soon.
    Unavailable,
    /// The caller has used up its share, and may try again after this time.
    Busy(Duration),
}

/// Runs the handlers that the request needs. Dropping the future cancels them.
pub(crate) async fn read(
    server: &Arc<Core>,
    resolved: ResolvedResource,
    extensions: Extensions,
    span: Span,
    request: Arc<Parts>,
    now: SystemTime,
) -> Result<ReadResult, ReadFailure> {
    let mut extensions = extensions;
    extensions.insert(ReadByUrl);
    let cx = Context::without_client(server, ReadResourceRequest::METHOD, extensions);
    let (sender, mut receiver) = oneshot::channel();
    let running = {
        let cx = cx.clone();
        Box::pin(async move {
            let outcome = match resolved.check_access(&cx).await {
                Ok(found) => outcome(found, &cx, &request, now).await,
                Err(error) => Err(error),
            };
            if !matches!(outcome, Ok(Some(_))) {
                cx.state.measured.set_result(OperationOutcome::Error);
            }
            let _ = sender.send(outcome.map_err(|error| failed(error, &cx)));
            Ok(Vec::new())
        })
    };
    // `RequestTask` handles panics and the time limit, as for any request.
    let limit = server.limits.request_time;
    RequestTask::new(cx, running, span, Some(limit)).await;
    let outcome = receiver.try_recv().map_err(|_| ReadFailure::Internal)?;
    outcome?.ok_or(ReadFailure::NotFound)
}

/// Describes the resource and reads its contents if the response needs them. Returns `None` if the
/// resource has no contents.
///
/// The description comes first, because its version can make reading unnecessary and only it may
/// contain the media type.
async fn outcome(
    found: AuthorizedResource,
    cx: &Context,
    request: &Parts,
    now: SystemTime,
) -> Result<Option<ReadResult>, HandlerError> {
    let resource = found.describe(cx).await?;
    if resource.resource_type == Some(mcp_types::ResourceType::Collection) {
        return Err(HandlerError::resource_not_found(resource.uri));
    }
    let validators = CacheValidators {
        etag: tag(&resource),
        last_modified: last_modified(&resource, now),
    };
    let last_modified = validators.last_modified;
    let disposition = content_disposition(&resource);
    let outcome = match found.redirect(&resource, cx).await {
        Some(presigned) => Some(ReadOutcome::Redirect(presigned)),
        None => found_outcome(found, resource, validators, cx, request).await?,
    };
    Ok(outcome.map(|outcome| ReadResult {
        outcome,
        last_modified,
        disposition,
    }))
}

async fn found_outcome(
    found: AuthorizedResource,
    resource: Resource,
    validators: CacheValidators,
    cx: &Context,
    request: &Parts,
) -> Result<Option<ReadOutcome>, HandlerError> {
    if let Some(body) = found.fixed_body() {
        return Ok(Some(ReadOutcome::Fixed(body, resource.mime_type)));
    }
    let accept = Accept::of(&request.headers);
    if validators.etag.is_some()
        && accept.accepts_preferred(&resource)
        && let Some(unread) = unread(&found, &resource, &validators, request)
    {
        return Ok(Some(ReadOutcome::WithoutContents(unread)));
    }
    let size = described_size(&resource);
    let selected = select(&request.method, &request.headers, &validators, size);
    let wanted = wanted(&selected);
    let contents = match found.open_as(&resource, wanted, cx).await? {
        ResourceBody::Contents(contents) => contents,
        ResourceBody::Stream(stream) => {
            let has_body = matches!(selected, Selected::Whole | Selected::Part(_))
                && request.method == Method::GET;
            let mut opened = OpenStream {
                selected,
                reader: None,
                size,
                mime_type: resource.mime_type,
                uri: resource.uri,
                unchanged: validators.etag.map(|etag| Unchanged {
                    found,
                    // The request ends before its body.
                    cx: Context::on_behalf_of(
                        cx.core(),
                        cx.method(),
                        cx.peer().clone(),
                        cx.caller(),
                    ),
                    etag,
                }),
            };
            if has_body {
                let (first, reader) = stream.start(wanted.first).await?;
                if first != wanted.first {
                    opened.selected = Selected::Whole;
                }
                opened.reader = Some(reader);
            }
            return Ok(Some(ReadOutcome::Stream(Box::new(opened))));
        }
    };
    let Some(chosen) = accept.choose(&resource, &contents) else {
        return Ok(None);
    };
    let own = contents.iter().filter(|it| it.uri() == resource.uri);
    let is_negotiated = own.count() > 1;
    let Some(contents) = contents.into_iter().nth(chosen.index) else {
        return Ok(None);
    };
    // The tag of a version is that of the preferred representation; the tags of others are computed
    // from their bytes. If the version changed while the contents were read, their tag is unknown,
    // too. A client combines parts that have the same tag.
    let version = validators.etag;
    let is_known = version.is_some() && chosen.is_preferred;
    let etag = if is_known && tag(&found.describe(cx).await?) == version {
        version
    } else {
        None
    };
    Ok(Some(ReadOutcome::Read(ReadContents {
        contents,
        etag,
        is_negotiated,
    })))
}

/// Returns the bytes that a handler should read for a response.
fn wanted(selected: &Selected) -> WantedBytes {
    match selected {
        Selected::Part(part) => WantedBytes::of(part),
        _ => WantedBytes::default(),
    }
}

fn described_size(resource: &Resource) -> Option<u64> {
    resource.size.and_then(|size| u64::try_from(size).ok())
}

/// Returns the data of a response that needs no contents: a condition is not met, or the method is
/// HEAD and the size is known.
fn unread(
    found: &AuthorizedResource,
    resource: &Resource,
    validators: &CacheValidators,
    request: &Parts,
) -> Option<WithoutContents> {
    let size = described_size(resource);
    let selected = match evaluate_conditions(&request.headers, validators) {
        Some(selected) => selected,
        None if request.method == Method::HEAD && size.is_some() => Selected::Whole,
        None => return None,
    };
    let reader = found.0.definition.reader();
    Some(WithoutContents {
        selected,
        etag: validators.etag.clone(),
        size: size.unwrap_or_default(),
        mime_type: resource.mime_type.clone(),
        is_negotiated: !reader.is_some_and(|reader| reader.is_single),
    })
}

fn failed(error: HandlerError, cx: &Context) -> ReadFailure {
    let error = resolve(error, cx);
    if error.is_temporary {
        tracing::debug!(error = %for_log(&error), "cannot read a resource for its URL at this time");
        return ReadFailure::Unavailable;
    }
    if matches!(error.rejection, Some(Rejection::Forbidden(_))) {
        return ReadFailure::NotFound;
    }
    if let ErrorKind::Protocol(error) = &error.kind
        && let Some(time) = error.retry_time()
    {
        return ReadFailure::Busy(time);
    }
    match error.kind {
        // A URI whose variables cannot be parsed does not name a resource either.
        ErrorKind::Protocol(error)
            if [RESOURCE_NOT_FOUND, mcp_types::rpc::INVALID_PARAMS].contains(&error.code) =>
        {
            ReadFailure::NotFound
        }
        // The client gets a status but no text of the error.
        ErrorKind::Other(error) => {
            report(&*error, None, cx);
            ReadFailure::Internal
        }
        _ => {
            tracing::warn!(error = %for_log(&error), "cannot read a resource for its URL");
            ReadFailure::Internal
        }
    }
}
