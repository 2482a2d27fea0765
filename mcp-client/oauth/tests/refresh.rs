//! Tokens that expire.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client_oauth::{FileStore, Logout, MemoryStore, OAuth, OAuthClient, OAuthFault};
use serde_json::json;

use super::world::*;

/// Answers token requests with tokens of this lifetime, and accepts each refresh token once.
fn rotating(world: &World, lifetime: u64) {
    let next = AtomicUsize::new(1);
    world.script(move |asked, world| {
        if asked.path != "/token" {
            return None;
        }
        if asked.form("grant_type").as_deref() == Some("refresh_token") {
            let number = next.load(Ordering::SeqCst);
            let expected = format!("refresh-token-{number}");
            if asked.form("refresh_token") != Some(expected) {
                return Some(answer(400, json!({"error": "invalid_grant"})));
            }
            next.fetch_add(1, Ordering::SeqCst);
        }
        let mut token = world.token();
        token["expires_in"] = json!(lifetime);
        Some(answer(200, token))
    });
}

fn refreshes(world: &World) -> usize {
    let asked = world.asked("/token");
    let refreshes = asked
        .iter()
        .filter(|asked| asked.form("grant_type").as_deref() == Some("refresh_token"));
    refreshes.count()
}

#[tokio::test]
async fn hundred_calls_with_a_rejected_token_refresh_it_once() {
    let world = World::start().await;
    rotating(&world, 3600);
    let oauth = oauth().build().expect("valid");
    let client = connect(&world, &oauth).await.expect("connected");
    world.expire();
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.tools().one_page().await })
        })
        .collect();
    for call in calls {
        call.await.expect("no panic").expect("listed");
    }
    assert_eq!(refreshes(&world), 1);
    assert_eq!(world.count("/authorize"), 1);
    let refresh = world.asked("/token").pop().expect("a refresh");
    assert_eq!(refresh.form("resource"), Some(world.server()));
    assert_eq!(refresh.form("scope"), None);
}

#[tokio::test]
async fn token_is_refreshed_before_it_expires() {
    let world = World::start().await;
    // It is due at once.
    rotating(&world, 0);
    let oauth = oauth().build().expect("valid");
    let client = connect(&world, &oauth).await.expect("connected");
    let before = refreshes(&world);
    client.tools().one_page().await.expect("listed");
    assert!(refreshes(&world) > before);
    // No request was rejected but the first one, without a token.
    let rejected = world
        .asked("/mcp")
        .into_iter()
        .filter(|asked| asked.header("authorization").is_none());
    assert_eq!(rejected.count(), 1);
    assert_eq!(world.count("/authorize"), 1);
}

#[tokio::test]
async fn programs_that_share_a_store_refresh_once() {
    let folder = std::env::temp_dir().join(format!("mcp-oauth-shared-{}", std::process::id()));
    let world = World::start().await;
    rotating(&world, 3600);
    let program = || {
        oauth()
            .store(FileStore::new(&folder))
            .build()
            .expect("valid")
    };
    let first = connect(&world, &program()).await.expect("connected");
    let others: Vec<_> = (0..8)
        .map(|_| {
            let (world, program) = (Arc::clone(&world), program());
            tokio::spawn(async move { connect(&world, &program).await })
        })
        .collect();
    let mut clients = vec![first];
    for other in others {
        clients.push(other.await.expect("no panic").expect("connected"));
    }
    assert_eq!(
        world.count("/authorize"),
        1,
        "the others use the stored token"
    );
    world.expire();
    let calls: Vec<_> = clients
        .into_iter()
        .map(|client| tokio::spawn(async move { client.tools().one_page().await }))
        .collect();
    for call in calls {
        call.await.expect("no panic").expect("listed");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!((refreshes(&world), world.count("/authorize")), (1, 1));
}

#[tokio::test]
async fn refresh_token_stays_if_no_new_one_comes_and_a_login_follows_when_it_ends() {
    let world = World::start().await;
    let left = Arc::new(AtomicUsize::new(2));
    let remaining = Arc::clone(&left);
    world.script(move |asked, world| {
        let is_refresh = asked.form("grant_type").as_deref() == Some("refresh_token");
        (asked.path == "/token" && is_refresh).then(|| {
            assert_eq!(
                asked.form("refresh_token").as_deref(),
                Some("refresh-token-1")
            );
            if remaining.load(Ordering::SeqCst) == 0 {
                return answer(400, json!({"error": "invalid_grant"}));
            }
            remaining.fetch_sub(1, Ordering::SeqCst);
            let mut token = world.token();
            token
                .as_object_mut()
                .expect("an object")
                .remove("refresh_token");
            answer(200, token)
        })
    });
    let oauth = oauth().store(MemoryStore::new()).build().expect("valid");
    let client = connect(&world, &oauth).await.expect("connected");
    for logins in [1, 1, 2] {
        world.expire();
        client.tools().one_page().await.expect("listed");
        assert_eq!(world.count("/authorize"), logins);
    }
    assert_eq!(refreshes(&world), 3);
}

#[tokio::test]
async fn failing_token_endpoint_does_not_cost_the_refresh_token() {
    let world = World::start().await;
    let oauth = oauth().build().expect("valid");
    let client = connect(&world, &oauth).await.expect("connected");
    world.expire();
    world.script(|asked, _| (asked.path == "/token").then(|| answer(503, "")));
    let error = client.tools().one_page().await.expect_err("unavailable");
    let text = fault(&error).to_string();
    assert!(
        text.contains("cannot refresh the token at") && text.contains("503"),
        "{text}"
    );
    world.script(|_, _| None);
    // The pause after the first failure is short.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    client.tools().one_page().await.expect("listed");
    assert_eq!((refreshes(&world), world.count("/authorize")), (2, 1));
}

#[tokio::test]
async fn login_goes_on_although_the_call_has_ended() {
    let world = World::start().await;
    let oauth = oauth().build().expect("valid");
    let client = connect(&world, &oauth).await.expect("connected");
    world.expire();
    world.script(|asked, world| {
        (asked.path == "/token").then(|| {
            let mut slow = answer(200, world.token());
            slow.pause = Duration::from_millis(300);
            slow
        })
    });
    let call = client.tools().one_page();
    let cut = tokio::time::timeout(Duration::from_millis(100), call).await;
    assert!(cut.is_err());
    client.tools().one_page().await.expect("listed");
    assert_eq!(refreshes(&world), 1);
}

#[tokio::test]
async fn each_refresh_token_is_used_once() {
    let world = World::start().await;
    rotating(&world, 3600);
    let oauth = oauth().build().expect("valid");
    let client = connect(&world, &oauth).await.expect("connected");
    for count in 1..4 {
        world.expire();
        client.tools().one_page().await.expect("listed");
        assert_eq!((refreshes(&world), world.count("/authorize")), (count, 1));
    }
}

#[tokio::test]
async fn scopes_stay_if_a_refresh_does_not_name_them() {
    let world = World::start().await;
    world.script(|asked, world| {
        (asked.path == "/token").then(|| {
            let mut token = world.token();
            if asked.form("grant_type").as_deref() != Some("refresh_token") {
                token["scope"] = json!("read write");
            }
            answer(200, token)
        })
    });
    let oauth = oauth().build().expect("valid");
    let client = connect(&world, &oauth).await.expect("connected");
    world.expire();
    client.tools().one_page().await.expect("listed");
    assert_eq!(refreshes(&world), 1);
    let status = oauth.status().await.expect("read");
    assert_eq!(status[0].scopes, ["read", "write"]);
}

#[tokio::test]
async fn refresh_token_that_has_ended_is_not_tried_again() {
    let world = World::start().await;
    let store = MemoryStore::new();
    let first = oauth().store(store.clone()).build().expect("valid");
    connect(&world, &first).await.expect("connected");
    world.expire();
    world.script(|asked, _| {
        (asked.path == "/token").then(|| answer(400, json!({"error": "invalid_grant"})))
    });
    // Two programs that cannot log in, of which each tries twice.
    for _ in 0..2 {
        let program = OAuth::stored_tokens().store(store.clone());
        let program = program.build().expect("valid");
        for _ in 0..2 {
            let error = refused(&world, &program).await;
            assert!(matches!(error.fault, OAuthFault::LoginRequired), "{error}");
        }
    }
    assert_eq!(refreshes(&world), 1);
}

#[tokio::test]
async fn refresh_that_failed_is_not_repeated_for_each_request() {
    let world = World::start().await;
    // The token is due at once, but the server still accepts it.
    rotating(&world, 0);
    let oauth = oauth().build().expect("valid");
    let client = connect(&world, &oauth).await.expect("connected");
    let before = refreshes(&world);
    world.script(|asked, _| (asked.path == "/token").then(|| answer(503, "")));
    for _ in 0..5 {
        client.tools().one_page().await.expect("listed");
    }
    assert_eq!(refreshes(&world), before + 1);
}

#[tokio::test]
async fn client_without_a_user_gets_the_next_token_before_the_old_one_ends() {
    let world = World::start().await;
    world.script(|asked, world| {
        (asked.path == "/token").then(|| {
            let mut token = world.token();
            token["expires_in"] = json!(0);
            let members = token.as_object_mut().expect("an object");
            members.remove("refresh_token");
            answer(200, token)
        })
    });
    let robot = OAuthClient::new("robot").secret("s").issuer(world.origin());
    let oauth = OAuth::client_credentials(robot).build().expect("valid");
    let client = connect(&world, &oauth).await.expect("connected");
    let before = world.count("/token");
    client.tools().one_page().await.expect("listed");
    let asked = world.asked("/token");
    assert!(asked.len() > before);
    for asked in asked {
        assert_eq!(
            asked.form("grant_type").as_deref(),
            Some("client_credentials")
        );
    }
    // No request was rejected but the first one.
    let unauthorized = world.asked("/mcp");
    let unauthorized = unauthorized
        .iter()
        .filter(|asked| asked.header("authorization").is_none());
    assert_eq!(unauthorized.count(), 1);
}

#[tokio::test]
async fn login_of_another_program_is_used() {
    let world = World::start().await;
    world.script(|asked, world| {
        (asked.path == "/token").then(|| {
            let mut token = world.token();
            let members = token.as_object_mut().expect("an object");
            members.remove("refresh_token");
            answer(200, token)
        })
    });
    let store = MemoryStore::new();
    let program = || oauth().store(store.clone()).build().expect("valid");
    let (first, second) = (program(), program());
    let one = connect(&world, &first).await.expect("connected");
    let two = connect(&world, &second).await.expect("connected");
    world.expire();
    one.tools().one_page().await.expect("listed");
    two.tools().one_page().await.expect("listed");
    assert_eq!(world.count("/authorize"), 2);
}

#[tokio::test]
async fn failing_authorization_server_is_not_asked_for_each_call() {
    // The token is due, or the server rejects it.
    for (lifetime, is_rejected) in [(0, false), (3600, true)] {
        let world = World::start().await;
        world.script(move |asked, world| {
            (asked.path == "/token").then(|| {
                let mut token = world.token();
                token["expires_in"] = json!(lifetime);
                let members = token.as_object_mut().expect("an object");
                members.remove("refresh_token");
                answer(200, token)
            })
        });
        let robot = OAuthClient::new("robot").secret("s");
        let robot = OAuth::client_credentials(robot.issuer(world.origin()));
        let oauth = robot.build().expect("valid");
        let client = connect(&world, &oauth).await.expect("connected");
        world.script(|asked, _| (asked.path == "/token").then(|| answer(503, "")));
        if is_rejected {
            world.expire();
        }
        let discovery = "/.well-known/oauth-authorization-server";
        let before = (world.count("/token"), world.count(discovery));
        for _ in 0..10 {
            let listed = client.tools().one_page().await;
            assert_eq!(listed.is_err(), is_rejected);
            if let Err(error) = listed {
                let text = fault(&error).to_string();
                assert!(text.contains("503"), "{text}");
            }
        }
        let after = (world.count("/token"), world.count(discovery));
        // The second attempt may follow after a second.
        assert!(
            after.0 <= before.0 + 2 && after.1 <= before.1 + 2,
            "{before:?} {after:?}"
        );
    }
}

#[tokio::test]
async fn logout_is_not_undone_by_a_running_program() {
    // The token is due, or the server rejects it.
    for lifetime in [0, 3600] {
        let world = World::start().await;
        rotating(&world, lifetime);
        let store = MemoryStore::new();
        let user = oauth().store(store.clone()).build().expect("valid");
        user.login(&world.server()).await.expect("logged in");
        let running = OAuth::stored_tokens().store(store.clone());
        let running = running.build().expect("valid");
        let client = connect(&world, &running).await.expect("connected");
        let outcome = user.logout(&world.server()).await.expect("logged out");
        assert!(matches!(outcome, Logout::Revoked), "{outcome:?}");
        // The newest refresh token is revoked, not the one that this program had.
        let revoked = world.asked("/revoke")[0].form("token");
        let newest = format!("refresh-token-{}", world.count("/token"));
        assert_eq!(revoked, Some(newest));
        world.expire();
        let before = refreshes(&world);
        for _ in 0..2 {
            let error = client.tools().one_page().await.expect_err("logged out");
            let error = fault(&error);
            assert!(matches!(error.fault, OAuthFault::LoginRequired), "{error}");
        }
        assert_eq!(refreshes(&world), before, "{lifetime}");
        assert!(user.status().await.expect("read").is_empty());
    }
}
