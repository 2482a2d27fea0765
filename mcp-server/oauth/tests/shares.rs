//! What one caller or one address can take of what the verification of tokens needs.

use std::net::SocketAddr;
use std::time::Duration;

use mcp_server_oauth::{Issuer, OAuth};
use mcp_testkit::http::subject::*;
use serde_json::json;
use tokio::task::JoinSet;

use super::holder::Holder;
use super::setup::*;

#[tokio::test]
async fn user_with_many_keys_leaves_room_for_the_proofs_of_others() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    // Room for 361 proofs, of which one user may have 23.
    let address = protect(&server, trusting(&issuer).dpop_rate(1));
    let keys: Vec<Holder> = (0..4).map(|_| Holder::of(&issuer, "greedy")).collect();
    let mut statuses = Vec::new();
    for holder in keys.iter().cycle().take(27) {
        let head = holder.echo(address, &holder.proof(|_| {})).await;
        let wait = (head.status == 429).then_some("1");
        assert_eq!(head.get("retry-after"), wait);
        statuses.push(head.status);
    }
    let (accepted, refused) = statuses.split_at(23);
    assert!(accepted.iter().all(|status| *status == 200), "{accepted:?}");
    assert!(refused.iter().all(|status| *status == 429), "{refused:?}");
    let modest = Holder::of(&issuer, "modest");
    let head = modest.echo(address, &modest.proof(|_| {})).await;
    assert_eq!(head.status, 200);
}

/// The default number of requests of one address whose tokens are being verified.
const SHARE: usize = 8;

/// Five times as many requests as one address may have.
const FLOOD: usize = 5 * SHARE;

/// Sends calls at the same time from another address, each with a token of its own.
fn flood(address: SocketAddr, tokens: Vec<String>) -> JoinSet<u16> {
    let send = move |token: String| async move {
        let mut raw = Raw::connect_from("127.0.0.2", address).await;
        let headers = with_token(call_headers("echo"), &token);
        let (head, _) = raw.ask("POST", &headers, &call(1, "echo")).await;
        head.status
    };
    tokens.into_iter().map(send).collect()
}

/// Waits until the server has rejected as many requests as one address cannot have.
async fn rejected_share(flood: &mut JoinSet<u16>, count: usize) {
    for _ in SHARE..count {
        let status = soon(flood.join_next()).await.expect("a response");
        assert_eq!(status.expect("no panic"), 429);
    }
}

#[tokio::test]
async fn address_with_random_tokens_leaves_room_for_introspections_of_others() {
    let issuer = TestIssuer::start().await;
    let meaning = changed(issuer.claims(), json!({ "active": true }));
    issuer.introspect_as(meaning);
    let (server, _probe) = server(|builder| builder);
    let asking = Issuer::new(&issuer.url).introspection("mcp", "secret");
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(asking));
    issuer.behave(Behaviour::Wait);
    let mut random = flood(
        address,
        (0..FLOOD).map(|at| format!("random-{at}")).collect(),
    );
    rejected_share(&mut random, FLOOD).await;
    let mut good = JoinSet::new();
    for at in 0..SHARE {
        good.spawn(async move { echo(address, &format!("good-{at}")).await.0.status });
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(good.try_join_next().is_none(), "they wait");
    issuer.behave(Behaviour::Answer);
    let statuses = soon(good.join_all()).await;
    assert_eq!(statuses, [200; SHARE]);
}

#[tokio::test]
async fn address_with_invented_key_ids_waits_for_keys_in_its_share_only() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    issuer.behave(Behaviour::Wait);
    let invented = |at: usize| sign(&issuer.key, &format!("invented-{at}"), &issuer.claims());
    let mut invented = flood(address, (0..FLOOD).map(invented).collect());
    rejected_share(&mut invented, FLOOD).await;
    let token = issuer.token(json!({}));
    let good = tokio::spawn(async move { echo(address, &token).await.0.status });
    tokio::time::sleep(Duration::from_millis(100)).await;
    issuer.behave(Behaviour::Answer);
    assert_eq!(soon(good).await.expect("no panic"), 200);
    let statuses = soon(invented.join_all()).await;
    assert_eq!(statuses, [401; SHARE]);
}

#[tokio::test]
async fn inactive_token_is_introspected_once() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let asking = Issuer::new(&issuer.url).introspection("mcp", "secret");
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(asking));
    for _ in 0..3 {
        rejected(address, "opaque").await;
    }
    assert_eq!(issuer.introspections().len(), 1);
}
