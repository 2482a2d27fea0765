//! Servers in private networks, whose authorization servers are there, too.

use std::future::ready;
use std::net::SocketAddr;
use std::sync::Arc;

use mcp_client::FetchPolicy;
use mcp_client_oauth::{Headless, OAuth};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::auth_servers::*;
use mcp_testkit::certificate::certified;

/// Serves a servers with TLS. Returns the address, and the certificate.
async fn with_tls(servers: &AuthServers, names: &[&str]) -> (SocketAddr, String) {
    let (config, certificate) = certified(names, |_| {});
    let acceptor = TlsAcceptor::from(config);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let (address, target) = (listener.local_addr().expect("an address"), servers.address);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut stream = acceptor.accept(stream).await.ok()?;
                let mut servers = TcpStream::connect(target).await.ok()?;
                copy_bidirectional(&mut stream, &mut servers).await.ok()
            });
        }
    });
    (address, certificate)
}

/// A server at `mcp.example`, whose authorization server is `auth.example`.
async fn start() -> (Arc<AuthServers>, SocketAddr, FetchPolicy) {
    let servers = AuthServers::start().await;
    let (address, certificate) = with_tls(&servers, &["mcp.example", "auth.example"]).await;
    let own = servers.origin();
    let port = address.port();
    servers.script(move |asked, servers| {
        let metadata = match asked.path.as_str() {
            "/.well-known/oauth-protected-resource/mcp" => servers.resource_metadata(),
            "/.well-known/oauth-authorization-server" => servers.server_metadata(),
            "/authorize" => {
                let state = &asked.query["state"];
                let iss = encode(&format!("https://auth.example:{port}"));
                return Some(redirect_with(&format!("code=c&state={state}&iss={iss}")));
            }
            _ => return None,
        };
        let text = metadata.to_string();
        let text = text.replace(
            &format!("{own}/mcp"),
            &format!("https://mcp.example:{port}/mcp"),
        );
        let text = text.replace(&own, &format!("https://auth.example:{port}"));
        Some(answer(200, text))
    });
    let policy = FetchPolicy::new()
        .tls_roots(certificate)
        .resolver(move |_, _| ready(Ok(vec![address])));
    (servers, address, policy)
}

#[tokio::test]
async fn server_that_proves_its_name_at_a_private_address_may_refer_to_others() {
    let (servers, address, policy) = start().await;
    let agent = Headless::new(REDIRECT).policy(policy.clone());
    let oauth = OAuth::authorization_code(agent).policy(policy);
    let oauth = oauth.build().expect("valid");
    let server = format!("https://mcp.example:{}/mcp", address.port());
    oauth.login(&server).await.expect("logged in");
    assert_eq!(servers.count("/token"), 1);
}
