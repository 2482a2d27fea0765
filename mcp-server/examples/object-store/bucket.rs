//! A bucket of an S3-compatible store, over HTTP.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use mcp_server::{HandlerError, PresignedUrl};
use percent_encoding::{percent_decode_str, utf8_percent_encode};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};

use super::signature::{Credentials, PATH};

/// How long clients can use a URL.
const LIFETIME: Duration = Duration::from_secs(900);
/// How long a request of this program is valid.
const OWN: Duration = Duration::from_secs(60);
/// The maximum size of a list. The store returns at most 1,000 objects.
const LIST: u64 = 4 << 20;

/// What the store knows of an object without its bytes, in lists and by HEAD.
pub(crate) struct Object {
    pub(crate) key: String,
    pub(crate) etag: String,
    pub(crate) size: i64,
}

#[derive(Clone)]
pub(crate) struct Bucket {
    /// The URL for this program. It contains the bucket, in the host or in the path.
    url: String,
    /// The URL for clients.
    public: String,
    credentials: Credentials,
    client: Client<HttpsConnector<HttpConnector>, String>,
}

impl Bucket {
    pub(crate) fn new(
        url: &str,
        public: &str,
        credentials: Credentials,
    ) -> Result<Self, rustls::Error> {
        let mut roots = rustls::RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = HttpsConnectorBuilder::new().with_tls_config(config);
        let connector = connector.https_or_http().enable_http1().build();
        Ok(Self {
            url: url.trim_end_matches('/').to_owned(),
            public: public.trim_end_matches('/').to_owned(),
            credentials,
            client: Client::builder(TokioExecutor::new()).build(connector),
        })
    }

    /// Returns a URL at which the store serves an object.
    pub(crate) fn presign(
        &self,
        key: &str,
        media_type: Option<&str>,
    ) -> Result<PresignedUrl, HandlerError> {
        let (url, now) = (object_url(&self.public, key), SystemTime::now());
        // Otherwise it would be the type that the object was stored with.
        let query = media_type.map(|media_type| ("response-content-type", media_type));
        let query: Vec<_> = query.into_iter().collect();
        let url = self.credentials.presign("GET", &url, &query, now, LIFETIME);
        Ok(PresignedUrl::new(url, now + LIFETIME)?)
    }

    /// Returns `None` if there is no such object.
    pub(crate) async fn head(&self, key: String) -> Result<Option<Object>, HandlerError> {
        let Some(response) = self.send(Method::HEAD, &key, &[]).await? else {
            return Ok(None);
        };
        let header = |name| response.headers().get(name)?.to_str().ok();
        let object = |etag: &str, size: &str| Object::parse(key, etag, size);
        let found = header("etag").zip(header("content-length"));
        let found = found.and_then(|(etag, size)| object(etag, size));
        found.map(Some).ok_or_else(unexpected)
    }

    /// Returns the bytes of an object.
    pub(crate) async fn get(
        &self,
        key: &str,
    ) -> Result<Option<impl AsyncRead + Send + 'static>, HandlerError> {
        let response = self.send(Method::GET, key, &[]).await?;
        Ok(response.map(reader))
    }

    /// Returns up to `limit` objects after a key, in the order of their keys.
    pub(crate) async fn list(&self, after: &str, limit: i64) -> Result<Vec<Object>, HandlerError> {
        let limit = limit.clamp(1, 1_000).to_string();
        let query = [
            // Keys are percent-encoded, so no XML has to be unescaped.
            ("encoding-type", "url"),
            ("list-type", "2"),
            ("max-keys", &limit),
            ("start-after", after),
        ];
        let response = self.send(Method::GET, "", &query).await?;
        let mut xml = String::new();
        let body = reader(response.ok_or_else(unexpected)?);
        body.take(LIST).read_to_string(&mut xml).await?;
        let objects = xml.split("<Contents>").skip(1).map(Object::listed);
        objects.collect::<Option<_>>().ok_or_else(unexpected)
    }

    async fn send(
        &self,
        method: Method,
        key: &str,
        query: &[(&str, &str)],
    ) -> Result<Option<Response<Incoming>>, HandlerError> {
        let (url, now) = (object_url(&self.url, key), SystemTime::now());
        let name = method.as_str();
        let url = self.credentials.presign(name, &url, query, now, OWN);
        let request = Request::builder().method(method).uri(url);
        let response = self.client.request(request.body(String::new())?).await?;
        match response.status() {
            StatusCode::OK => Ok(Some(response)),
            StatusCode::NOT_FOUND => Ok(None),
            status => Err(HandlerError::internal(format!("the store says {status}"))),
        }
    }
}

impl Object {
    fn parse(key: String, etag: &str, size: &str) -> Option<Self> {
        Some(Self {
            key,
            etag: etag.trim_matches('"').to_owned(),
            size: size.parse().ok()?,
        })
    }

    /// Parses an element of a list.
    fn listed(xml: &str) -> Option<Self> {
        let text = |name: &str| {
            let (_, text) = xml.split_once(&format!("<{name}>"))?;
            Some(text.split_once('<')?.0)
        };
        let key = text("Key")?.replace('+', " ");
        let key = percent_decode_str(&key).decode_utf8().ok()?.into_owned();
        Self::parse(key, &text("ETag")?.replace("&quot;", ""), text("Size")?)
    }
}

fn object_url(bucket: &str, key: &str) -> String {
    format!("{bucket}/{}", utf8_percent_encode(key, PATH))
}

fn unexpected() -> HandlerError {
    HandlerError::internal("unexpected response of the store")
}

fn reader(response: Response<Incoming>) -> BodyReader {
    BodyReader {
        body: response.into_body(),
        rest: Bytes::new(),
    }
}

struct BodyReader {
    body: Incoming,
    rest: Bytes,
}

impl AsyncRead for BodyReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(task)) {
                Some(frame) => {
                    let frame = frame.map_err(io::Error::other)?;
                    self.rest = frame.into_data().unwrap_or_default();
                }
                None => return Poll::Ready(Ok(())),
            }
        }
        let size = buffer.remaining().min(self.rest.len());
        buffer.put_slice(&self.rest.split_to(size));
        Poll::Ready(Ok(()))
    }
}
