//! URLs never appear in logs.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::{Layer, Registry};

use crate::client::*;
use crate::subject::*;

/// Collects the text of all events, at all levels.
#[derive(Clone, Default)]
struct CollectingSubscriber(Arc<Mutex<String>>);

impl Visit for CollectingSubscriber {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut text = self.0.lock().expect("no panic");
        text.push_str(&format!("{}={value:?} ", field.name()));
    }
}

impl<S: Subscriber> Layer<S> for CollectingSubscriber {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let target = attributes.metadata().target();
        self.0.lock().expect("no panic").push_str(target);
        attributes.record(&mut self.clone());
    }

    fn on_record(&self, _: &Id, values: &Record<'_>, _: Context<'_, S>) {
        values.record(&mut self.clone());
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        event.record(&mut self.clone());
    }
}

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
    // With a single subscriber, `tracing` caches the interest of the thread that first reaches an
    // event or span: a concurrent test without a subscriber would disable it for all.
    let _second = tracing::Dispatch::new(Registry::default());
    let everything = CollectingSubscriber::default();
    let layered = Registry::default().with(everything.clone());
    let _guard = tracing::subscriber::set_default(layered);
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

    let text = everything.0.lock().expect("no panic").clone();
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
