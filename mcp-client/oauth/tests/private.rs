//! Servers in private networks, whose authorization servers are there, too.

use std::future::ready;
use std::net::SocketAddr;
use std::sync::Arc;

use mcp_client::FetchPolicy;
use mcp_client_oauth::{Headless, OAuth};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::world::*;
use mcp_testkit::certificate::certified;

/// Serves a world with TLS. Returns the address, and the certificate.
async fn with_tls(world: &World, names: &[&str]) -> (SocketAddr, String) {
    let (config, certificate) = certified(names, |_| {});
    let acceptor = TlsAcceptor::from(config);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let (address, target) = (listener.local_addr().expect("an address"), world.address);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut stream = acceptor.accept(stream).await.ok()?;
                let mut world = TcpStream::connect(target).await.ok()?;
                copy_bidirectional(&mut stream, &mut world).await.ok()
            });
        }
    });
    (address, certificate)
}

/// A server at `mcp.example`, whose authorization server is `auth.example`.
async fn start() -> (Arc<World>, SocketAddr, FetchPolicy) {
    let world = World::start().await;
    let (address, certificate) = with_tls(&world, &["mcp.example", "auth.example"]).await;
    let own = world.origin();
    let port = address.port();
    world.script(move |asked, world| {
        let metadata = match asked.path.as_str() {
            "/.well-known/oauth-protected-resource/mcp" => world.resource_metadata(),
            "/.well-known/oauth-authorization-server" => world.server_metadata(),
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
    (world, address, policy)
}

#[tokio::test]
async fn server_that_proves_its_name_at_a_private_address_may_refer_to_others() {
    let (world, address, policy) = start().await;
    let agent = Headless::new(REDIRECT).policy(policy.clone());
    let oauth = OAuth::authorization_code(agent).policy(policy);
    let oauth = oauth.build().expect("valid");
    let server = format!("https://mcp.example:{}/mcp", address.port());
    oauth.login(&server).await.expect("logged in");
    assert_eq!(world.count("/token"), 1);
}
