//! [`Web`]: what the server answers over HTTP: the protocol, the URLs of resources, and traps.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::{
    AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, LOCATION, PROXY_AUTHORIZATION, SET_COOKIE,
};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::service::TowerToHyperService;
use mcp_server::{HttpConfig, HttpService, Server, UrlService};

use super::content::{LINKED_TEXT, Place};
use super::faults::{Change, Fault};
use super::observed::Statement;
use super::observer::Observer;

type Answer = Response<UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>>;

/// How much of contents without an end a client may read, in bytes.
const ENDLESS: u64 = 256 << 20;

/// How much of an icon without an end a client may read, in bytes.
const ENDLESS_ICON: u64 = 16 << 20;

/// The services, and the fault of the URLs.
pub(super) struct Web {
    endpoint: TowerToHyperService<HttpService>,
    urls: Option<TowerToHyperService<UrlService>>,
    place: Place,
    fault: Option<&'static Fault>,
    observer: Arc<Observer>,
}

impl Web {
    pub(super) fn new(
        server: &Server,
        place: Place,
        fault: Option<&'static Fault>,
        observer: Arc<Observer>,
    ) -> Self {
        Self {
            endpoint: TowerToHyperService::new(server.clone().into_service(HttpConfig::new())),
            urls: server.resource_urls().map(TowerToHyperService::new),
            place,
            fault,
            observer,
        }
    }

    pub(super) async fn answer(&self, request: Request<Incoming>) -> Answer {
        use hyper::service::Service as _;
        let path = request.uri().path().to_owned();
        if path == "/mcp" {
            let Ok(response) = self.endpoint.call(request).await;
            return response.map(boxed);
        }
        self.observe(&request, &path);
        let (parts, body) = request.into_parts();
        if let Some(name) = path.strip_prefix("/trap/") {
            let mut response = self.trap(name, &parts);
            // Clients must not send it to other URLs.
            let cookie = http::HeaderValue::from_static("mock=1; Path=/; Secure");
            response.headers_mut().insert(SET_COOKIE, cookie);
            return response;
        }
        let Some(urls) = self.urls.as_ref().filter(|_| path.starts_with("/r/")) else {
            return plain(StatusCode::NOT_FOUND, "not found\n");
        };
        let Ok(response) = urls.call(Request::from_parts(parts.clone(), body)).await;
        let response = response.map(boxed);
        if response.status() == StatusCode::GONE {
            self.observer.violation(Statement::Expired, &path);
        }
        let Some(Change::Url(change)) = self.fault.map(|fault| &fault.change) else {
            return response;
        };
        let (head, body) = response.into_parts();
        // The resources of this server are small.
        let body = body
            .collect()
            .await
            .map(http_body_util::Collected::to_bytes);
        let mut response = Response::from_parts(head, body.unwrap_or_default().to_vec());
        change(&parts, &mut response, self.place);
        let unsized_body = !response
            .headers()
            .contains_key(http::header::CONTENT_LENGTH);
        response.map(|bytes| {
            let body = Bytes::from(bytes);
            if unsized_body {
                return boxed(Unsized(Some(body)));
            }
            boxed(Full::new(body))
        })
    }

    /// Notes a request, and credentials in it.
    fn observe(&self, request: &Request<Incoming>, path: &str) {
        let names = || request.headers().keys();
        let shown: Vec<&str> = names().map(http::HeaderName::as_str).collect();
        self.observer.fetch(request.method().as_str(), path, &shown);
        for name in names() {
            let is_credential = [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION].contains(name);
            if is_credential || name.as_str().starts_with("mcp-") {
                self.observer
                    .violation(Statement::Credentials, &format!("the header `{name}`"));
            }
        }
    }

    fn trap(&self, name: &str, parts: &Parts) -> Answer {
        let endless = |limit, statement, media_type| {
            let body = Endless {
                left: limit,
                over: Some((Arc::clone(&self.observer), statement)),
            };
            let mut response = Response::new(boxed(body));
            let value = http::HeaderValue::from_static(media_type);
            response.headers_mut().insert(CONTENT_TYPE, value);
            response
        };
        let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok());
        match name {
            "expired" => {
                self.observer
                    .violation(Statement::Expired, "it expired an hour ago");
                plain(StatusCode::GONE, "the URL has expired\n")
            }
            "broken" => plain(StatusCode::SERVICE_UNAVAILABLE, "try again later\n"),
            "endless" => endless(ENDLESS, Statement::Endless, "text/plain"),
            "endless-icon.png" => endless(ENDLESS_ICON, Statement::IconSize, "image/png"),
            "redirected" => {
                let mut response = plain(StatusCode::FOUND, "");
                let port = self.place.https.unwrap_or_default();
                let location = format!("https://127.0.0.1:{port}/trap/elsewhere");
                if let Ok(location) = location.try_into() {
                    response.headers_mut().insert(LOCATION, location);
                }
                response
            }
            "icon.png" if host.is_some_and(|host| host.starts_with("127.0.0.1")) => {
                self.observer
                    .violation(Statement::IconOrigin, "an icon at https://127.0.0.1");
                plain(StatusCode::NOT_FOUND, "not found\n")
            }
            "elsewhere" => plain(StatusCode::OK, LINKED_TEXT),
            _ => plain(StatusCode::NOT_FOUND, "not found\n"),
        }
    }
}

fn plain(status: StatusCode, text: &'static str) -> Answer {
    let mut response = Response::new(boxed(Full::from(text)));
    *response.status_mut() = status;
    response
}

fn boxed<B>(body: B) -> UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    body.map_err(Into::into).boxed_unsync()
}

/// A body whose size is not announced.
struct Unsized(Option<Bytes>);

impl Body for Unsized {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// A body of which a client should not read everything.
struct Endless {
    left: u64,
    /// Gets the violation if the client reads everything.
    over: Option<(Arc<Observer>, Statement)>,
}

impl Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        const PART: &[u8] = &[b'x'; 64 << 10];
        if self.left == 0 {
            if let Some((observer, statement)) = self.over.take() {
                observer.violation(statement, "it read everything");
            }
            return Poll::Ready(None);
        }
        self.left = self.left.saturating_sub(PART.len() as u64);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(PART)))))
    }
}
