//! Logins as the specification describes them.

use mcp_client::{CallError, HttpError, TransportError};
use mcp_client_oauth::{
    ClientAuthMethod, Dpop, Logout, MemoryStore, OAuth, OAuthClient, OAuthFault, OAuthStep,
    PendingLogin,
};
use mcp_oauth::dpop::{Proof, ath};
use mcp_oauth::jwt::Algorithm;
use mcp_oauth::sha256;
use serde_json::json;

use super::auth_servers::*;

#[tokio::test]
async fn first_request_logs_in_and_later_ones_use_the_token() {
    let servers = AuthServers::start().await;
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    client.tools().all().await.expect("listed");

    let registered = &servers.asked("/register")[0].body;
    let registered: serde_json::Value = serde_json::from_str(registered).expect("JSON");
    assert_eq!(
        registered,
        json!({
            "client_name": "test", "redirect_uris": [REDIRECT], "application_type": "native",
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        })
    );
    let authorize = &servers.asked("/authorize")[0].query;
    let token = &servers.asked("/token")[0];
    assert_eq!(authorize["client_id"], "registered");
    assert_eq!(authorize["resource"], servers.server());
    assert_eq!(authorize["code_challenge_method"], "S256");
    assert!(!authorize.contains_key("scope"));
    let verifier = token.form("code_verifier").expect("a verifier");
    assert_eq!(authorize["code_challenge"], sha256(verifier.as_bytes()));
    assert_eq!(token.form("resource"), Some(servers.server()));
    assert_eq!(token.form("redirect_uri").as_deref(), Some(REDIRECT));
    assert_eq!(token.form("client_id").as_deref(), Some("registered"));
    assert_eq!(
        (servers.count("/authorize"), servers.count("/token")),
        (1, 1)
    );
}

#[tokio::test]
async fn resource_is_sent_exactly_as_the_metadata_have_it() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        let mut metadata = servers.resource_metadata();
        metadata["resource"] = json!(servers.origin());
        match asked.path.as_str() {
            "/.well-known/oauth-protected-resource/mcp" => Some(answer(404, "")),
            "/.well-known/oauth-protected-resource" => Some(answer(200, metadata)),
            _ => None,
        }
    });
    let oauth = oauth().build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    assert_eq!(
        servers.asked("/authorize")[0].query["resource"],
        servers.origin()
    );
    assert_eq!(
        servers.asked("/token")[0].form("resource"),
        Some(servers.origin())
    );
}

#[tokio::test]
async fn step_up_keeps_the_scopes_and_ends_when_nothing_is_added() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| match asked.path.as_str() {
        "/mcp" if asked.method == "POST" && asked.header("authorization").is_none() => {
            Some(servers.challenge(401, ", scope=\"read\""))
        }
        "/mcp" if asked.body.contains("tools/list") => {
            Some(servers.challenge(403, ", error=\"insufficient_scope\", scope=\"write\""))
        }
        _ => None,
    });
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    let error = client.tools().one_page().await.expect_err("refused");
    assert!(matches!(fault(&error).fault, OAuthFault::Scopes(scopes) if scopes == "write"));
    let scopes: Vec<String> = servers
        .asked("/authorize")
        .iter()
        .map(|asked| asked.query["scope"].clone())
        .collect();
    assert_eq!(scopes, ["read", "read write"]);
    // The next call needs no request to the authorization server either.
    client.tools().one_page().await.expect_err("refused");
    assert_eq!(servers.count("/authorize"), 2);
}

#[tokio::test]
async fn server_that_rejects_every_token_is_given_up_after_three_logins() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| (asked.path == "/mcp").then(|| servers.challenge(401, "")));
    let oauth = oauth().build().expect("valid");
    connect(&servers, &oauth).await.expect_err("refused");
    let error = refused(&servers, &oauth).await;
    assert!(matches!(error.fault, OAuthFault::Rounds(3)), "{error}");
    assert_eq!(servers.count("/authorize"), 3);
}

#[tokio::test]
async fn forbidden_without_scopes_asks_nobody() {
    let servers = AuthServers::start().await;
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    servers.script(|asked, servers| {
        (asked.path == "/mcp").then(|| servers.challenge(403, ", error=\"invalid_token\""))
    });
    let error = client.tools().one_page().await.expect_err("refused");
    let CallError::Lost { source, .. } = &error else {
        panic!("{error}");
    };
    let TransportError::Http(HttpError::Unauthorized { status, .. }) = source.as_ref() else {
        panic!("{error}");
    };
    assert_eq!(status.as_u16(), 403);
    assert_eq!(
        (servers.count("/authorize"), servers.count("/token")),
        (1, 1)
    );
}

#[tokio::test]
async fn basic_authentication_encodes_both_parts() {
    let servers = AuthServers::start().await;
    let client = OAuthClient::new("a:b c")
        .issuer(servers.origin())
        .secret("p%ß+")
        .method(ClientAuthMethod::SecretBasic);
    let oauth = OAuth::client_credentials(client).build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    let token = &servers.asked("/token")[0];
    // The base64 of `a%3Ab+c:p%25%C3%9F%2B`.
    let expected = "Basic YSUzQWIrYzpwJTI1JUMzJTlGJTJC";
    assert_eq!(token.header("authorization"), Some(expected));
    assert_eq!(
        token.form("grant_type").as_deref(),
        Some("client_credentials")
    );
    // Some servers look for the id in the form only. The secret is sent once.
    assert_eq!(token.form("client_id").as_deref(), Some("a:b c"));
    assert_eq!(token.form("client_secret"), None);
    assert_eq!(servers.count("/register"), 0);
}

#[tokio::test]
async fn method_of_the_registration_counts_more_than_the_metadata() {
    let servers = AuthServers::start().await;
    servers.script(|asked, _| {
        (asked.path == "/register").then(|| {
            let method = "client_secret_post";
            answer(201, json!({"client_id": "c", "client_secret": "s", "token_endpoint_auth_method": method}))
        })
    });
    let oauth = oauth().build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    assert_eq!(
        servers.asked("/token")[0].form("client_secret").as_deref(),
        Some("s")
    );
}

#[tokio::test]
async fn client_of_another_issuer_is_not_used() {
    let servers = AuthServers::start().await;
    let client = OAuthClient::new("id").issuer("https://elsewhere.example");
    let oauth = oauth().client(client).build().expect("valid");
    let error = refused(&servers, &oauth).await;
    assert!(
        matches!(error.fault, OAuthFault::ClientOfOther { .. }),
        "{error}"
    );
    assert_eq!(servers.count("/authorize"), 0);
}

#[tokio::test]
async fn split_login_is_finished_once_and_its_tokens_are_used() {
    let servers = AuthServers::start().await;
    let store = MemoryStore::new();
    let oauth = OAuth::stored_tokens().store(store).build().expect("valid");
    let error = refused(&servers, &oauth).await;
    assert!(matches!(error.fault, OAuthFault::LoginRequired), "{error}");

    let login = oauth
        .begin(&servers.server(), "https://app.example/cb")
        .await
        .expect("begun");
    let url = login.url();
    let query: std::collections::HashMap<String, String> =
        form_urlencoded::parse(url.as_str().split_once('?').expect("a query").1.as_bytes())
            .into_owned()
            .collect();
    let stored = login.to_secret();
    let login = PendingLogin::from_secret(&stored).expect("readable");
    let redirect = format!(
        "https://app.example/cb?code=c&state={}&iss={}#x",
        query["state"],
        encode(&servers.origin())
    );
    oauth.finish(login, &redirect).await.expect("finished");
    connect(&servers, &oauth).await.expect("connected");
    let registered = &servers.asked("/register")[0].body;
    assert!(
        registered.contains("\"application_type\":\"web\""),
        "{registered}"
    );
    assert_eq!(servers.count("/authorize"), 0);
}

#[tokio::test]
async fn proofs_have_the_nonces_of_both_servers_and_the_digest_of_the_token() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        let proof = asked.header("dpop").map(|proof| {
            Proof::verify(proof, &[Algorithm::ES256])
                .expect("a valid proof")
                .claims
        });
        let nonce = proof.as_ref().and_then(|proof| proof.nonce.as_deref());
        match asked.path.as_str() {
            "/.well-known/oauth-authorization-server" => {
                Some(answer(200, servers.server_metadata_with_proofs()))
            }
            "/.well-known/oauth-protected-resource/mcp" => {
                let mut metadata = servers.resource_metadata();
                metadata["dpop_bound_access_tokens_required"] = json!(true);
                Some(answer(200, metadata))
            }
            "/token" if nonce != Some("n1") => {
                let refused = answer(400, json!({"error": "use_dpop_nonce"}));
                Some(refused.header("dpop-nonce", "n1"))
            }
            "/token" => {
                let mut token = servers.token();
                token["token_type"] = json!("DPoP");
                Some(answer(200, token))
            }
            "/mcp" if asked.method == "POST" => Some(match asked.header("authorization") {
                None => answer(401, "").header("www-authenticate", "DPoP algs=\"ES256\""),
                Some(token) => {
                    let token = token.strip_prefix("DPoP ").expect("the scheme");
                    let proof = proof.as_ref().expect("a proof");
                    assert_eq!(proof.ath, Some(ath(token)));
                    assert_eq!(
                        (proof.htm.as_str(), proof.htu.clone()),
                        ("POST", servers.server())
                    );
                    if nonce == Some("n2") {
                        result(asked).header("dpop-nonce", "n2")
                    } else {
                        let challenge = "DPoP error=\"use_dpop_nonce\"";
                        answer(401, "")
                            .header("www-authenticate", challenge)
                            .header("dpop-nonce", "n2")
                    }
                }
            }),
            _ => None,
        }
    });
    let oauth = oauth().dpop(Dpop::Required).build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    client.tools().all().await.expect("listed");
    assert_eq!(servers.count("/token"), 2);
    let proofs: Vec<String> = [servers.asked("/token"), servers.asked("/mcp")]
        .concat()
        .iter()
        .filter_map(|asked| asked.headers.get("dpop").cloned())
        .collect();
    let distinct: std::collections::BTreeSet<&String> = proofs.iter().collect();
    assert_eq!(distinct.len(), proofs.len());
}

#[tokio::test]
async fn bearer_token_is_refused_where_a_bound_one_is_required() {
    let servers = AuthServers::start().await;
    let oauth = oauth().dpop(Dpop::Required).build().expect("valid");
    let error = refused(&servers, &oauth).await;
    assert_eq!(error.step, OAuthStep::Token);
    assert_needs_bound_token(&error);
}

#[tokio::test]
async fn logout_revokes_and_forgets() {
    let servers = AuthServers::start().await;
    let oauth = oauth().build().expect("valid");
    oauth.login(&servers.server()).await.expect("logged in");
    let status = oauth.status().await.expect("read");
    assert_eq!(status.len(), 1);
    assert_eq!(status[0].server, servers.server());
    let outcome = oauth.logout(&servers.server()).await.expect("logged out");
    assert!(matches!(outcome, Logout::Revoked), "{outcome:?}");
    let revoked = &servers.asked("/revoke")[0];
    assert_eq!(revoked.form("token").as_deref(), Some("refresh-token-1"));
    assert!(oauth.status().await.expect("read").is_empty());
    let outcome = oauth
        .logout(&servers.server())
        .await
        .expect("nothing to do");
    assert!(matches!(outcome, Logout::Absent), "{outcome:?}");
    // Not every authorization server revokes tokens.
    servers.script(|asked, servers| {
        let mut metadata = servers.server_metadata();
        metadata.as_object_mut()?.remove("revocation_endpoint");
        let path = "/.well-known/oauth-authorization-server";
        (asked.path == path).then(|| answer(200, metadata))
    });
    oauth.login(&servers.server()).await.expect("logged in");
    let outcome = oauth.logout(&servers.server()).await.expect("logged out");
    assert!(
        matches!(outcome, Logout::Forgotten { error: None }),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn old_servers_are_supported_only_by_choice() {
    let servers = AuthServers::start().await;
    servers.without_metadata();
    // They do not name metadata in the challenge.
    let strict = oauth().build().expect("valid");
    let error = refused(&servers, &strict).await;
    let text = error.to_string();
    assert!(
        text.contains("/.well-known/oauth-protected-resource/mcp: "),
        "{text}"
    );
    assert!(
        text.ends_with("older than these metadata (2025-03-26)"),
        "{text}"
    );
    assert_eq!(servers.count("/authorize"), 0);
}
