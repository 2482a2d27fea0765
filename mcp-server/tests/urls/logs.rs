//! URLs never appear in logs.

use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

use crate::support::log::Log;

use super::client::*;
use super::subject::*;

async fn over_http2(address: std::net::SocketAddr, path: &str) -> u16 {
    let stream = soon(TcpStream::connect(address)).await.expect("connected");
    let shaken = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (mut sender, connection) = soon(shaken).await.expect("HTTP/2");
    let connection = tokio::spawn(connection);
    let request = http::Request::get(format!("http://files.example.com{path}"));
    let request = request.body(String::new()).expect("a request");
    let response = soon(sender.send_request(request)).await;
    let reply = Reply::read(response.expect("a response")).await;
    connection.abort();
    reply.status.as_u16()
}

#[tokio::test]
async fn no_token_is_logged_at_any_level() {
    let log = Log::begin();
    let (address, server, clock) = served(|builder| {
        builder.resource("demo://broken", "broken", async || {
            Err::<String, _>(std::io::Error::other("as asked"))
        })
    });
    let path = path_of(address, "demo://motto").await;
    let broken = path_of(address, "demo://broken").await;
    let forged = format!("{}A", &path[..path.len() - 1]);
    let mut seen = Vec::new();
    for path in [&path, &broken, &forged] {
        seen.push(get(address, path, &[]).await.status.as_u16());
        seen.push(over_http2(address, path).await);
    }
    let reply = send(address, "POST", &path, &[], String::new()).await;
    seen.push(reply.status.as_u16());
    clock.set(NOON + 3_600_000);
    seen.push(get(address, &path, &[]).await.status.as_u16());
    server.shutdown();
    assert_eq!(seen, [200, 200, 500, 500, 403, 403, 405, 410]);

    let text = format!("{:?}", log.texts());
    for said in ["demo://motto", "as asked", "h2::", "status"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    for path in [&path, &broken, &forged] {
        let token = path.strip_prefix("/r/").expect("below the base");
        // No part of it that is long enough to be recognised appears either.
        let (_, end) = token.split_at(token.len() - 20);
        assert!(!text.contains(end), "{text}");
        assert!(!text.contains(&token[..20]), "{text}");
    }
}
