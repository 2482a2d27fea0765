//! TLS in the process: the issued URL is requested unchanged.

use std::net::SocketAddr;
use std::sync::Arc;

use http::Request;
use hyper_util::rt::{TokioExecutor, TokioIo};
use mcp_server::rustls::crypto::ring::default_provider;
use mcp_server::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use mcp_server::rustls::{ClientConfig, RootCertStore, ServerConfig};
use mcp_server::{Http, HttpUrls, Proposal, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::client::*;
use super::subject::*;

/// Serves over TLS with a certificate for the test.
fn serve_tls() -> (SocketAddr, Server, CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed(["files.example.com".to_owned()]).expect("made");
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let certificate = made.cert.der().clone();
    let tls = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key.into())
        .expect("key and certificate fit");
    let server = offers()
        .proposals([Proposal::HttpsUrl])
        .http_urls(HttpUrls::new(BASE).expect("a base"))
        .build()
        .expect("sound");
    let https = server.serve_http(Http::at("127.0.0.1:0").tls(Arc::new(tls)));
    let https = https.expect("bound");
    let address = https.local_addr();
    tokio::spawn(https);
    (address, server, certificate)
}

async fn connect(
    address: SocketAddr,
    certificate: CertificateDer<'static>,
    alpn: &[&str],
) -> TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let mut tls = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    let stream = soon(TcpStream::connect(address)).await.expect("connected");
    let name = ServerName::try_from("files.example.com").expect("a name");
    let shaken = TlsConnector::from(Arc::new(tls)).connect(name, stream);
    soon(shaken).await.expect("a handshake")
}

async fn list(address: SocketAddr, certificate: CertificateDer<'static>) -> Value {
    let stream = connect(address, certificate, &["http/1.1"]).await;
    let request = Request::post("/mcp")
        .header("Host", format!("localhost:{}", address.port()))
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "resources/list")
        .body(message("resources/list", json!({})).to_string());
    let reply = over(stream, request.expect("a request")).await;
    serde_json::from_slice(&reply.body).expect("JSON")
}

#[tokio::test]
async fn url_is_served_over_tls_with_http1_and_http2() {
    let (address, server, certificate) = serve_tls();
    let answer = list(address, certificate.clone()).await;
    let resource = find(&answer, "demo://logo");
    let url = resource["httpUrl"].as_str().expect("a URL").to_owned();
    assert!(url.starts_with(BASE), "{url}");

    let stream = connect(address, certificate.clone(), &[]).await;
    let path = url.parse::<http::Uri>().expect("a URL").path().to_owned();
    let request = Request::get(path).header("Host", "files.example.com");
    let reply = over(stream, request.body(String::new()).expect("a request")).await;
    assert_eq!((reply.status.as_u16(), &*reply.body), (200, &LOGO[..]));

    let stream = connect(address, certificate, &["h2", "http/1.1"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let shaken = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (mut sender, connection) = soon(shaken).await.expect("HTTP/2");
    let connection = tokio::spawn(connection);
    for (range, status, part) in [("", 200, &LOGO[..]), ("bytes=1-3", 206, &LOGO[1..4])] {
        let request = Request::get(&url).header("Range", range);
        let request = request.body(String::new()).expect("a request");
        let response = soon(sender.send_request(request)).await;
        let reply = Reply::read(response.expect("a response")).await;
        assert_eq!((reply.status.as_u16(), &*reply.body), (status, part));
    }
    // The connection ends with the server.
    server.shutdown();
    soon(connection).await.expect("no panic").expect("an end");
}

/// The clock advances when nothing else happens.
#[tokio::test(start_paused = true)]
async fn silent_tls_connection_is_closed() {
    let (address, _server, _) = serve_tls();
    let mut silent = TcpStream::connect(address).await.expect("connected");
    let mut read = Vec::new();
    let end = silent.read_to_end(&mut read);
    let end = tokio::time::timeout(std::time::Duration::from_secs(30), end).await;
    end.expect("an end").expect("read");
    assert_eq!(read, b"");
}

#[tokio::test]
async fn invalid_tls_handshake_is_rejected() {
    let (address, _server, certificate) = serve_tls();
    let mut plain = soon(TcpStream::connect(address)).await.expect("connected");
    let request = b"GET /r/x HTTP/1.1\r\nHost: localhost\r\n\r\n";
    soon(plain.write_all(request)).await.expect("written");
    let mut read = Vec::new();
    let _ = soon(plain.read_to_end(&mut read)).await;
    assert!(!read.starts_with(b"HTTP/"), "{read:?}");
    // Other clients are served meanwhile.
    let answer = list(address, certificate).await;
    find(&answer, "demo://motto");
}
