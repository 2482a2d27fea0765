//! Every limit of a policy at its largest value, which means unlimited, and at zero.

use std::time::Duration;

use mcp_client::{FetchError, FetchFailed, FetchPolicy, FetchedBy, RedirectFault};

use super::mcp::{Mcp, READ, resource};
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

const BODY: &[u8] = b"by the URL";

type Limit = fn(FetchPolicy) -> FetchPolicy;

#[tokio::test]
async fn largest_values_mean_no_limit() {
    let largest: [Limit; 5] = [
        |policy| policy.size(u64::MAX),
        |policy| policy.redirects(usize::MAX),
        |policy| policy.idle(Duration::MAX),
        |policy| policy.time(Duration::MAX),
        |policy| {
            let policy = policy.size(u64::MAX).redirects(usize::MAX);
            policy.idle(Duration::MAX).time(Duration::MAX)
        },
    ];
    for (at, set) in largest.into_iter().enumerate() {
        let web = Web::start().await;
        let mcp = Mcp::start().await;
        // More redirects than the default limit.
        let redirects = if at == 1 || at == 4 { 12 } else { 4 };
        for _ in 0..redirects {
            web.answer(Reply::redirect("302 Found", "/again"));
        }
        // Without a length, so that the limit applies to the received bytes.
        let head = ["Content-Type: text/plain", "Connection: close"];
        web.answer(Reply::new("200 OK", &head, BODY));
        let fetch = mcp.client.fetch(resource()).policy(set(web.policy()));
        let mut fetched = soon(fetch).await.expect("fetched");
        let bytes = soon(fetched.bytes()).await.expect("bytes");
        assert_eq!((fetched.by(), &bytes[..]), (FetchedBy::Url, BODY), "{at}");
        assert_eq!(web.connections(), redirects + 1, "{at}");
    }
}

#[tokio::test]
async fn zero_timeout_expires_immediately() {
    let limits: [(Limit, &str); 2] = [
        (
            |policy| policy.idle(Duration::ZERO),
            "nothing was received for 0ns",
        ),
        (
            |policy| policy.time(Duration::ZERO),
            "the transfer takes longer than 0ns, which is its time limit",
        ),
    ];
    for (set, expected) in limits {
        let web = Web::start().await;
        let mcp = Mcp::start().await;
        let fetch = mcp.client.fetch(resource()).policy(set(web.policy()));
        let mut fetched = soon(fetch).await.expect("fetched");
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), READ);
        let attempts: Vec<_> = fetched.attempts().iter().map(ToString::to_string).collect();
        assert_eq!(attempts, [expected]);
    }
}

#[tokio::test]
async fn zero_is_a_valid_limit_for_redirects_and_bytes() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    web.answer(Reply::redirect("302 Found", "/again"));
    let fetch = mcp
        .client
        .fetch(resource())
        .policy(web.policy().redirects(0));
    let fetched = soon(fetch).await.expect("fetched");
    assert!(
        matches!(
            fetched.attempts(),
            [FetchError::Redirect {
                source: RedirectFault::TooMany,
                ..
            }]
        ),
        "{:?}",
        fetched.attempts()
    );
    let nothing = web.policy().size(0);
    web.answer(Reply::ok("text/plain", b""));
    let fetch = mcp.client.fetch(resource()).policy(nothing.clone());
    let mut fetched = soon(fetch).await.expect("fetched");
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "");
    web.answer(Reply::ok("text/plain", b"x"));
    let failed = soon(mcp.client.fetch(resource()).policy(nothing)).await;
    let failed = failed.expect_err("too large");
    assert!(
        matches!(&failed, FetchFailed::TooLarge { source, .. }
            if matches!(**source, FetchError::TooLarge { found: 1, limit: 0 })),
        "{failed}"
    );
}
