//! TCP keep-alive of connections to servers.

use serde_json::json;

use super::fake::*;
use crate::support::keepalive::has_keep_alive;

#[tokio::test]
async fn connections_to_servers_have_tcp_keep_alive() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    let listing = tokio::spawn(async move { client.tools().one_page().await });
    let asked = fake.message("tools/list").await;
    soon(has_keep_alive(fake.address)).await;
    asked.result(&tools(&json!([]))).await;
    soon(listing).await.expect("no panic").expect("a list");
}
