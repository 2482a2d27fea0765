//! Proofs of possession (RFC 9449).

use std::net::SocketAddr;

use mcp_oauth::dpop::{ProofClaims, ath};
use mcp_oauth::jwt::SigningKey;
use mcp_server::{Context, Http, HttpConfig, Keys, Memory, Server, ToolDef};
use mcp_server_oauth::OAuthBuilder;
use mcp_testkit::http::legacy;
use mcp_testkit::http::subject::*;
use serde_json::json;

use super::holder::Holder;
use super::setup::*;

async fn subject() -> (TestIssuer, Holder, SocketAddr) {
    with(|oauth| oauth).await
}

async fn with(
    change: impl FnOnce(OAuthBuilder) -> OAuthBuilder,
) -> (TestIssuer, Holder, SocketAddr) {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, change(trusting(&issuer)));
    let holder = Holder::new(&issuer);
    (issuer, holder, address)
}

#[tokio::test]
async fn valid_proof_is_accepted_once() {
    let (_issuer, holder, address) = subject().await;
    let proof = holder.proof(|_| {});
    assert_eq!(holder.echo(address, &proof).await.status, 200);
    assert_eq!(
        holder.rejected(address, &proof).await,
        "the proof of possession was used before"
    );
    // A new proof with the same identifier.
    let id = |claims: &mut ProofClaims| claims.jti = "same".to_owned();
    assert_eq!(holder.echo(address, &holder.proof(id)).await.status, 200);
    let later = holder.proof(|claims| {
        claims.jti = "same".to_owned();
        claims.iat -= 1;
    });
    holder.rejected(address, &later).await;
    assert_eq!(
        holder.echo(address, &holder.proof(|_| {})).await.status,
        200
    );
}

#[tokio::test]
async fn replayed_proofs_are_accepted_once_even_at_the_same_time() {
    let (_issuer, holder, address) = subject().await;
    let proof = holder.proof(|_| {});
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let headers = holder.headers(&proof);
        requests.spawn(async move {
            Raw::post(address, &headers, &call(1, "echo"))
                .await
                .0
                .status
        });
    }
    let statuses = requests.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1);
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 7);
}

/// Makes a proof one for another request.
type Change = Box<dyn FnOnce(&mut ProofClaims)>;

#[tokio::test]
async fn proof_for_another_request_is_rejected() {
    let (issuer, holder, address) = subject().await;
    let other_token = issuer.token(json!({ "sub": "bob" }));
    let url = "the proof of possession is for another URL";
    let time = "the time of the proof of possession differs too much from that of the server";
    let cases: Vec<(Change, &str)> = vec![
        (
            Box::new(|claims| claims.htm = "GET".to_owned()),
            "the proof of possession is for another HTTP method",
        ),
        (
            Box::new(|claims| claims.htm = "post".to_owned()),
            "the proof of possession is for another HTTP method",
        ),
        (
            Box::new(|claims| claims.htu = "https://mcp.example.com/other".to_owned()),
            url,
        ),
        (
            Box::new(|claims| claims.htu = "https://mcp.example.com/".to_owned()),
            url,
        ),
        (
            Box::new(|claims| claims.htu = "http://mcp.example.com/mcp".to_owned()),
            url,
        ),
        (
            Box::new(|claims| claims.htu = "https://evil.example/mcp".to_owned()),
            url,
        ),
        (
            Box::new(move |claims| claims.htu = format!("http://{address}/mcp")),
            url,
        ),
        (Box::new(|claims| claims.htu = "no URL".to_owned()), url),
        (Box::new(|claims| claims.iat -= 310), time),
        (Box::new(|claims| claims.iat += 70), time),
        (Box::new(|claims| claims.iat = 0), time),
        (Box::new(|claims| claims.iat = u64::MAX), time),
        (
            Box::new(|claims| claims.ath = None),
            "the proof of possession is for another access token",
        ),
        (
            Box::new(move |claims| claims.ath = Some(ath(&other_token))),
            "the proof of possession is for another access token",
        ),
        (
            Box::new(|claims| claims.jti = String::new()),
            "the proof of possession is malformed, or its signature is not valid",
        ),
        (
            Box::new(|claims| claims.jti = "j".repeat(1_000)),
            "the proof of possession is malformed, or its signature is not valid",
        ),
    ];
    for (change, expected) in cases {
        assert_eq!(
            holder.rejected(address, &holder.proof(change)).await,
            expected
        );
    }
    // These are for this request.
    for htu in [
        "https://MCP.example.com:443/mcp",
        "https://mcp.example.com/mcp?x=1#y",
        "https://mcp.example.com/a/../mcp",
    ] {
        let proof = holder.proof(|claims| claims.htu = htu.to_owned());
        assert_eq!(holder.echo(address, &proof).await.status, 200, "{htu}");
    }
    for (earlier, later) in [(250, 0), (0, 50)] {
        let proof = holder.proof(|claims| claims.iat = claims.iat - earlier + later);
        assert_eq!(holder.echo(address, &proof).await.status, 200);
    }
    // The name of the scheme is not case-sensitive.
    let token = format!("dpop {}", holder.token);
    let headers = with_header(call_headers("echo"), "Authorization", &token);
    let headers = with_header(headers, "DPoP", &holder.proof(|_| {}));
    let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn proof_of_another_key_or_form_is_rejected() {
    let (issuer, holder, address) = subject().await;
    let thief = SigningKey::generate().expect("a key");
    let proof = holder.claims().sign(&thief).expect("signed");
    assert_eq!(
        holder.rejected(address, &proof).await,
        "the proof of possession is that of another key"
    );
    // The key of the holder in the header, but the signature of the thief.
    let mut header = thief.header("dpop+jwt");
    header.jwk = Some(holder.key.public().expect("a public key"));
    let proof = thief.sign(header, &holder.claims()).expect("signed");
    holder.rejected(address, &proof).await;
    let mut header = holder.key.header("JWT");
    header.jwk = Some(holder.key.public().expect("a public key"));
    let proof = holder.key.sign(header, &holder.claims()).expect("signed");
    holder.rejected(address, &proof).await;
    for proof in ["x", "a.b.c", &holder.token, &issuer.token(json!({}))] {
        holder.rejected(address, proof).await;
    }
    // No proof, and two.
    assert_eq!(
        holder.rejected(address, "").await,
        "the request needs one header `DPoP` with a proof of possession"
    );
    let mut headers = holder.headers(&holder.proof(|_| {}));
    headers.push(("DPoP", holder.proof(|_| {})));
    let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
    assert_eq!(head.status, 401);
}

#[tokio::test]
async fn bound_token_is_useless_without_its_key() {
    let (issuer, holder, address) = subject().await;
    assert_eq!(
        rejected(address, &holder.token).await,
        "the access token is bound to a key: send it with the scheme `DPoP`"
    );
    // With a proof, but as a bearer token.
    let headers = with_token(holder.headers(&holder.proof(|_| {})), &holder.token);
    let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
    assert_eq!(head.status, 401);
    // A token that is not bound, with a proof of any key.
    let unbound = Holder {
        key: SigningKey::generate().expect("a key"),
        token: issuer.token(json!({})),
    };
    let head = unbound.echo(address, &unbound.proof(|_| {})).await;
    assert_eq!(head.status, 401);
    let challenge = head.get("www-authenticate").expect("a challenge");
    assert!(challenge.contains("error=\"invalid_token\""), "{challenge}");
    assert_eq!(echo(address, &unbound.token).await.0.status, 200);
}

#[tokio::test]
async fn challenges_offer_what_the_program_accepts() {
    let algorithms = "ES256 ES384 EdDSA PS256 RS256";
    let possession = format!("DPoP algs=\"{algorithms}\", resource_metadata=\"{METADATA}\"");
    let bearer = format!("Bearer resource_metadata=\"{METADATA}\"");
    let metadata = async |address: SocketAddr| {
        let path = "/.well-known/oauth-protected-resource";
        let (_, body) = Raw::connect(address)
            .await
            .at(path)
            .ask("GET", &[], "")
            .await;
        let metadata: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        (
            metadata["dpop_signing_alg_values_supported"].clone(),
            metadata["dpop_bound_access_tokens_required"].clone(),
        )
    };
    let names: Vec<&str> = algorithms.split(' ').collect();

    let (_issuer, _, address) = with(OAuthBuilder::offer_dpop).await;
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(1, "echo")).await;
    assert_eq!(head.all("www-authenticate"), [&*bearer, &*possession]);
    assert_eq!(metadata(address).await, (json!(names), json!(false)));

    let (issuer, holder, address) = with(OAuthBuilder::require_dpop).await;
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(1, "echo")).await;
    assert_eq!(head.all("www-authenticate"), [&*possession]);
    assert_eq!(metadata(address).await, (json!(names), json!(true)));
    let (head, _) = echo(address, &issuer.token(json!({}))).await;
    assert_eq!(head.status, 401);
    let challenges = head.all("www-authenticate");
    assert!(
        matches!(challenges.as_slice(), [one] if one.starts_with("DPoP ") && one.contains("invalid_token")),
        "{challenges:?}"
    );
    assert_eq!(
        holder.echo(address, &holder.proof(|_| {})).await.status,
        200
    );
}

#[tokio::test]
async fn nonce_of_the_server_is_required_if_the_program_says_so() {
    let (_issuer, holder, address) = with(OAuthBuilder::dpop_nonces).await;
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(1, "echo")).await;
    assert!(head.get("dpop-nonce").is_some());

    let head = holder.echo(address, &holder.proof(|_| {})).await;
    assert_eq!(head.status, 401);
    let challenge = head.get("www-authenticate").expect("a challenge");
    assert!(
        challenge.starts_with("DPoP ") && challenge.contains("error=\"use_dpop_nonce\""),
        "{challenge}"
    );
    let nonce = head.get("dpop-nonce").expect("a nonce").to_owned();
    for _ in 0..2 {
        let proof = holder.proof(|claims| claims.nonce = Some(nonce.clone()));
        assert_eq!(holder.echo(address, &proof).await.status, 200);
        assert_eq!(
            holder.rejected(address, &proof).await,
            "the proof of possession was used before"
        );
    }
    let mut changed = nonce.clone();
    changed.replace_range(10..11, if &nonce[10..11] == "A" { "B" } else { "A" });
    for invented in ["", "x", &changed] {
        let proof = holder.proof(|claims| claims.nonce = Some(invented.to_owned()));
        let head = holder.echo(address, &proof).await;
        assert_eq!(head.status, 401);
        let challenge = head.get("www-authenticate").expect("a challenge");
        assert!(
            challenge.contains("error=\"use_dpop_nonce\""),
            "{challenge}"
        );
        assert!(head.get("dpop-nonce").is_some());
    }
}

#[tokio::test]
async fn processes_with_the_same_keys_accept_each_others_nonces() {
    let issuer = TestIssuer::start().await;
    let holder = Holder::new(&issuer);
    let start = |keys: [u8; 32]| {
        let (server, _probe) = server(|builder| builder.keys(Keys::from_bytes(keys)));
        protect(&server, trusting(&issuer).dpop_nonces())
    };
    let (one, two, other) = (start([1; 32]), start([1; 32]), start([2; 32]));
    let head = holder.echo(one, &holder.proof(|_| {})).await;
    let nonce = head.get("dpop-nonce").expect("a nonce").to_owned();
    let proof = || holder.proof(|claims| claims.nonce = Some(nonce.clone()));
    assert_eq!(holder.echo(two, &proof()).await.status, 200);
    assert_eq!(holder.echo(other, &proof()).await.status, 401);
}

#[tokio::test]
async fn processes_with_one_store_accept_a_proof_once() {
    let issuer = TestIssuer::start().await;
    let holder = Holder::new(&issuer);
    let shared = Memory::new();
    let start = || {
        let (server, _probe) = server(|builder| builder.store(shared.clone()));
        protect(&server, trusting(&issuer))
    };
    let (one, two) = (start(), start());
    let proof = holder.proof(|_| {});
    assert_eq!(holder.echo(one, &proof).await.status, 200);
    assert_eq!(
        holder.rejected(two, &proof).await,
        "the proof of possession was used before"
    );
    let proof = holder.proof(|_| {});
    assert_eq!(holder.echo(two, &proof).await.status, 200);
}

#[tokio::test]
async fn what_the_server_sealed_for_something_else_is_not_a_nonce() {
    let issuer = TestIssuer::start().await;
    let holder = Holder::new(&issuer);
    let seal = async |cx: Context| cx.seal("dpop-nonce", &now().to_string());
    let server = Server::builder("sealing", "1").tool("echo", "", seal);
    let server = server.build().expect("the definition is sound");
    let plain = serve(&server);
    let (_, body) = Raw::post(plain, &call_headers("echo"), &call(1, "echo")).await;
    let answer: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    let sealed = answer["result"]["content"][0]["text"].as_str();
    let sealed = sealed.expect("a text").to_owned();
    let address = protect(&server, trusting(&issuer).dpop_nonces());
    let proof = holder.proof(|claims| claims.nonce = Some(sealed));
    let head = holder.echo(address, &proof).await;
    let challenge = head.get("www-authenticate").expect("a challenge");
    assert!(
        challenge.contains("error=\"use_dpop_nonce\""),
        "{challenge}"
    );
}

#[tokio::test]
async fn each_request_of_a_session_needs_a_proof_for_its_own_method() {
    let (_issuer, holder, address) = subject().await;
    let with_proof = |headers: Headers, method: &str| {
        let proof = holder.proof(|claims| claims.htm = method.to_owned());
        let headers = with_header(headers, "Authorization", &format!("DPoP {}", holder.token));
        with_header(headers, "DPoP", &proof)
    };
    let headers = with_proof(media(), "POST");
    let (head, _) = Raw::post(address, &headers, &legacy::initialize("2025-11-25")).await;
    assert_eq!(head.status, 200);
    let session = head.get("mcp-session-id").expect("a session").to_owned();
    let session = with_header(media(), "Mcp-Session-Id", &session);
    let status = async |method: &str, headers: Headers| {
        let mut raw = Raw::connect(address).await;
        raw.request(method, &headers, "").await;
        raw.head().await.status
    };
    assert_eq!(
        status("GET", with_proof(session.clone(), "POST")).await,
        401
    );
    assert_eq!(status("GET", with_proof(session.clone(), "GET")).await, 200);
    assert_eq!(
        status("DELETE", with_proof(session.clone(), "GET")).await,
        401
    );
    assert_eq!(status("DELETE", with_proof(session, "DELETE")).await, 204);
}

#[tokio::test]
async fn insufficient_scope_of_a_bound_token_is_a_challenge_of_its_scheme() {
    let expected = format!(
        "DPoP error=\"insufficient_scope\", scope=\"mcp:use\", resource_metadata=\"{METADATA}\""
    );
    let (issuer, holder, address) = with(|oauth| oauth.required_scopes(["mcp:use"])).await;
    let head = holder.echo(address, &holder.proof(|_| {})).await;
    assert_eq!(head.status, 403);
    assert_eq!(head.get("www-authenticate"), Some(&*expected));
    // The same if only the tool requires the scope.
    let tool = ToolDef::new("guarded").scopes(["mcp:use"]);
    let server = Server::builder("guarded", "1").add_tool(tool.handler(async || ""));
    let server = server.build().expect("the definition is sound");
    let address = protect(&server, trusting(&issuer));
    let headers = holder.headers(&holder.proof(|_| {}));
    let headers = with_header(headers, "Mcp-Name", "guarded");
    let (head, body) = Raw::post(address, &headers, &call(1, "guarded")).await;
    assert_eq!(head.status, 403, "{body}");
    assert_eq!(head.get("www-authenticate"), Some(&*expected));
}

#[tokio::test]
async fn proofs_are_for_the_path_that_the_client_used() {
    let issuer = TestIssuer::start().await;
    let holder = Holder::new(&issuer);
    let (server, _probe) = server(|builder| builder);
    let server: Server = server;
    // A resource without a path: the endpoint is below it.
    let oauth = mcp_server_oauth::OAuth::builder("https://mcp.example.com")
        .audience(RESOURCE)
        .issuer(&*issuer.url)
        .build()
        .expect("sound");
    let http = Http::at("127.0.0.1:0").config(HttpConfig::new().authenticate(oauth));
    let http = server.serve_http(http).expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    let proof = holder.proof(|_| {});
    assert_eq!(holder.echo(address, &proof).await.status, 200);
    let proof = holder.proof(|claims| claims.htu = "https://mcp.example.com/other".to_owned());
    assert_eq!(holder.echo(address, &proof).await.status, 401);

    // A proxy removed the beginning of the path.
    let oauth = mcp_server_oauth::OAuth::builder("https://mcp.example.com/files/mcp")
        .audience(RESOURCE)
        .issuer(&*issuer.url);
    let address = protect(&server, oauth);
    let proof = holder.proof(|claims| claims.htu = "https://mcp.example.com/files/mcp".to_owned());
    assert_eq!(holder.echo(address, &proof).await.status, 200);
}
