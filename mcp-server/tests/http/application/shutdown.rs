//! `Server::serve_router`: when the socket is closed, and what is waited for.

use std::future::pending;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use mcp_server::{HttpConfig, Memory, ServeError, Server};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::http::subject::*;

/// Longer than any test, so that waiting for it fails the test.
const NEVER: Duration = Duration::from_secs(3_600);

struct Application {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Result<(), ServeError>>,
}

/// Serves an application with a route of its own.
async fn start(server: &Server) -> Application {
    let config = HttpConfig::new().readiness_path("/readyz");
    let app = Router::new()
        .route("/own", get(async || "own"))
        .route("/never", get(pending::<&str>))
        .merge(server.clone().into_router("/mcp", config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = oneshot::channel::<()>();
    let server = server.clone();
    let serving = tokio::spawn(async move { server.serve_router(listener, app, stopped).await });
    Application {
        address,
        stop,
        serving,
    }
}

async fn ended(serving: JoinHandle<Result<(), ServeError>>) {
    soon(serving).await.expect("no panic").expect("no fault");
}

/// Starts a call of the tool `wait`, and waits until its handler runs.
async fn waiting_call(address: SocketAddr, probe: &mut Probe) -> Raw {
    let mut raw = Raw::connect(address).await;
    raw.request("POST", &call_headers("wait"), &call(1, "wait"))
        .await;
    soon(probe.waiting.recv()).await;
    raw
}

async fn answered(mut raw: Raw) {
    let head = raw.head().await;
    let body = raw.body(&head).await;
    assert!(body.contains("waited"), "{body}");
}

async fn get_path(address: SocketAddr, path: &str) -> u16 {
    let mut raw = Raw::connect(address).await.at(path);
    raw.ask("GET", &[], "").await.0.status
}

/// A load balancer that cannot connect goes on to the next process.
#[tokio::test]
async fn process_that_shares_a_store_closes_its_socket_at_once() {
    let (server, mut probe) = server(|builder| {
        let limited = limits(|limits| limits.grace_time = NEVER)(builder);
        limited.store(Memory::new())
    });
    let app = start(&server).await;
    assert_eq!(get_path(app.address, "/own").await, 200);
    let call = waiting_call(app.address, &mut probe).await;
    app.stop.send(()).expect("it waits");
    let refused = async {
        loop {
            match TcpStream::connect(app.address).await {
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => return,
                _ => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    soon(refused).await;
    probe.go.notify_one();
    answered(call).await;
    ended(app.serving).await;
}

/// The handler may wait for an answer that the client sends on a new connection.
#[tokio::test]
async fn single_process_accepts_connections_while_a_call_runs() {
    let (server, mut probe) = server(limits(|limits| limits.grace_time = NEVER));
    let app = start(&server).await;
    let call = waiting_call(app.address, &mut probe).await;
    app.stop.send(()).expect("it waits");
    let stopping = async { while get_path(app.address, "/readyz").await != 503 {} };
    soon(stopping).await;
    assert_eq!(get_path(app.address, "/own").await, 200);
    assert!(!app.serving.is_finished());
    probe.go.notify_one();
    answered(call).await;
    ended(app.serving).await;
}

#[tokio::test]
async fn shutdown_of_the_server_ends_the_application() {
    let (server, _probe) = server(limits(|limits| limits.grace_time = NEVER));
    let app = start(&server).await;
    // An idle connection.
    let mut raw = Raw::connect(app.address).await.at("/own");
    assert_eq!(raw.ask("GET", &[], "").await.0.status, 200);
    server.shutdown();
    ended(app.serving).await;
    assert!(raw.is_closed().await);
}

#[tokio::test]
async fn application_ends_after_the_grace_time_whatever_its_clients_do() {
    for store in [None, Some(Memory::new())] {
        let (server, _probe) = server(|builder| {
            let builder = limits(|limits| limits.grace_time = Duration::from_millis(50))(builder);
            match &store {
                Some(store) => builder.store(store.clone()),
                None => builder,
            }
        });
        let app = start(&server).await;
        let mut never = Raw::connect(app.address).await.at("/never");
        never.request("GET", &[], "").await;
        let mut slow = Raw::connect(app.address).await;
        slow.write(b"POST /mcp HT").await;
        app.stop.send(()).expect("it waits");
        ended(app.serving).await;
    }
}
