//! Tokens that expire.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client_oauth::{FileStore, Logout, MemoryStore, OAuth, OAuthClient, OAuthFault};
use serde_json::json;

use super::auth_servers::*;

/// Answers token requests with tokens of this lifetime, and accepts each refresh token once.
fn rotating(servers: &AuthServers, lifetime: u64) {
    let next = AtomicUsize::new(1);
    servers.script(move |asked, servers| {
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
        let mut token = servers.token();
        token["expires_in"] = json!(lifetime);
        Some(answer(200, token))
    });
}

fn refreshes(servers: &AuthServers) -> usize {
    let asked = servers.asked("/token");
    let refreshes = asked
        .iter()
        .filter(|asked| asked.form("grant_type").as_deref() == Some("refresh_token"));
    refreshes.count()
}

#[tokio::test]
async fn hundred_calls_with_a_rejected_token_refresh_it_once() {
    let servers = AuthServers::start().await;
    rotating(&servers, 3600);
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    servers.expire();
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.tools().one_page().await })
        })
        .collect();
    for call in calls {
        call.await.expect("no panic").expect("listed");
    }
    assert_eq!(refreshes(&servers), 1);
    assert_eq!(servers.count("/authorize"), 1);
    let refresh = servers.asked("/token").pop().expect("a refresh");
    assert_eq!(refresh.form("resource"), Some(servers.server()));
    assert_eq!(refresh.form("scope"), None);
}

#[tokio::test]
async fn token_is_refreshed_before_it_expires() {
    let servers = AuthServers::start().await;
    // It is due at once.
    rotating(&servers, 0);
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    let before = refreshes(&servers);
    client.tools().one_page().await.expect("listed");
    assert!(refreshes(&servers) > before);
    // No request was rejected but the first one, without a token.
    let rejected = servers
        .asked("/mcp")
        .into_iter()
        .filter(|asked| asked.header("authorization").is_none());
    assert_eq!(rejected.count(), 1);
    assert_eq!(servers.count("/authorize"), 1);
}

#[tokio::test]
async fn programs_that_share_a_store_refresh_once() {
    let folder = std::env::temp_dir().join(format!("mcp-oauth-shared-{}", std::process::id()));
    let servers = AuthServers::start().await;
    rotating(&servers, 3600);
    let program = || {
        oauth()
            .store(FileStore::new(&folder))
            .build()
            .expect("valid")
    };
    let first = connect(&servers, &program()).await.expect("connected");
    let others: Vec<_> = (0..8)
        .map(|_| {
            let (servers, program) = (Arc::clone(&servers), program());
            tokio::spawn(async move { connect(&servers, &program).await })
        })
        .collect();
    let mut clients = vec![first];
    for other in others {
        clients.push(other.await.expect("no panic").expect("connected"));
    }
    assert_eq!(
        servers.count("/authorize"),
        1,
        "the others use the stored token"
    );
    servers.expire();
    let calls: Vec<_> = clients
        .into_iter()
        .map(|client| tokio::spawn(async move { client.tools().one_page().await }))
        .collect();
    for call in calls {
        call.await.expect("no panic").expect("listed");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!((refreshes(&servers), servers.count("/authorize")), (1, 1));
}

#[tokio::test]
async fn refresh_token_stays_if_no_new_one_comes_and_a_login_follows_when_it_ends() {
    let servers = AuthServers::start().await;
    let left = Arc::new(AtomicUsize::new(2));
    let remaining = Arc::clone(&left);
    servers.script(move |asked, servers| {
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
            let mut token = servers.token();
            token
                .as_object_mut()
                .expect("an object")
                .remove("refresh_token");
            answer(200, token)
        })
    });
    let oauth = oauth().store(MemoryStore::new()).build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    for logins in [1, 1, 2] {
        servers.expire();
        client.tools().one_page().await.expect("listed");
        assert_eq!(servers.count("/authorize"), logins);
    }
    assert_eq!(refreshes(&servers), 3);
}

#[tokio::test]
async fn failing_token_endpoint_does_not_cost_the_refresh_token() {
    let servers = AuthServers::start().await;
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    servers.expire();
    servers.script(|asked, _| (asked.path == "/token").then(|| answer(503, "")));
    let error = client.tools().one_page().await.expect_err("unavailable");
    let text = fault(&error).to_string();
    assert!(
        text.contains("cannot refresh the token at") && text.contains("503"),
        "{text}"
    );
    servers.script(|_, _| None);
    // The pause after the first failure is short.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    client.tools().one_page().await.expect("listed");
    assert_eq!((refreshes(&servers), servers.count("/authorize")), (2, 1));
}

#[tokio::test]
async fn login_goes_on_although_the_call_has_ended() {
    let servers = AuthServers::start().await;
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    servers.expire();
    servers.script(|asked, servers| {
        (asked.path == "/token").then(|| {
            let mut slow = answer(200, servers.token());
            slow.pause = Duration::from_millis(300);
            slow
        })
    });
    let call = client.tools().one_page();
    let cut = tokio::time::timeout(Duration::from_millis(100), call).await;
    assert!(cut.is_err());
    client.tools().one_page().await.expect("listed");
    assert_eq!(refreshes(&servers), 1);
}

#[tokio::test]
async fn each_refresh_token_is_used_once() {
    let servers = AuthServers::start().await;
    rotating(&servers, 3600);
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    for count in 1..4 {
        servers.expire();
        client.tools().one_page().await.expect("listed");
        assert_eq!(
            (refreshes(&servers), servers.count("/authorize")),
            (count, 1)
        );
    }
}

#[tokio::test]
async fn scopes_stay_if_a_refresh_does_not_name_them() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        (asked.path == "/token").then(|| {
            let mut token = servers.token();
            if asked.form("grant_type").as_deref() != Some("refresh_token") {
                token["scope"] = json!("read write");
            }
            answer(200, token)
        })
    });
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    servers.expire();
    client.tools().one_page().await.expect("listed");
    assert_eq!(refreshes(&servers), 1);
    let status = oauth.status().await.expect("read");
    assert_eq!(status[0].scopes, ["read", "write"]);
}

#[tokio::test]
async fn refresh_token_that_has_ended_is_not_tried_again() {
    let servers = AuthServers::start().await;
    let store = MemoryStore::new();
    let first = oauth().store(store.clone()).build().expect("valid");
    connect(&servers, &first).await.expect("connected");
    servers.expire();
    servers.script(|asked, _| {
        (asked.path == "/token").then(|| answer(400, json!({"error": "invalid_grant"})))
    });
    // Two programs that cannot log in, of which each tries twice.
    for _ in 0..2 {
        let program = OAuth::stored_tokens().store(store.clone());
        let program = program.build().expect("valid");
        for _ in 0..2 {
            let error = refused(&servers, &program).await;
            assert!(matches!(error.fault, OAuthFault::LoginRequired), "{error}");
        }
    }
    assert_eq!(refreshes(&servers), 1);
}

#[tokio::test]
async fn refresh_that_failed_is_not_repeated_for_each_request() {
    let servers = AuthServers::start().await;
    // The token is due at once, but the server still accepts it.
    rotating(&servers, 0);
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    let before = refreshes(&servers);
    servers.script(|asked, _| (asked.path == "/token").then(|| answer(503, "")));
    for _ in 0..5 {
        client.tools().one_page().await.expect("listed");
    }
    assert_eq!(refreshes(&servers), before + 1);
}

#[tokio::test]
async fn client_without_a_user_gets_the_next_token_before_the_old_one_ends() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        (asked.path == "/token").then(|| {
            let mut token = servers.token();
            token["expires_in"] = json!(0);
            let members = token.as_object_mut().expect("an object");
            members.remove("refresh_token");
            answer(200, token)
        })
    });
    let robot = OAuthClient::new("robot")
        .secret("s")
        .issuer(servers.origin());
    let oauth = OAuth::client_credentials(robot).build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    let before = servers.count("/token");
    client.tools().one_page().await.expect("listed");
    let asked = servers.asked("/token");
    assert!(asked.len() > before);
    for asked in asked {
        assert_eq!(
            asked.form("grant_type").as_deref(),
            Some("client_credentials")
        );
    }
    // No request was rejected but the first one.
    let unauthorized = servers.asked("/mcp");
    let unauthorized = unauthorized
        .iter()
        .filter(|asked| asked.header("authorization").is_none());
    assert_eq!(unauthorized.count(), 1);
}

#[tokio::test]
async fn login_of_another_program_is_used() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        (asked.path == "/token").then(|| {
            let mut token = servers.token();
            let members = token.as_object_mut().expect("an object");
            members.remove("refresh_token");
            answer(200, token)
        })
    });
    let store = MemoryStore::new();
    let program = || oauth().store(store.clone()).build().expect("valid");
    let (first, second) = (program(), program());
    let one = connect(&servers, &first).await.expect("connected");
    let two = connect(&servers, &second).await.expect("connected");
    servers.expire();
    one.tools().one_page().await.expect("listed");
    two.tools().one_page().await.expect("listed");
    assert_eq!(servers.count("/authorize"), 2);
}

#[tokio::test]
async fn failing_authorization_server_is_not_asked_for_each_call() {
    // The token is due, or the server rejects it.
    for (lifetime, is_rejected) in [(0, false), (3600, true)] {
        let servers = AuthServers::start().await;
        servers.script(move |asked, servers| {
            (asked.path == "/token").then(|| {
                let mut token = servers.token();
                token["expires_in"] = json!(lifetime);
                let members = token.as_object_mut().expect("an object");
                members.remove("refresh_token");
                answer(200, token)
            })
        });
        let robot = OAuthClient::new("robot").secret("s");
        let robot = OAuth::client_credentials(robot.issuer(servers.origin()));
        let oauth = robot.build().expect("valid");
        let client = connect(&servers, &oauth).await.expect("connected");
        servers.script(|asked, _| (asked.path == "/token").then(|| answer(503, "")));
        if is_rejected {
            servers.expire();
        }
        let discovery = "/.well-known/oauth-authorization-server";
        let before = (servers.count("/token"), servers.count(discovery));
        for _ in 0..10 {
            let listed = client.tools().one_page().await;
            assert_eq!(listed.is_err(), is_rejected);
            if let Err(error) = listed {
                let text = fault(&error).to_string();
                assert!(text.contains("503"), "{text}");
            }
        }
        let after = (servers.count("/token"), servers.count(discovery));
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
        let servers = AuthServers::start().await;
        rotating(&servers, lifetime);
        let store = MemoryStore::new();
        let user = oauth().store(store.clone()).build().expect("valid");
        user.login(&servers.server()).await.expect("logged in");
        let running = OAuth::stored_tokens().store(store.clone());
        let running = running.build().expect("valid");
        let client = connect(&servers, &running).await.expect("connected");
        let outcome = user.logout(&servers.server()).await.expect("logged out");
        assert!(matches!(outcome, Logout::Revoked), "{outcome:?}");
        // The newest refresh token is revoked, not the one that this program had.
        let revoked = servers.asked("/revoke")[0].form("token");
        let newest = format!("refresh-token-{}", servers.count("/token"));
        assert_eq!(revoked, Some(newest));
        servers.expire();
        let before = refreshes(&servers);
        for _ in 0..2 {
            let error = client.tools().one_page().await.expect_err("logged out");
            let error = fault(&error);
            assert!(matches!(error.fault, OAuthFault::LoginRequired), "{error}");
        }
        assert_eq!(refreshes(&servers), before, "{lifetime}");
        assert!(user.status().await.expect("read").is_empty());
    }
}
