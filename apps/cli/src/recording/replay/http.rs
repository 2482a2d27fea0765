//! Plays the server over Streamable HTTP.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body::{Body, Frame};
use http_body_util::{BodyExt, Either, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use mcp_client::types::rpc::{self, Message};
use mcp_client::types::sse::{Event, write_event};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, mpsc};

use super::player::{Out, Player};
use crate::failure::Failure;
use crate::output::print_message;
use crate::recording::http;

/// The number of messages that wait for a client.
const WAITING: usize = 256;

/// The number of messages that are answered at the same time.
const RUNNING: usize = 1000;

type Answer = Response<Either<Events, Full<Bytes>>>;

/// Answers requests until the future is dropped.
pub(crate) async fn serve(
    player: Arc<Player>,
    listen: SocketAddr,
    limit: usize,
) -> Result<(), Failure> {
    let (push, _) = broadcast::channel(WAITING);
    let server = Arc::new(Server {
        player,
        push,
        limit,
        places: Arc::new(Semaphore::new(RUNNING)),
    });
    let handler = move |request| {
        let server = Arc::clone(&server);
        async move { Ok::<_, Infallible>(server.answer(request).await) }
    };
    let (listener, address) = http::bind(listen).await?;
    print_message(&format!("replaying at http://{address}/mcp"));
    http::serve(listener, None, handler).await
}

struct Server {
    player: Arc<Player>,
    /// Messages that belong to no request, for the streams that clients have opened with `GET`.
    push: broadcast::Sender<Bytes>,
    limit: usize,
    places: Arc<Semaphore>,
}

impl Server {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        if let Some(reason) = http::rejected(request.headers()) {
            return text(StatusCode::FORBIDDEN, reason);
        }
        if request.method() == Method::GET {
            return self.listen();
        }
        if request.method() != Method::POST {
            return text(StatusCode::METHOD_NOT_ALLOWED, "expected POST or GET");
        }
        let body = Limited::new(request.into_body(), self.limit)
            .collect()
            .await;
        let Ok(body) = body.map(http_body_util::Collected::to_bytes) else {
            return text(StatusCode::PAYLOAD_TOO_LARGE, "the message cannot be read");
        };
        let expects_answer = !matches!(
            rpc::parse(&body),
            Ok(Message::Notification { .. } | Message::Result { .. } | Message::Error { .. })
        );
        let (events, stream) = mpsc::channel(WAITING);
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            let reason = "too many requests are open";
            return text(StatusCode::SERVICE_UNAVAILABLE, reason);
        };
        tokio::spawn(self.play(body, expects_answer.then_some(events), place));
        if expects_answer {
            return stream_of(stream);
        }
        text(StatusCode::ACCEPTED, "")
    }

    /// Plays what follows a message. What comes after the response goes to the other streams.
    async fn play(
        self: Arc<Self>,
        body: Bytes,
        mut events: Option<mpsc::Sender<Bytes>>,
        _place: OwnedSemaphorePermit,
    ) {
        let (sender, mut receiver) = mpsc::channel::<Out>(WAITING);
        let message = String::from_utf8_lossy(&body);
        let answered = async {
            self.player.answer(&message, &sender).await;
            drop(sender);
        };
        let passed = async {
            while let Some(out) = receiver.recv().await {
                let event = event(&out.text);
                let Some(stream) = &events else {
                    // There may be no such stream.
                    let _ = self.push.send(event);
                    continue;
                };
                if stream.send(event).await.is_err() || out.is_response {
                    events = None;
                }
            }
        };
        tokio::join!(answered, passed);
    }

    fn listen(&self) -> Answer {
        let mut pushed = self.push.subscribe();
        let (events, stream) = mpsc::channel(WAITING);
        tokio::spawn(async move {
            loop {
                let event = tokio::select! {
                    event = pushed.recv() => event,
                    () = events.closed() => return,
                };
                match event {
                    Ok(event) => {
                        if events.send(event).await.is_err() {
                            return;
                        }
                    }
                    // The client reads too slowly.
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return,
                }
            }
        });
        stream_of(stream)
    }
}

fn event(message: &str) -> Bytes {
    let mut event = Vec::new();
    let data = Event::data(message.as_bytes());
    // It fails for fields with line ends only, and there is no field.
    let written = write_event(&mut event, &data);
    debug_assert!(written.is_ok());
    event.into()
}

fn stream_of(stream: mpsc::Receiver<Bytes>) -> Answer {
    let mut response = Response::new(Either::Left(Events(stream)));
    let media_type = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}

fn text(status: StatusCode, text: &str) -> Answer {
    let mut response = Response::new(Either::Right(Full::new(Bytes::from(text.to_owned()))));
    *response.status_mut() = status;
    response
}

/// The events of a stream.
struct Events(mpsc::Receiver<Bytes>);

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(cx)
            .map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}
