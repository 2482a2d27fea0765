//! [`Store`]: an object store, as far as the example `object-store` uses it.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{
    CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH, RANGE,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use mcp_testkit::certificate::certified;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

type Objects = Vec<(String, String)>;

/// A store with one bucket, over HTTP for the server and over HTTPS for clients. It accepts every
/// signature.
pub(crate) struct Store {
    plain: u16,
    secure: u16,
    certificate: String,
    was_read: Arc<AtomicBool>,
    _runtime: Runtime,
}

impl Store {
    pub(crate) fn start(objects: &[(&str, &str)]) -> Self {
        let objects = objects
            .iter()
            .map(|(key, object)| ((*key).to_owned(), (*object).to_owned()));
        let objects: Arc<Objects> = Arc::new(objects.collect());
        let runtime = Runtime::new().expect("a runtime");
        let bind = || {
            runtime
                .block_on(TcpListener::bind("127.0.0.1:0"))
                .expect("bound")
        };
        let (plain, secure) = (bind(), bind());
        let port = |listener: &TcpListener| listener.local_addr().expect("an address").port();
        let (config, certificate) = certified(&["localhost"], |_| {});
        let was_read = Arc::new(AtomicBool::new(false));
        let store = Self {
            plain: port(&plain),
            secure: port(&secure),
            certificate,
            was_read: Arc::clone(&was_read),
            _runtime: runtime,
        };
        let unread = Arc::new(AtomicBool::new(false));
        store
            ._runtime
            .spawn(serve(plain, None, Arc::clone(&objects), unread));
        store._runtime.spawn(serve(
            secure,
            Some(TlsAcceptor::from(config)),
            objects,
            was_read,
        ));
        store
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/bucket", self.plain)
    }

    pub(crate) fn public_url(&self) -> String {
        format!("https://localhost:{}/bucket/", self.secure)
    }

    pub(crate) fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Returns whether a client has requested an object by its URL.
    pub(crate) fn was_read(&self) -> bool {
        self.was_read.load(Ordering::SeqCst)
    }
}

async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    objects: Arc<Objects>,
    was_read: Arc<AtomicBool>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        let (tls, objects, was_read) = (tls.clone(), Arc::clone(&objects), Arc::clone(&was_read));
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                was_read.store(true, Ordering::SeqCst);
                let answer = answer(&objects, &request);
                async move { Ok::<_, Infallible>(answer) }
            });
            let http = http1::Builder::new();
            // The client has gone, which is no fault.
            let _ = match tls {
                None => http.serve_connection(TokioIo::new(stream), service).await,
                Some(tls) => match tls.accept(stream).await {
                    Ok(stream) => http.serve_connection(TokioIo::new(stream), service).await,
                    Err(_) => return,
                },
            };
        });
    }
}

fn answer(objects: &Objects, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let header = |name| {
        request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    let parameters = request.uri().query().unwrap_or_default();
    let parameters = form_urlencoded::parse(parameters.as_bytes());
    let parameter = |name: &str| {
        let mut found = parameters.clone().filter(|(of, _)| of == name);
        found.next().map(|(_, value)| value.into_owned())
    };
    let response = Response::builder();
    let empty = |status: u16, tag: &str| {
        let response = Response::builder().status(status).header(ETAG, tag);
        response.body(Full::default()).expect("valid")
    };
    let key = request
        .uri()
        .path()
        .strip_prefix("/bucket/")
        .unwrap_or_default();
    let key = format!("k={}", key.replace('+', "%2B"));
    let key = form_urlencoded::parse(key.as_bytes())
        .next()
        .expect("a value")
        .1;
    if key.is_empty() {
        let after = parameter("start-after").unwrap_or_default();
        let mut list = String::new();
        for (key, object) in objects.iter().filter(|(key, _)| **key > *after) {
            let encoded: String = form_urlencoded::byte_serialize(key.as_bytes()).collect();
            let (tag, size) = (object.len(), object.len());
            let _ = write!(
                list,
                "<Contents><Key>{encoded}</Key><ETag>&quot;{tag}&quot;</ETag><Size>{size}</Size></Contents>"
            );
        }
        return response.body(list.into()).expect("valid");
    }
    // A signature that is not the issued one.
    let signature = parameter("X-Amz-Signature").unwrap_or_default();
    let is_signature = signature.len() == 64 && signature.bytes().all(|it| it.is_ascii_hexdigit());
    if !is_signature || signature.contains(|it: char| it.is_ascii_uppercase()) {
        return response.status(403).body(Full::default()).expect("valid");
    }
    let Some((_, object)) = objects.iter().find(|(of, _)| *of == key) else {
        return response.status(404).body(Full::default()).expect("valid");
    };
    let tag = format!("\"{}\"", object.len());
    if header(IF_MATCH).is_some_and(|wanted| wanted != tag) {
        return empty(412, &tag);
    }
    if header(IF_NONE_MATCH) == Some(&tag) {
        return empty(304, &tag);
    }
    let size = object.len();
    let (status, range) = match header(RANGE).and_then(|range| range.strip_prefix("bytes=")) {
        None => (200, 0..size),
        Some(range) => {
            let (first, last) = range.split_once('-').unwrap_or_default();
            let first = first.parse().unwrap_or(size);
            let end = last
                .parse::<usize>()
                .map_or(size, |last| last + 1)
                .min(size);
            if first >= end {
                return empty(416, &tag);
            }
            (206, first..end)
        }
    };
    let mut response = response.status(status).header(ETAG, &tag);
    if status == 206 {
        let range = format!("bytes {}-{}/{size}", range.start, range.end - 1);
        response = response.header(CONTENT_RANGE, range);
    }
    let part = Bytes::copy_from_slice(&object.as_bytes()[range]);
    response = response.header(CONTENT_LENGTH, part.len());
    let media_type = parameter("response-content-type").unwrap_or_default();
    response = response.header(CONTENT_TYPE, media_type);
    let body = if request.method() == Method::HEAD {
        Bytes::new()
    } else {
        part
    };
    response.body(Full::new(body)).expect("valid")
}
