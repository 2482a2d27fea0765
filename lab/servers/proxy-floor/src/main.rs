//! The lower bound of a gateway's cost: `proxy-floor URL` parses each message, writes it again for
//! the server at the URL, and does the same with the response. It knows nothing of the protocol but
//! which headers belong to it. It prints its address in the first line of its output.

use std::error::Error;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use tokio::net::TcpListener;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let url = std::env::args().nth(1).ok_or("usage: proxy-floor URL")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(url.parse()?))
}

async fn serve(url: Uri) -> Result<(), Failure> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client = Client::builder(TokioExecutor::new()).build(connector);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let (client, url) = (client.clone(), url.clone());
        tokio::spawn(async move {
            let service = service_fn(|request| forward(request, &client, &url));
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                eprintln!("{error}");
            }
        });
    }
}

async fn forward(
    request: Request<Incoming>,
    client: &Client<HttpConnector, Full<Bytes>>,
    url: &Uri,
) -> Result<Response<Full<Bytes>>, Failure> {
    let (parts, body) = request.into_parts();
    let mut forwarded = Request::new(message(body).await?);
    *forwarded.method_mut() = parts.method;
    *forwarded.uri_mut() = url.clone();
    copy_headers(&parts.headers, forwarded.headers_mut());
    let (parts, body) = client.request(forwarded).await?.into_parts();
    let mut response = Response::new(message(body).await?);
    *response.status_mut() = parts.status;
    copy_headers(&parts.headers, response.headers_mut());
    Ok(response)
}

/// Parses a message, if there is one, and writes it again.
async fn message(body: Incoming) -> Result<Full<Bytes>, Failure> {
    let text = body.collect().await?.to_bytes();
    if text.is_empty() {
        return Ok(Full::default());
    }
    let message: Value = serde_json::from_slice(&text)?;
    Ok(Full::new(serde_json::to_vec(&message)?.into()))
}

/// Copies the headers of the protocol.
fn copy_headers(from: &HeaderMap, to: &mut HeaderMap) {
    for (name, value) in from {
        if name == ACCEPT || name == CONTENT_TYPE || name.as_str().starts_with("mcp-") {
            to.insert(name, value.clone());
        }
    }
}
