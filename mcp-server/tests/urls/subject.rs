//! The server under test.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use mcp_server::types::json::Map;
use mcp_server::types::{
    CallToolResult, ContentBlock, PromptMessage, ResourceLink, Role, TextResourceContents,
};
use mcp_server::{
    HandlerError, HttpUrls, Proposal, ResourceDef, ResourceUri, Server, ServerBuilder, TemplateDef,
    UrlKeys,
};

pub(crate) const BASE: &str = "https://files.example.com/r/";
/// 2026-11-21, 12:00 UTC.
pub(crate) const NOON: u64 = 1_795_262_400_000;

/// A paused clock that tests advance.
#[derive(Clone)]
pub(crate) struct Clock(Arc<AtomicU64>);

impl Clock {
    pub(crate) fn at(millis: u64) -> Self {
        Self(Arc::new(AtomicU64::new(millis)))
    }

    pub(crate) fn set(&self, millis: u64) {
        self.0.store(millis, Ordering::SeqCst);
    }

    pub(crate) fn urls(&self) -> HttpUrls {
        self.urls_below(BASE)
    }

    pub(crate) fn urls_below(&self, base: &str) -> HttpUrls {
        let millis = Arc::clone(&self.0);
        let urls = HttpUrls::new(base).expect("a base");
        urls.keys(UrlKeys::new([7; 32]))
            .clock(move || UNIX_EPOCH + Duration::from_millis(millis.load(Ordering::SeqCst)))
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct To {
    uri: String,
}

fn link(uri: String) -> ContentBlock {
    ResourceLink::new(uri, "linked").into()
}

pub(crate) const MOTTO: &str = "Keep it simple. Ä";
pub(crate) const LOGO: [u8; 8] = *b"\x89PNG\0\xff\r\n";

/// Returns the builder that all tests use.
pub(crate) fn offers() -> ServerBuilder {
    Server::builder("tested", "1")
        .add_resource(ResourceDef::text("demo://motto", "motto", MOTTO))
        .add_resource(ResourceDef::bytes("demo://logo", "logo", LOGO).mime_type("image/png"))
        .add_resource(ResourceDef::text("demo://secret", "secret", "-").http_url(false))
        .add_resource(
            ResourceDef::new("demo://all", "all")
                .collection()
                .handler(async || TextResourceContents::new("demo://motto", MOTTO)),
        )
        .add_resource_template(
            TemplateDef::new("echo://{+text}", "echo")
                .mime_type("text/x-echo")
                .handler(|variables: Map<String>| async move {
                    variables.get("text").cloned().unwrap_or_default()
                }),
        )
        .tool("link", "Links", |to: To| async move {
            CallToolResult::new([link(to.uri)])
        })
        .tool("own", "Links", || async {
            let link = ResourceLink::new("demo://motto", "motto");
            let mine = link.clone().http_url("HTTPS://cdn.example.com/motto");
            let plain = link.http_url("http://cdn.example.com/motto");
            let plain = plain.http_url_expires_at("2030-01-01T00:00:00Z");
            CallToolResult::new([mine.into(), plain.into()])
        })
        .prompt("link", "Links", |to: To| async move {
            vec![PromptMessage::new(Role::User, link(to.uri))]
        })
        .resource(
            "demo://missing",
            "missing",
            async |ResourceUri(uri): ResourceUri| -> Result<_, HandlerError> {
                Err::<String, _>(HandlerError::resource_not_found(uri))
            },
        )
}

/// Returns a server that issues URLs at noon.
pub(crate) fn server(change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> (Server, Clock) {
    let clock = Clock::at(NOON);
    let builder = offers()
        .proposals([Proposal::HttpsUrl, Proposal::Sep2093])
        .http_urls(clock.urls());
    (
        change(builder).build().expect("the definition is sound"),
        clock,
    )
}

/// Serves on a free port until the test ends.
pub(crate) fn serve(server: &Server) -> SocketAddr {
    let http = server.serve_http("127.0.0.1:0").expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    address
}

pub(crate) fn served(
    change: impl FnOnce(ServerBuilder) -> ServerBuilder,
) -> (SocketAddr, Server, Clock) {
    let (server, clock) = server(change);
    (serve(&server), server, clock)
}
