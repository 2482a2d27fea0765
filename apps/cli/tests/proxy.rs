//! The proxy of the environment, and certificates.

use std::net::SocketAddr;

use mcp_server::{HttpConfig, Server};
use rcgen::{BasicConstraints, IsCa};

use crate::support::proxy::FakeProxy;
use mcp_testkit::certificate::certified;

/// Serves over TLS. Returns the certificate in PEM, which is marked as one of an authority, as
/// `openssl req -x509` does.
fn serve() -> (SocketAddr, String) {
    let (tls, certificate) = certified(&["localhost", "secure.example"], |params| {
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    });
    let server = Server::builder("secure", "1.0.0")
        .tool("greet", "Greets", async || "hello")
        .build()
        .expect("the definition is valid");
    let http = mcp_server::Http::at("127.0.0.1:0").tls(tls);
    let serving = server.serve_http(http.config(HttpConfig::new().any_host()));
    let serving = serving.expect("bound");
    let address = serving.local_addr();
    tokio::spawn(serving);
    (address, certificate)
}

#[tokio::test]
async fn program_uses_the_proxy_of_the_environment() {
    let (address, certificate) = serve();
    let proxy = FakeProxy::start(address).await;
    let file = std::env::temp_dir().join(format!("mcp-proxy-{}.pem", std::process::id()));
    std::fs::write(&file, certificate).expect("written");
    let run = |proxy: String, words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mcp"));
        command
            .args(words)
            .args(["--timeout", "20"])
            .env("https_proxy", proxy);
        async {
            let output = tokio::task::spawn_blocking(move || command.output());
            let output = output.await.expect("no panic").expect("it runs");
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            (output.status.code(), text)
        }
    };
    let trusted = [
        "tools",
        "--cacert",
        file.to_str().expect("text"),
        "https://secure.example/mcp",
    ];
    let (code, text) = run(proxy.url(), &trusted).await;
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(proxy.asked(), ["CONNECT secure.example:443 HTTP/1.1"]);
    let (code, text) = run("socks5://127.0.0.1:1".to_owned(), &trusted).await;
    assert_eq!(
        (code, text.contains("invalid proxy")),
        (Some(3), true),
        "{text}"
    );
    let local = format!("https://localhost:{}/mcp", address.port());
    let (code, text) = run(String::new(), &["tools", "--insecure", &local]).await;
    assert_eq!(code, Some(0), "{text}");
    let remote = ["tools", "--insecure", "https://secure.example/mcp"];
    let (code, text) = run(String::new(), &remote).await;
    assert_eq!(
        (code, text.contains("`--insecure`")),
        (Some(2), true),
        "{text}"
    );
    std::fs::remove_file(file).expect("removed");
}
