//! TLS with a certificate for the test.

use std::net::SocketAddr;

use mcp_client::{Client, ConnectError, Http, Proxy};
use mcp_server::{HttpConfig, Server};
use rcgen::{BasicConstraints, CertificateParams, IsCa, date_time_ymd};

use crate::support::proxy::FakeProxy;
use mcp_testkit::certificate::certified;

fn server() -> Server {
    Server::builder("secure", "1.0.0")
        .tool("greet", "Greets", async || "hello")
        .build()
        .expect("the definition is valid")
}

/// Serves over TLS. Returns the certificate in PEM.
fn serve() -> (SocketAddr, String) {
    serve_with(|_| {})
}

/// The same, of a certificate with other parameters.
fn serve_with(change: impl FnOnce(&mut CertificateParams)) -> (SocketAddr, String) {
    let (tls, certificate) = certified(&["localhost", "secure.example"], change);
    let http = mcp_server::Http::at("127.0.0.1:0").tls(tls);
    (start(http), certificate)
}

fn start(http: mcp_server::Http) -> SocketAddr {
    let config = HttpConfig::new().any_host();
    let serving = server().serve_http(http.config(config));
    let serving = serving.expect("bound");
    let address = serving.local_addr();
    tokio::spawn(serving);
    address
}

async fn greets(server: Http) -> Result<(), ConnectError> {
    let client = Client::builder("test", "1").connect(server).await?;
    client.call_tool("greet").await.expect("a greeting");
    Ok(())
}

/// Marks a certificate as one of an authority, as `openssl req -x509` does.
fn of_authority(params: &mut CertificateParams) {
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
}

#[tokio::test]
async fn certificate_of_the_server_may_be_marked_as_one_of_an_authority() {
    let (address, certificate) = serve_with(of_authority);
    let url = format!("https://localhost:{}/mcp", address.port());
    let server = Http::new(&url).tls_roots(certificate.clone());
    greets(server).await.expect("connected");
    // Names and times count, and only the certificate that is trusted.
    let other = Http::new(format!("https://{address}/mcp")).tls_roots(certificate);
    let (_, unrelated) = serve_with(of_authority);
    let unrelated = Http::new(&url).tls_roots(unrelated);
    let (expired, certificate) = serve_with(|params| {
        of_authority(params);
        params.not_after = date_time_ymd(2001, 1, 1);
    });
    let url = format!("https://localhost:{}/mcp", expired.port());
    let expired = Http::new(url).tls_roots(certificate);
    for server in [other, unrelated, expired] {
        let text = format!("{server:?}");
        let error = greets(server).await.expect_err(&text).to_string();
        assert!(error.contains("certificate"), "{error}");
    }
}

#[tokio::test]
async fn certificates_of_this_machine_are_not_checked_on_demand() {
    let (address, _) = serve();
    for host in ["localhost", "127.0.0.1"] {
        let url = format!("https://{host}:{}/mcp", address.port());
        let server = Http::new(&url).insecure_loopback(true);
        greets(server).await.expect("connected");
        assert!(greets(Http::new(url)).await.is_err());
    }
    // The certificate of another host is checked, even if the connection leads to this machine.
    let proxy = FakeProxy::start(address).await;
    let other = Http::new("https://secure.example/mcp").proxy(Proxy::new(proxy.url()));
    let error = greets(other.insecure_loopback(true)).await;
    let error = error.expect_err("no valid certificate").to_string();
    assert!(error.contains("certificate"), "{error}");
}

#[tokio::test]
async fn proxy_tunnels_tls_and_forwards_plain_requests() {
    let (address, certificate) = serve();
    let proxy = FakeProxy::start(address).await;
    let server = Http::new("https://secure.example/mcp").tls_roots(certificate.clone());
    let server = server.proxy(Proxy::new(proxy.url()));
    greets(server).await.expect("connected");
    assert_eq!(proxy.asked(), ["CONNECT secure.example:443 HTTP/1.1"]);
    assert!(proxy.is_authorized());
    // This machine needs no proxy.
    let url = format!("https://localhost:{}/mcp", address.port());
    let server = Http::new(url).tls_roots(certificate);
    greets(server.proxy(Proxy::new(proxy.url())))
        .await
        .expect("connected");
    assert_eq!(proxy.asked().len(), 1);

    let proxy = FakeProxy::start(start(mcp_server::Http::at("127.0.0.1:0"))).await;
    let server = Http::new("http://plain.example/mcp").proxy(Proxy::new(proxy.url()));
    greets(server).await.expect("connected");
    assert_eq!(proxy.asked(), ["POST http://plain.example/mcp HTTP/1.1"]);
    assert!(proxy.is_authorized());
}

#[tokio::test]
async fn faults_of_the_proxy_are_named_without_its_password() {
    let gone = FakeProxy::start(([127, 0, 0, 1], 1).into()).await;
    for (proxy, expected) in [
        ("socks5://me:secret@127.0.0.1:1".to_owned(), "invalid proxy"),
        (
            "http://me:secret@127.0.0.1:1".to_owned(),
            "the proxy 127.0.0.1:1 failed",
        ),
        (gone.url(), "secure.example"),
    ] {
        let server = Http::new("https://secure.example/mcp").proxy(Proxy::new(&proxy));
        let error = greets(server).await.expect_err(&proxy);
        let text = format!("{error} {error:?}");
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
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
