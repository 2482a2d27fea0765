//! TLS with a certificate for the test.

#[path = "subject/certificate.rs"]
mod certificate;

use std::net::SocketAddr;

use mcp_client::{Client, Http};
use mcp_server::Server;

use certificate::certified;

/// Serves over TLS. Returns the certificate in PEM.
fn serve() -> (SocketAddr, String) {
    let server = Server::builder("secure", "1.0.0")
        .tool("greet", "Greets", async || "hello")
        .build()
        .expect("the definition is valid");
    let (tls, certificate) = certified(&["localhost"]);
    let serving = server
        .serve_http(mcp_server::Http::at("127.0.0.1:0").tls(tls))
        .expect("bound");
    let address = serving.local_addr();
    tokio::spawn(serving);
    (address, certificate)
}

#[tokio::test]
async fn configured_root_certificate_is_trusted() {
    let (address, certificate) = serve();
    let url = format!("https://localhost:{}/mcp", address.port());
    let server = Http::new(&url).tls_roots(certificate.clone());
    let client = Client::builder("test", "1")
        .connect(server)
        .await
        .expect("connected");
    client.call_tool("greet").await.expect("a greeting");

    let error = Client::builder("test", "1").connect(Http::new(&url)).await;
    let error = error.expect_err("the certificate is unknown").to_string();
    assert!(error.contains("certificate"), "{error}");

    // Trusted, but for another name.
    let other = Http::new(format!("https://{address}/mcp")).tls_roots(certificate);
    let error = Client::builder("test", "1").connect(other).await;
    let error = error.expect_err("another name").to_string();
    assert!(error.contains("certificate"), "{error}");
}

#[tokio::test]
async fn invalid_root_certificate_is_rejected() {
    let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let server = Http::new("https://localhost/mcp").tls_roots(pem);
    let error = Client::builder("test", "1").connect(server).await;
    let error = error.expect_err("no certificate").to_string();
    assert!(
        error.contains("cannot read a trusted certificate"),
        "{error}"
    );
    let server = Http::new("https://localhost/mcp").tls_roots("nothing");
    let error = Client::builder("test", "1").connect(server).await;
    let error = error.expect_err("no certificate").to_string();
    assert!(
        error.contains("cannot read a trusted certificate"),
        "{error}"
    );
}
