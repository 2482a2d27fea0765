//! Refused requests and connections are counted by their cause, for each cause that the metrics have.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mcp_server::{
    AuthRefusal, AuthRequest, Authenticate, Authenticated, Http, Limits, RefusalCause, Server,
};

use super::faulty_store::Faulty;
use super::legacy::{PING, initialize, start_session, tool};
use super::subject::*;

/// Causes that no client can bring about: the system would have to fail.
const OF_THE_SYSTEM: [RefusalCause; 1] = [RefusalCause::Internal];

type Headers = Vec<(&'static str, String)>;

/// Refuses all requests.
struct Nobody;

impl Authenticate for Nobody {
    async fn authenticate(&self, _: AuthRequest<'_>) -> Result<Authenticated, AuthRefusal> {
        Err(AuthRefusal::unauthorized("nobody may come in"))
    }
}

fn limited(change: impl FnOnce(&mut Limits)) -> (Server, Probe, SocketAddr) {
    let (server, probe) = server(limits(change));
    let address = serve(&server);
    (server, probe, address)
}

/// Sends a call that waits.
async fn occupy(address: SocketAddr, headers: &Headers, body: &str, probe: &mut Probe) -> Raw {
    let mut busy = Raw::connect(address).await;
    busy.request("POST", headers, body).await;
    soon(probe.waiting.recv()).await;
    busy
}

/// Sends a request that is refused.
async fn refused(address: SocketAddr, method: &str, headers: &Headers, body: &str) {
    let mut raw = Raw::connect(address).await;
    let (head, _) = raw.ask(method, headers, body).await;
    assert!(head.status >= 400, "{}", head.status);
}

/// Lets a server refuse one request or connection for a cause. Returns the server.
async fn provoke(cause: RefusalCause) -> Server {
    let echo = call_headers("echo");
    let call = call(2, "echo");
    match cause {
        RefusalCause::Host | RefusalCause::Origin => {
            let name = if cause == RefusalCause::Host {
                "Host"
            } else {
                "Origin"
            };
            let (server, _probe, address) = limited(|_| {});
            let headers = with_header(echo, name, "https://x.example.com");
            refused(address, "POST", &headers, &call).await;
            server
        }
        RefusalCause::Method => {
            let (server, _probe, address) = limited(|_| {});
            refused(address, "PUT", &echo, "").await;
            server
        }
        RefusalCause::MediaType => {
            let (server, _probe, address) = limited(|_| {});
            refused(address, "POST", &with_header(echo, "Accept", "a/b"), "").await;
            server
        }
        RefusalCause::BodyTooLarge => {
            let (server, _probe, address) = limited(|limits| limits.message_bytes = 1_000);
            refused(address, "POST", &echo, &" ".repeat(1_001)).await;
            server
        }
        RefusalCause::BodyTimeout => {
            let short = Duration::from_millis(50);
            let (server, _probe, address) = limited(|limits| limits.body_time = short);
            let mut raw = Raw::connect(address).await;
            let whole = raw.request_text("POST", &echo, &call);
            raw.write(&whole.as_bytes()[..whole.len() - 1]).await;
            assert_eq!(raw.head().await.status, 408);
            server
        }
        RefusalCause::Malformed => {
            let (server, _probe, address) = limited(|_| {});
            refused(address, "DELETE", &media(), "").await;
            server
        }
        RefusalCause::Requests | RefusalCause::PeerQuota => {
            let (server, mut probe, address) = limited(|limits| match cause {
                RefusalCause::Requests => limits.concurrent_requests = 1,
                _ => limits.requests_per_peer = 1,
            });
            let session = start_session(address, "2025-11-25").await;
            let _busy = occupy(address, &session, &tool(1, "wait"), &mut probe).await;
            refused(address, "POST", &echo, &call).await;
            server
        }
        RefusalCause::Sessions => {
            let (server, mut probe, address) = limited(|limits| limits.sessions = 1);
            let session = start_session(address, "2025-11-25").await;
            let _busy = occupy(address, &session, &tool(1, "wait"), &mut probe).await;
            refused(address, "POST", &media(), &initialize("2025-11-25")).await;
            server
        }
        RefusalCause::UnknownSession => {
            let (server, _probe, address) = limited(|_| {});
            let unknown = with_header(media(), "Mcp-Session-Id", "nobody");
            let unknown = with_header(unknown, "MCP-Protocol-Version", "2025-11-25");
            refused(address, "DELETE", &unknown, "").await;
            server
        }
        RefusalCause::Connections => {
            let (server, mut probe, address) = limited(|limits| limits.connections = 1);
            let waits = super::subject::call(1, "wait");
            let _busy = occupy(address, &call_headers("wait"), &waits, &mut probe).await;
            refused(address, "POST", &echo, &call).await;
            server
        }
        RefusalCause::ConnectionTimeout => {
            let short = Duration::from_millis(50);
            let (server, _probe, address) = limited(|limits| limits.header_time = short);
            assert!(Raw::connect(address).await.is_closed().await);
            server
        }
        RefusalCause::ShuttingDown => {
            let (server, mut probe, address) = limited(|_| {});
            let session = start_session(address, "2025-11-25").await;
            let _busy = occupy(address, &session, &tool(1, "wait"), &mut probe).await;
            server.shutdown();
            refused(address, "POST", &session, PING).await;
            server
        }
        RefusalCause::Store => {
            let store = Faulty::default();
            let (server, _probe) = server(|builder| builder.store(store.clone()));
            let address = serve(&server);
            store.values_fail.store(true, Ordering::Relaxed);
            refused(address, "POST", &media(), &initialize("2025-11-25")).await;
            server
        }
        RefusalCause::Unauthorized => {
            let (server, _probe) = server(|builder| builder);
            let http = server.serve_http(Http::at("127.0.0.1:0").authenticate(Nobody));
            let http = http.expect("bound");
            let address = http.local_addr();
            tokio::spawn(http);
            refused(address, "POST", &echo, &call).await;
            server
        }
        other => panic!("nothing is refused for {other}"),
    }
}

#[tokio::test]
async fn each_cause_of_a_refusal_is_counted() {
    let (unused, _probe) = server(|builder| builder);
    for (cause, _) in unused.metrics().refusals.iter() {
        if OF_THE_SYSTEM.contains(&cause) {
            continue;
        }
        let server = provoke(cause).await;
        let refusals = server.metrics().refusals;
        let counted = refusals.iter().filter(|(_, number)| *number > 0);
        assert_eq!(counted.collect::<Vec<_>>(), [(cause, 1)], "{cause}");
    }
}
