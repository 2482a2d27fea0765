//! TCP keep-alive of downloads.

use std::time::Duration;

use mcp_client::FetchedBy;

use super::mcp::{Mcp, resource};
use crate::support::keepalive::has_keep_alive;
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

#[tokio::test]
async fn downloads_have_tcp_keep_alive() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    // Otherwise a download from a host that has vanished would never end.
    let policy = web.policy().idle(Duration::MAX).time(Duration::MAX);
    let head = ["Content-Type: text/plain", "Content-Length: 10"];
    web.answer(Reply::new("200 OK", &head, b"by the").hold());
    let fetched = soon(mcp.client.fetch(resource()).policy(policy)).await;
    let fetched = fetched.expect("fetched");
    assert_eq!(fetched.by(), FetchedBy::Url);
    soon(has_keep_alive(web.address())).await;
}
