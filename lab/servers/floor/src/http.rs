//! The HTTP service.

use std::convert::Infallible;
use std::error::Error;
use std::pin::{Pin, pin};
use std::str::FromStr;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::answer::Fixed;
use crate::request::Request;

/// The form of a response.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// One JSON text.
    Json,
    /// Two events, both available immediately.
    Events,
    /// Two events, the second one after a delay.
    Stream,
}

impl FromStr for Form {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "json" => Ok(Self::Json),
            "events" => Ok(Self::Events),
            "stream" => Ok(Self::Stream),
            _ => Err("the form of an answer is json, events or stream"),
        }
    }
}

pub(crate) async fn serve(fixed: Fixed, form: Form) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(async move {
            let service = service_fn(move |request| respond(request, fixed, form));
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                eprintln!("{error}");
            }
        });
    }
}

async fn respond(
    request: hyper::Request<Incoming>,
    fixed: Fixed,
    form: Form,
) -> Result<Response<Answer>, Box<dyn Error + Send + Sync>> {
    if request.method() != Method::POST {
        return Ok(empty(StatusCode::METHOD_NOT_ALLOWED));
    }
    let mut text = Vec::new();
    let mut body = pin!(request.into_body());
    while let Some(frame) = std::future::poll_fn(|task| body.as_mut().poll_frame(task)).await {
        if let Ok(data) = frame?.into_data() {
            text.extend_from_slice(&data);
        }
    }
    let mut request = Request::read(fixed, &text)?;
    if request.is_notification() {
        return Ok(empty(StatusCode::ACCEPTED));
    }
    // No other response begins with an event.
    let form = if request.is_call() { form } else { Form::Json };
    let mut out = Vec::new();
    let (now, later) = match form {
        Form::Json => {
            request.write_result(&mut out)?;
            (out, None)
        }
        Form::Events => {
            event(&mut out, |out| request.write_progress(out))?;
            event(&mut out, |out| request.write_result(out))?;
            (out, None)
        }
        Form::Stream => {
            let mut last = Vec::new();
            event(&mut out, |out| request.write_progress(out))?;
            event(&mut last, |out| request.write_result(out))?;
            (out, Some(last))
        }
    };
    let mut response = Response::new(Answer {
        now: Some(now.into()),
        later: later.map(Bytes::from),
        waited: false,
    });
    let headers = response.headers_mut();
    if matches!(form, Form::Json) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    } else {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    }
    Ok(response)
}

/// Returns an empty response.
fn empty(status: StatusCode) -> Response<Answer> {
    let mut response = Response::new(Answer {
        now: None,
        later: None,
        waited: false,
    });
    *response.status_mut() = status;
    response
}

fn event(
    out: &mut Vec<u8>,
    message: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
) -> serde_json::Result<()> {
    out.extend_from_slice(b"data: ");
    message(out)?;
    out.extend_from_slice(b"\n\n");
    Ok(())
}

/// A body of one piece, or of two with a delay between them.
struct Answer {
    now: Option<Bytes>,
    later: Option<Bytes>,
    waited: bool,
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(now) = self.now.take() {
            return Poll::Ready(Some(Ok(Frame::data(now))));
        }
        if self.later.is_some() && !std::mem::replace(&mut self.waited, true) {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        let later = self.later.take();
        Poll::Ready(later.map(|later| Ok(Frame::data(later))))
    }

    fn is_end_stream(&self) -> bool {
        self.now.is_none() && self.later.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match (&self.now, &self.later) {
            (Some(now), None) => SizeHint::with_exact(now.len() as u64),
            (None, None) => SizeHint::with_exact(0),
            _ => SizeHint::default(),
        }
    }
}
