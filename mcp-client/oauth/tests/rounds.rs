//! Servers that reject tokens again and again, demand further scopes, or move to another issuer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client_oauth::{MemoryStore, OAuth, OAuthClient, OAuthFault};
use serde_json::json;

use super::auth_servers::*;

const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";

/// Returns the scopes of all authorization requests.
fn requested(servers: &AuthServers) -> Vec<String> {
    let asked = servers.asked("/authorize");
    let scopes = asked
        .into_iter()
        .map(|mut asked| asked.query.remove("scope"));
    scopes.map(Option::unwrap_or_default).collect()
}

/// Returns a token response without a refresh token.
fn without_refresh(servers: &AuthServers) -> Answer {
    let mut token = servers.token();
    let members = token.as_object_mut().expect("an object");
    members.remove("refresh_token");
    answer(200, token)
}

#[tokio::test]
async fn server_that_demands_another_scope_each_time_is_given_up() {
    let servers = AuthServers::start().await;
    let count = AtomicUsize::new(0);
    servers.script(move |asked, servers| {
        asked.body.contains("tools/list").then(|| {
            let scope = count.fetch_add(1, Ordering::SeqCst);
            let error = "insufficient_scope";
            servers.challenge(403, &format!(", error=\"{error}\", scope=\"s{scope}\""))
        })
    });
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    client.tools().one_page().await.expect_err("refused");
    assert_eq!(requested(&servers), ["", "s0", "s0 s1", "s0 s1 s2"]);
    let error = client.tools().one_page().await.expect_err("refused");
    let error = fault(&error);
    assert!(matches!(error.fault, OAuthFault::Rounds(3)), "{error}");
    assert_eq!(servers.count("/authorize"), 4);
}

#[tokio::test]
async fn scopes_in_a_403_are_requested_also_without_an_error() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        let is_first = servers.count("/authorize") == 1;
        (is_first && asked.body.contains("tools/list"))
            .then(|| servers.challenge(403, ", scope=\"write\""))
    });
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    client.tools().one_page().await.expect("listed");
    assert_eq!(requested(&servers), ["", "write"]);
}

#[tokio::test]
async fn login_after_a_rejection_keeps_the_scopes() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| match asked.path.as_str() {
        "/token" => Some(without_refresh(servers)),
        "/mcp" if asked.header("authorization").is_none() => {
            Some(servers.challenge(401, ", scope=\"read\""))
        }
        "/mcp" if servers.count("/authorize") == 1 && asked.body.contains("tools/list") => {
            Some(servers.challenge(401, ", error=\"invalid_token\", scope=\"write\""))
        }
        _ => None,
    });
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    client.tools().one_page().await.expect("listed");
    assert_eq!(requested(&servers), ["read", "read write"]);
}

#[tokio::test]
async fn failed_logins_are_not_counted_as_rejected_tokens() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| match asked.path.as_str() {
        "/mcp" if asked.method == "POST" => Some(servers.challenge(401, "")),
        "/token" => Some(without_refresh(servers)),
        "/authorize" if servers.count("/authorize") > 1 => {
            let issuer = encode(&servers.origin());
            let state = &asked.query["state"];
            let query = format!("error=access_denied&state={state}&iss={issuer}");
            Some(redirect_with(&query))
        }
        _ => None,
    });
    let oauth = oauth().build().expect("valid");
    for _ in 0..4 {
        let error = refused(&servers, &oauth).await;
        assert!(
            matches!(&error.fault, OAuthFault::Refused { error, .. } if error == "access_denied"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn accepted_token_ends_the_count_of_rejected_ones() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        let is_refresh = asked.form("grant_type").as_deref() == Some("refresh_token");
        (asked.path == "/token" && is_refresh).then(|| {
            // The server does not accept it.
            let mut token = servers.token();
            token["access_token"] = json!(format!("unusable-{}", servers.count("/token")));
            answer(200, token)
        })
    });
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    for logins in 2..7 {
        servers.expire();
        client.tools().one_page().await.expect("listed");
        assert_eq!(servers.count("/authorize"), logins);
    }
}

/// Lets the first server name the second one as its authorization server.
fn moves(servers: &Arc<AuthServers>, other: &AuthServers) {
    let issuer = other.origin();
    servers.script(move |asked, servers| {
        let mut metadata = servers.resource_metadata();
        metadata["authorization_servers"] = json!([issuer]);
        (asked.path == RESOURCE).then(|| answer(200, metadata))
    });
    let accepting = Arc::clone(servers);
    other.script(move |asked, _| (asked.path == "/token").then(|| answer(200, accepting.token())));
    servers.expire();
}

#[tokio::test]
async fn new_issuer_of_a_server_gets_nothing_of_the_old_one() {
    let (servers, other) = (AuthServers::start().await, AuthServers::start().await);
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    moves(&servers, &other);
    client.tools().one_page().await.expect("listed");
    // No refresh at the old one: its tokens would not be accepted.
    assert_eq!((servers.count("/token"), other.count("/token")), (1, 1));
    let token = &other.asked("/token")[0];
    assert_eq!(
        token.form("grant_type").as_deref(),
        Some("authorization_code")
    );
    assert_eq!(token.form("refresh_token"), None);
    assert_eq!(
        (servers.count("/register"), other.count("/register")),
        (1, 1)
    );
    // The tokens of the new issuer are refreshed there.
    servers.expire();
    client.tools().one_page().await.expect("listed");
    assert_eq!((servers.count("/token"), other.count("/token")), (1, 2));
}

#[tokio::test]
async fn client_is_not_used_at_a_new_issuer() {
    type Bind = fn(OAuthClient, &AuthServers) -> OAuthClient;
    // Named by the program, or the issuer of the first use.
    let binds: [Bind; 3] = [
        |client, servers| client.issuer(servers.origin()).secret("client-secret"),
        |client, _| client.secret("client-secret").trust_first_issuer(),
        |client, _| client,
    ];
    for (bind, restarts) in binds.iter().flat_map(|bind| [(bind, false), (bind, true)]) {
        let (servers, other) = (AuthServers::start().await, AuthServers::start().await);
        let store = MemoryStore::new();
        let program = || {
            let client = bind(OAuthClient::new("id"), &servers);
            let builder = oauth().client(client).store(store.clone());
            builder.build().expect("valid")
        };
        let mut oauth = program();
        connect(&servers, &oauth).await.expect("connected");
        moves(&servers, &other);
        if restarts {
            oauth = program();
        }
        let error = refused(&servers, &oauth).await;
        let OAuthFault::ClientOfOther { expected, found } = &error.fault else {
            panic!("{error}");
        };
        assert_eq!((expected, found), (&servers.origin(), &other.origin()));
        assert_eq!((other.count("/authorize"), other.count("/token")), (0, 0));
    }
    // The choice of the program does not change whose client it is.
    let servers = AuthServers::start().await;
    let client = OAuthClient::new("id").issuer("https://elsewhere.example");
    let oauth = oauth().issuer(servers.origin()).client(client);
    let error = refused(&servers, &oauth.build().expect("valid")).await;
    assert!(
        matches!(error.fault, OAuthFault::ClientOfOther { .. }),
        "{error}"
    );
    assert_eq!(servers.count("/authorize"), 0);
}

#[tokio::test]
async fn client_stays_at_the_issuer_of_its_first_use_among_several() {
    let (servers, other) = (AuthServers::start().await, AuthServers::start().await);
    let store = MemoryStore::new();
    let program = || {
        let client = OAuthClient::new("id");
        let builder = oauth().client(client).store(store.clone());
        builder.build().expect("valid")
    };
    connect(&servers, &program()).await.expect("connected");
    let (issuer, first) = (servers.origin(), other.origin());
    servers.script(move |asked, servers| {
        let mut metadata = servers.resource_metadata();
        metadata["authorization_servers"] = json!([first, issuer]);
        (asked.path == RESOURCE).then(|| answer(200, metadata))
    });
    program().login(&servers.server()).await.expect("logged in");
    assert_eq!((servers.count("/token"), other.count("/token")), (2, 0));
}

#[tokio::test]
async fn issuer_of_the_earlier_login_is_used_again() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        let mut metadata = servers.resource_metadata();
        // The first one does not exist.
        metadata["authorization_servers"] = json!(["https://first.example", servers.origin()]);
        (asked.path == RESOURCE).then(|| answer(200, metadata))
    });
    let store = MemoryStore::new();
    let chosen = oauth().issuer(servers.origin()).store(store.clone());
    let chosen = chosen.build().expect("valid");
    connect(&servers, &chosen).await.expect("connected");
    servers.expire();
    let oauth = oauth().store(store).build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    assert_eq!(
        (servers.count("/authorize"), servers.count("/token")),
        (1, 2)
    );
}

#[tokio::test]
async fn logins_that_a_server_causes_are_limited_by_time() {
    // Each call is rejected once, and accepted with the next token.
    for status in [401, 403] {
        let servers = AuthServers::start().await;
        let count = AtomicUsize::new(0);
        servers.script(move |asked, servers| match asked.path.as_str() {
            "/token" => Some(without_refresh(servers)),
            "/mcp" if asked.body.contains("tools/list") => {
                let count = count.fetch_add(1, Ordering::SeqCst);
                let error = "insufficient_scope";
                let scope = format!(", error=\"{error}\", scope=\"s{count}\"");
                count
                    .is_multiple_of(2)
                    .then(|| servers.challenge(status, &scope))
            }
            _ => None,
        });
        let oauth = oauth().build().expect("valid");
        let client = connect(&servers, &oauth).await.expect("connected");
        let mut failed = None;
        for _ in 0..12 {
            failed = client.tools().one_page().await.err();
        }
        let error = fault(&failed.expect("refused"));
        assert!(matches!(error.fault, OAuthFault::Logins(6)), "{error}");
        assert_eq!(servers.count("/authorize"), 6, "{status}");
        // The user can still log in.
        oauth.login(&servers.server()).await.expect("logged in");
    }
}

#[tokio::test]
async fn grants_without_a_user_that_a_server_causes_are_limited_by_time() {
    let servers = AuthServers::start().await;
    let count = AtomicUsize::new(0);
    servers.script(move |asked, servers| match asked.path.as_str() {
        "/token" => Some(without_refresh(servers)),
        "/mcp" if asked.body.contains("tools/list") => {
            let count = count.fetch_add(1, Ordering::SeqCst);
            count.is_multiple_of(2).then(|| servers.challenge(401, ""))
        }
        _ => None,
    });
    let robot = OAuthClient::new("robot").secret("s");
    let robot = OAuth::client_credentials(robot.issuer(servers.origin()));
    let robot = robot.build().expect("valid");
    let client = connect(&servers, &robot).await.expect("connected");
    let mut failed = None;
    for _ in 0..60 {
        failed = client.tools().one_page().await.err();
    }
    let error = fault(&failed.expect("refused"));
    assert!(matches!(error.fault, OAuthFault::Logins(60)), "{error}");
    assert_eq!(servers.count("/token"), 60);
}

#[tokio::test]
async fn program_decides_about_logins_for_further_scopes() {
    let servers = AuthServers::start().await;
    let demand = |asked: &RecordedRequest, servers: &AuthServers| {
        (servers.count("/authorize") == 1 && asked.body.contains("tools/list")).then(|| {
            let error = "insufficient_scope";
            servers.challenge(403, &format!(", error=\"{error}\", scope=\"write\""))
        })
    };
    servers.script(demand);
    let store = MemoryStore::new();
    for is_permitted in [false, true] {
        let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        let builder = oauth().store(store.clone()).scope("read");
        let builder = builder.confirm_step_up(move |step_up| {
            noted.lock().expect("no panic").extend(step_up.scopes);
            std::future::ready(is_permitted)
        });
        let oauth = builder.build().expect("valid");
        let client = connect(&servers, &oauth).await.expect("connected");
        let listed = client.tools().one_page().await;
        assert_eq!(*asked.lock().expect("no panic"), ["write"]);
        if is_permitted {
            listed.expect("listed");
            continue;
        }
        // Without a user, or without permission, the user learns which scopes are needed.
        let stored = OAuth::stored_tokens().store(store.clone()).build();
        let stored = connect(&servers, &stored.expect("valid")).await;
        let other = stored.expect("connected").tools().one_page().await;
        for listed in [listed, other] {
            let error = fault(&listed.expect_err("refused"));
            let OAuthFault::MissingScopes(scopes) = &error.fault else {
                panic!("{error}");
            };
            assert_eq!(scopes, "read write");
        }
    }
    assert_eq!(requested(&servers), ["read", "read write"]);
}

#[tokio::test]
async fn operation_that_lacks_scopes_does_not_stop_refreshes() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        asked.body.contains("prompts/list").then(|| {
            let error = "insufficient_scope";
            servers.challenge(403, &format!(", error=\"{error}\", scope=\"write\""))
        })
    });
    let builder = oauth().confirm_step_up(|_| std::future::ready(false));
    let oauth = builder.build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    for _ in 0..3 {
        let error = client.prompts().one_page().await.expect_err("refused");
        let error = fault(&error);
        assert!(
            matches!(error.fault, OAuthFault::MissingScopes(_)),
            "{error}"
        );
        servers.expire();
        client.tools().one_page().await.expect("listed");
    }
    assert_eq!(
        (servers.count("/authorize"), servers.count("/token")),
        (1, 4)
    );
}

#[tokio::test]
async fn program_without_a_user_gets_each_scope_that_it_needs() {
    let servers = AuthServers::start().await;
    let count = AtomicUsize::new(0);
    servers.script(move |asked, servers| {
        asked.body.contains("tools/list").then_some(())?;
        let count = count.fetch_add(1, Ordering::SeqCst);
        let error = "insufficient_scope";
        let scope = format!(", error=\"{error}\", scope=\"s{count}\"");
        count
            .is_multiple_of(2)
            .then(|| servers.challenge(403, &scope))
    });
    let robot = OAuthClient::new("robot")
        .issuer(servers.origin())
        .secret("s");
    let oauth = OAuth::client_credentials(robot).build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    for _ in 0..10 {
        client.tools().one_page().await.expect("listed");
    }
    assert_eq!(servers.count("/token"), 11);
}
