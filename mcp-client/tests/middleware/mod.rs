//! Middleware and extensions of clients.

mod extensions;
mod headers;
mod notifications;
mod questions;
mod requests;

use std::sync::{Arc, Mutex};

use mcp_client::middleware::{Middleware, Next, Notification, Outcome, Request};
use mcp_client::{Client, ClientBuilder, ConnectError, Http};
use mcp_server::{HttpConfig, Server};

use crate::support::{serve, soon};

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0")
}

/// A transport on which all features are tested.
#[derive(Clone, Copy, Debug)]
enum Way {
    Stream,
    Http,
}

impl Way {
    const ALL: [Self; 2] = [Self::Stream, Self::Http];

    async fn connect(self, server: &Server, builder: ClientBuilder) -> Client {
        let connected = self.try_connect(server, builder).await;
        connected.expect("the server answers")
    }

    async fn try_connect(
        self,
        server: &Server,
        builder: ClientBuilder,
    ) -> Result<Client, ConnectError> {
        match self {
            Self::Stream => soon(builder.connect(serve(server))).await,
            Self::Http => {
                let config = HttpConfig::new();
                let http = mcp_server::Http::at("127.0.0.1:0").config(config);
                let http = server.serve_http(http).expect("bound");
                let url = format!("http://{}/mcp", http.local_addr());
                tokio::spawn(http);
                soon(builder.connect(Http::new(url))).await
            }
        }
    }
}

/// What layers have seen, in order.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Vec<String>>>);

impl Record {
    fn add(&self, text: String) {
        self.0.lock().expect("no panic").push(text);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no panic"))
    }

    /// Returns a layer that records all messages under a name.
    fn layer(&self, name: &'static str) -> Recorder {
        let record = self.clone();
        Recorder { name, record }
    }
}

struct Recorder {
    name: &'static str,
    record: Record,
}

impl Middleware for Recorder {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        let (name, direction) = (self.name, request.direction());
        let method = request.method().to_owned();
        self.record.add(format!("{name} {direction:?} {method}"));
        let outcome = next.run(request).await;
        let ok = outcome.is_ok();
        self.record.add(format!("{name} {method} {ok}"));
        outcome
    }

    fn notify(&self, notification: Notification) -> Option<Notification> {
        let (name, direction) = (self.name, notification.direction());
        let method = notification.method();
        self.record.add(format!("{name} {direction:?} {method}"));
        Some(notification)
    }
}
