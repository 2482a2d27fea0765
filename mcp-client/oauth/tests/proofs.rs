//! Proofs of possession and their nonces.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::{Client, Http};
use mcp_client_oauth::{Dpop, OAuth};
use mcp_oauth::dpop::{Proof, ProofClaims};
use mcp_oauth::jwt::Algorithm;
use serde_json::json;

use super::auth_servers::*;

fn bound() -> OAuth {
    oauth().dpop(Dpop::Required).build().expect("valid")
}

/// Returns the claims of the proof of a request.
fn proof(asked: &RecordedRequest) -> Option<ProofClaims> {
    let proof = Proof::verify(asked.header("dpop")?, &[Algorithm::ES256]);
    Some(proof.expect("a valid proof").claims)
}

fn nonce(asked: &RecordedRequest) -> Option<String> {
    proof(asked)?.nonce
}

/// Returns a token that is bound to the key of the client.
fn bound_token(servers: &AuthServers) -> Answer {
    let mut token = servers.token();
    token["token_type"] = json!("DPoP");
    answer(200, token)
}

/// Accepts every token of the type DPoP.
fn accepted(asked: &RecordedRequest) -> Option<Answer> {
    let token = asked.header("authorization")?;
    (asked.path == "/mcp" && token.starts_with("DPoP ")).then(|| result(asked))
}

/// Demands another nonce for each request for a token.
fn demand(nonce: impl Into<String>) -> Answer {
    answer(400, json!({"error": "use_dpop_nonce"})).header("dpop-nonce", nonce)
}

#[tokio::test]
async fn server_that_is_never_content_with_a_nonce_is_given_up() {
    for (nonces, requests) in [
        // A new one each time.
        (["a", "b", "c", "d"], 3),
        // The client has sent it already.
        (["a", "a", "a", "a"], 2),
    ] {
        let servers = AuthServers::start().await;
        let count = AtomicUsize::new(0);
        servers.script(move |asked, _| {
            (asked.path == "/token").then(|| {
                let count = count.fetch_add(1, Ordering::SeqCst);
                demand(nonces[count.min(3)])
            })
        });
        let error = refused(&servers, &bound()).await;
        assert!(
            error.fault.to_string().contains("use_dpop_nonce"),
            "{error}"
        );
        let sent: Vec<_> = servers.asked("/token").iter().map(nonce).collect();
        let expected: Vec<_> = [None, Some(nonces[0]), Some(nonces[1])]
            .into_iter()
            .take(requests)
            .map(|nonce| nonce.map(str::to_owned))
            .collect();
        assert_eq!(sent, expected);
    }
}

#[tokio::test]
async fn nonce_that_is_too_long_is_not_sent() {
    let servers = AuthServers::start().await;
    servers.script(|asked, _| (asked.path == "/token").then(|| demand("n".repeat(1_025))));
    refused(&servers, &bound()).await;
    assert_eq!(servers.count("/token"), 1);
    let servers = AuthServers::start().await;
    servers.script(|asked, _| (asked.path == "/token").then(|| demand("n".repeat(1_024))));
    refused(&servers, &bound()).await;
    assert_eq!(servers.count("/token"), 2);
}

#[tokio::test]
async fn demand_for_a_nonce_without_one_is_not_answered() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| match asked.path.as_str() {
        "/token" => Some(bound_token(servers)),
        "/mcp" if asked.header("authorization").is_some() => {
            let challenge = "DPoP error=\"use_dpop_nonce\"";
            Some(answer(401, "").header("www-authenticate", challenge))
        }
        _ => None,
    });
    connect(&servers, &bound()).await.expect_err("refused");
    let with_token = servers.asked("/mcp");
    let with_token = with_token.iter().filter(|asked| proof(asked).is_some());
    assert_eq!(with_token.count(), 1);
    assert_eq!(servers.count("/authorize"), 1);
}

#[tokio::test]
async fn nonce_is_sent_to_the_server_that_gave_it() {
    let (servers, issuer) = (AuthServers::start().await, AuthServers::start().await);
    let origin = issuer.origin();
    servers.script(move |asked, servers| match asked.path.as_str() {
        "/.well-known/oauth-protected-resource/mcp" => {
            let mut metadata = servers.resource_metadata();
            metadata["authorization_servers"] = json!([origin]);
            Some(answer(200, metadata))
        }
        _ => accepted(asked).map(|answer| answer.header("dpop-nonce", "of-the-server")),
    });
    issuer.script(|asked, issuer| {
        (asked.path == "/token").then(|| match nonce(asked) {
            Some(_) => bound_token(issuer),
            None => demand("of-the-issuer"),
        })
    });
    let client = connect(&servers, &bound()).await.expect("connected");
    client.tools().one_page().await.expect("listed");
    let sent = |servers: &AuthServers, path: &str| -> Vec<Option<String>> {
        let asked = servers.asked(path);
        let proven = asked.iter().filter(|asked| proof(asked).is_some());
        proven.map(nonce).collect()
    };
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(sent(&issuer, "/token"), [None, named("of-the-issuer")]);
    assert_eq!(sent(&servers, "/mcp"), [None, named("of-the-server")]);
}

#[tokio::test]
async fn proof_is_for_the_url_without_its_query() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| match asked.path.as_str() {
        "/token" => Some(bound_token(servers)),
        _ => accepted(asked),
    });
    let server = Http::new(format!("{}?tenant=1", servers.server())).auth(bound());
    let connecting = Client::builder("test", "1").connect(server);
    connecting.await.expect("connected");
    let asked = servers.asked("/mcp").pop().expect("a request");
    assert_eq!(asked.query["tenant"], "1");
    assert_eq!(proof(&asked).expect("a proof").htu, servers.server());
}

#[tokio::test]
async fn redirected_request_has_a_proof_for_its_new_url() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| match asked.path.as_str() {
        "/token" => Some(bound_token(servers)),
        "/mcp" if asked.header("authorization").is_some() => {
            Some(answer(307, "").header("location", "/moved"))
        }
        "/moved" => Some(result(asked)),
        _ => None,
    });
    connect(&servers, &bound()).await.expect("connected");
    let moved = &servers.asked("/moved")[0];
    let claims = proof(moved).expect("a proof");
    assert_eq!(claims.htu, format!("{}/moved", servers.origin()));
}

#[tokio::test]
async fn challenge_for_proofs_is_enough_to_bind_the_token() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| match asked.path.as_str() {
        "/.well-known/oauth-authorization-server" => {
            Some(answer(200, servers.server_metadata_with_proofs()))
        }
        "/token" => Some(bound_token(servers)),
        "/mcp" if asked.header("authorization").is_none() => {
            Some(answer(401, "").header("www-authenticate", "Bearer, DPoP algs=\"ES256\""))
        }
        _ => accepted(asked),
    });
    let oauth = oauth().build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    assert!(oauth.status().await.expect("read")[0].is_bound);
}

/// Connects to a servers that offers bound tokens, and answers the first request for a token with
/// this type, and later ones with the other type.
async fn typed(first: &'static str, later: &'static str) -> (Arc<AuthServers>, Client, OAuth) {
    let servers = AuthServers::start().await;
    servers.script(move |asked, servers| match asked.path.as_str() {
        "/.well-known/oauth-authorization-server" => {
            Some(answer(200, servers.server_metadata_with_proofs()))
        }
        "/.well-known/oauth-protected-resource/mcp" => {
            let mut metadata = servers.resource_metadata();
            metadata["dpop_signing_alg_values_supported"] = json!(["ES256"]);
            Some(answer(200, metadata))
        }
        "/token" => {
            let mut token = servers.token();
            let is_first = servers.count("/token") == 1;
            token["token_type"] = json!(if is_first { first } else { later });
            Some(answer(200, token))
        }
        // The first token is soon not accepted any more.
        "/mcp" if servers.count("/token") == 1 && asked.body.contains("tools/list") => {
            Some(servers.challenge(401, ""))
        }
        _ => accepted(asked),
    });
    let oauth = oauth().build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    (servers, client, oauth)
}

#[tokio::test]
async fn bound_token_does_not_become_a_bearer_token() {
    let (servers, client, _) = typed("DPoP", "Bearer").await;
    let error = client.tools().one_page().await.expect_err("refused");
    let error = fault(&error);
    assert_needs_bound_token(&error);
    // The refresh is bound to the same key as the token.
    let thumbprints: Vec<_> = servers
        .asked("/token")
        .iter()
        .map(|asked| {
            let proof = asked.header("dpop").expect("a proof");
            Proof::verify(proof, &[Algorithm::ES256])
                .expect("valid")
                .thumbprint
        })
        .collect();
    assert!(
        matches!(thumbprints.as_slice(), [first, second] if first == second),
        "{thumbprints:?}"
    );
}

#[tokio::test]
async fn key_is_forgotten_if_the_issuer_does_not_use_it() {
    let (servers, client, oauth) = typed("Bearer", "Bearer").await;
    client.tools().one_page().await.expect("listed");
    let [login, refresh] = servers.asked("/token").try_into().expect("two requests");
    assert!(proof(&login).is_some());
    assert!(proof(&refresh).is_none());
    assert!(!oauth.status().await.expect("read")[0].is_bound);
}
