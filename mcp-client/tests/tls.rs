//! TLS with a certificate made for the test.

use std::net::SocketAddr;
use std::sync::Arc;

use mcp_client::{Client, Http};
use mcp_server::{Context, Server};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// Serves over TLS; gives the certificate in PEM.
async fn serve() -> (SocketAddr, String) {
    let server = Server::builder("secure", "1.0.0")
        .tool("greet", "Greets", |(), _: Context| async { Ok("hello") })
        .build()
        .expect("the definition is valid");
    let plain = server.serve_http("127.0.0.1:0").expect("bound");
    let behind = plain.local_addr();
    tokio::spawn(plain);

    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .expect("key and certificate fit");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                // Who does not trust the certificate goes away here.
                let Ok(mut ours) = acceptor.accept(socket).await else {
                    return;
                };
                let mut theirs = TcpStream::connect(behind).await.expect("connected");
                let _ = tokio::io::copy_bidirectional(&mut ours, &mut theirs).await;
            });
        }
    });
    (address, made.cert.pem())
}

#[tokio::test]
async fn a_certificate_is_trusted_when_the_program_says_so() {
    let (address, certificate) = serve().await;
    let url = format!("https://localhost:{}/mcp", address.port());
    let server = Http::new(&url).tls_roots(certificate.clone());
    let client = Client::builder("test", "1")
        .connect(server)
        .await
        .expect("connected");
    client.call_tool("greet").await.expect("a greeting");

    let error = Client::builder("test", "1").connect(Http::new(&url)).await;
    let error = error.expect_err("nobody knows the certificate").to_string();
    assert!(error.contains("certificate"), "{error}");

    // Trusted, but for another name.
    let other = Http::new(format!("https://{address}/mcp")).tls_roots(certificate);
    let error = Client::builder("test", "1").connect(other).await;
    let error = error.expect_err("another name").to_string();
    assert!(error.contains("certificate"), "{error}");
}

#[tokio::test]
async fn what_is_no_certificate_is_refused() {
    let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let server = Http::new("https://localhost/mcp").tls_roots(pem);
    let error = Client::builder("test", "1").connect(server).await;
    let error = error.expect_err("no certificate").to_string();
    assert!(error.contains("cannot be read"), "{error}");
    let server = Http::new("https://localhost/mcp").tls_roots("nothing");
    let error = Client::builder("test", "1").connect(server).await;
    let error = error.expect_err("no certificate").to_string();
    assert!(error.contains("cannot be read"), "{error}");
}
