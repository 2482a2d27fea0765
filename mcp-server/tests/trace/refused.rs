//! Requests that are rejected because of their `Host` or `Origin` cause warnings that name the
//! setting.

use std::time::Instant;

use mcp_server::Server;
use tracing::Level;

use super::peer::post;
use crate::support::log::{Log, Logged};

async fn refused(heads: impl IntoIterator<Item = String>) -> (Vec<Logged>, Vec<Logged>) {
    let log = Log::begin();
    let server = Server::builder("guarded", "1").build();
    let serving = server
        .expect("the definition is sound")
        .serve_http("127.0.0.1:0")
        .expect("bound");
    let address = serving.local_addr();
    tokio::spawn(serving);
    for head in heads {
        let response = post(address, &head, "{}").await;
        assert!(response.starts_with("HTTP/1.1 403 "), "{response}");
    }
    let refused = |one: &Logged| one.message().starts_with("request rejected: ");
    let kept = log.events();
    let of = |level| {
        let all = kept.iter().filter(|one| refused(one) && one.level == level);
        all.cloned().collect()
    };
    (of(Level::WARN), of(Level::DEBUG))
}

#[tokio::test]
async fn rejected_host_logs_a_warning_that_names_the_setting() {
    let (warnings, _) = refused(["Host: mcp.example.com\r\n".to_owned()]).await;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].message().contains("`HttpConfig::allow_hosts`"));
    assert_eq!(warnings[0].fields.get("host"), Some("mcp.example.com"));
}

#[tokio::test]
async fn rejected_origin_logs_a_warning_that_names_the_setting() {
    let head = "Host: localhost\r\nOrigin: https://app.example.com\r\n".to_owned();
    let (warnings, _) = refused([head]).await;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0]
            .message()
            .contains("`HttpConfig::allow_origins`")
    );
    assert_eq!(
        warnings[0].fields.get("origin"),
        Some("https://app.example.com")
    );
}

/// At most one warning per second; the others have a level that is disabled by default.
#[tokio::test]
async fn warnings_about_rejected_requests_are_rate_limited() {
    let started = Instant::now();
    let heads = (0..40).map(|at| match at % 2 {
        0 => "Host: evil.example.com\r\n".to_owned(),
        _ => "Host: localhost\r\nOrigin: https://evil.example.com\r\n".to_owned(),
    });
    let (warnings, others) = refused(heads).await;
    let seconds = usize::try_from(started.elapsed().as_secs()).unwrap_or(usize::MAX);
    assert!(warnings.len() >= 2, "{warnings:?}");
    assert!(warnings.len() <= 2 * (seconds + 1), "{warnings:?}");
    assert_eq!(warnings.len() + others.len(), 40);
}
