//! What the client requests of the authorization server, by what the metadata say.

use mcp_client_oauth::{Dpop, OAuth, OAuthBuilder, OAuthClient, OAuthFault};
use mcp_oauth::dpop::Proof;
use mcp_oauth::jwt::Algorithm;
use serde_json::{Value, json};

use super::auth_servers::*;

const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
const SERVER: &str = "/.well-known/oauth-authorization-server";

/// Changes the metadata: members of these objects replace others.
fn with_metadata(servers: &AuthServers, resource: Value, server: Value) {
    servers.script(move |asked, servers| {
        let (mut metadata, changes) = match asked.path.as_str() {
            RESOURCE => (servers.resource_metadata(), &resource),
            SERVER => (servers.server_metadata(), &server),
            _ => return None,
        };
        for (name, value) in changes.as_object().expect("an object") {
            let text = value.to_string().replace("ORIGIN", &servers.origin());
            metadata[name] = text.parse().expect("JSON");
        }
        Some(answer(200, metadata))
    });
}

/// Returns the parameters of the authorization request of a login, and the token request.
async fn login(
    oauth: OAuthBuilder,
    resource: Value,
    server: Value,
) -> (RecordedRequest, RecordedRequest) {
    let servers = AuthServers::start().await;
    with_metadata(&servers, resource, server);
    let oauth = oauth.build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    let mut authorize = servers.asked("/authorize");
    let mut token = servers.asked("/token");
    assert_eq!((authorize.len(), token.len()), (1, 1));
    (authorize.remove(0), token.remove(0))
}

#[tokio::test]
async fn refresh_token_is_requested_where_there_are_any() {
    let offline = json!({"scopes_supported": ["offline_access"]});
    let read = json!({"scopes_supported": ["read"]});
    for (oauth, resource, server, scope) in [
        (oauth(), &read, &offline, Some("read offline_access")),
        (oauth().offline_access(false), &read, &offline, Some("read")),
        (oauth(), &read, &json!({}), Some("read")),
        // Alone it would replace the default scopes of the authorization server.
        (oauth(), &json!({}), &offline, None),
        // The metadata of a server should not have it.
        (oauth(), &offline, &json!({}), None),
        (
            oauth().scope("write"),
            &read,
            &json!({}),
            Some("read write"),
        ),
    ] {
        let (authorize, _) = login(oauth, resource.clone(), server.clone()).await;
        let found = authorize.query.get("scope").map(String::as_str);
        assert_eq!(found, scope, "{resource} {server}");
        let asks = found.is_some_and(|scope| scope.contains("offline_access"));
        let prompt = authorize.query.get("prompt").map(String::as_str);
        assert_eq!(prompt, asks.then_some("consent"), "{resource} {server}");
    }
}

#[tokio::test]
async fn scopes_of_the_challenge_count_more_than_those_of_the_metadata() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| match asked.path.as_str() {
        RESOURCE => {
            let mut metadata = servers.resource_metadata();
            metadata["scopes_supported"] = json!(["all"]);
            Some(answer(200, metadata))
        }
        "/mcp" if asked.header("authorization").is_none() => {
            Some(servers.challenge(401, ", scope=\"read\""))
        }
        _ => None,
    });
    let oauth = oauth().build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    assert_eq!(servers.asked("/authorize")[0].query["scope"], "read");
}

#[tokio::test]
async fn parameters_follow_those_of_the_endpoint() {
    let server = json!({"authorization_endpoint": "ORIGIN/authorize?tenant=1"});
    let (authorize, token) = login(oauth(), json!({}), server).await;
    assert_eq!(authorize.query["tenant"], "1");
    assert_eq!(authorize.query["response_type"], "code");
    // The verifier is a secret of its own: the state is visible to the browser.
    assert_ne!(
        token.form("code_verifier"),
        authorize.query.get("state").cloned()
    );
}

#[tokio::test]
async fn document_of_the_client_is_named_only_where_that_is_supported() {
    let document = "https://client.example/client.json";
    let oauth = || oauth().client_metadata_document(document);
    let supported = json!({"client_id_metadata_document_supported": true});
    let (authorize, token) = login(oauth(), json!({}), supported).await;
    assert_eq!(authorize.query["client_id"], document);
    assert_eq!(token.form("client_id").as_deref(), Some(document));
    for server in [
        json!({}),
        json!({"client_id_metadata_document_supported": false}),
    ] {
        let (authorize, _) = login(oauth(), json!({}), server).await;
        assert_eq!(authorize.query["client_id"], "registered");
    }
}

#[tokio::test]
async fn key_of_the_client_is_used_if_both_servers_know_it() {
    let bound = json!({"dpop_signing_alg_values_supported": ["ES256"]});
    let others = json!({"dpop_signing_alg_values_supported": ["RS256"]});
    let none = json!({});
    for (choice, resource, server, expected) in [
        (Dpop::Auto, &bound, &bound, true),
        (Dpop::Auto, &none, &bound, false),
        (Dpop::Auto, &bound, &none, false),
        (Dpop::Auto, &bound, &others, false),
        (Dpop::Auto, &others, &bound, false),
        (Dpop::Never, &bound, &bound, false),
    ] {
        let (authorize, token) =
            login(oauth().dpop(choice), resource.clone(), server.clone()).await;
        let proof = token.header("dpop");
        assert_eq!(proof.is_some(), expected, "{choice:?} {resource} {server}");
        // The code is bound to the key, too.
        let thumbprint = proof.map(|proof| {
            let proof = Proof::verify(proof, &[Algorithm::ES256]);
            proof.expect("a valid proof").thumbprint
        });
        assert_eq!(authorize.query.get("dpop_jkt"), thumbprint.as_ref());
    }
}

#[tokio::test]
async fn unbound_token_is_refused_if_the_server_requires_bound_ones() {
    let servers = AuthServers::start().await;
    let resource = json!({"dpop_bound_access_tokens_required": true});
    let server = json!({"dpop_signing_alg_values_supported": ["ES256"]});
    with_metadata(&servers, resource, server);
    let oauth = oauth().build().expect("valid");
    let error = refused(&servers, &oauth).await;
    let OAuthFault::TokenType { expected, found } = &error.fault else {
        panic!("{error}");
    };
    assert_eq!((*expected, found.as_str()), ("DPoP", "Bearer"));
}

#[tokio::test]
async fn issuer_is_the_one_of_the_program_the_client_or_the_first() {
    // The first one does not exist.
    let both = json!({"authorization_servers": ["https://first.example", "ORIGIN"]});
    let servers = AuthServers::start().await;
    with_metadata(&servers, both.clone(), json!({}));
    let chosen = oauth().issuer(servers.origin()).build().expect("valid");
    connect(&servers, &chosen).await.expect("connected");
    let known = OAuthClient::new("id").issuer(servers.origin());
    let known = oauth().client(known).build().expect("valid");
    connect(&servers, &known).await.expect("connected");
    assert_eq!(servers.asked("/authorize")[1].query["client_id"], "id");
    // One that the server does not name is never used.
    let other = oauth().issuer("https://other.example").build();
    let error = refused(&servers, &other.expect("valid")).await;
    assert!(
        matches!(error.fault, OAuthFault::ClientOfOther { .. }),
        "{error}"
    );
    with_metadata(&servers, json!({"authorization_servers": []}), json!({}));
    let error = refused(&servers, &oauth().build().expect("valid")).await;
    assert!(matches!(error.fault, OAuthFault::NoServers), "{error}");
}

#[tokio::test]
async fn unusable_tokens_are_errors_and_types_have_no_case() {
    for (member, value, fits) in [
        ("token_type", json!("bearer"), true),
        ("token_type", json!("mac"), false),
        ("access_token", json!(""), false),
        ("access_token", json!("a b"), false),
        ("access_token", json!("a\nb"), false),
        ("access_token", json!("x".repeat((64 << 10) + 1)), false),
        ("expires_in", json!("3600"), true),
        ("expires_in", json!("soon"), true),
    ] {
        let servers = AuthServers::start().await;
        let changed = value.clone();
        servers.script(move |asked, servers| {
            (asked.path == "/token").then(|| {
                let mut token = servers.token();
                token[member] = changed.clone();
                answer(200, token)
            })
        });
        let oauth = oauth().build().expect("valid");
        let found = oauth.login(&servers.server()).await;
        assert_eq!(found.is_ok(), fits, "{member} {found:?}");
        let status = oauth.status().await.expect("read");
        let expires = status
            .first()
            .is_some_and(|token| token.expires_at.is_some());
        assert_eq!(expires, fits && value != "soon", "{member} {value}");
    }
}

#[test]
fn invalid_settings_are_errors() {
    let error = |oauth: OAuthBuilder| match oauth.build() {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    };
    let (bound, unbound) = (
        OAuthClient::new("a").issuer("https://a"),
        OAuthClient::new("b"),
    );
    assert_eq!(
        error(oauth().client(bound).client(unbound)),
        "cannot use the configuration for OAuth: with several clients, each needs its issuer"
    );
    // The server would choose who receives the secret.
    let secret = || OAuthClient::new("c").secret("s");
    let job = || OAuthClient::new("job");
    let assertion = |_| std::future::ready(Ok("identity".into()));
    for builder in [
        oauth().client(secret()),
        OAuth::client_credentials(secret()),
        OAuth::workload(job(), assertion),
    ] {
        let text = error(builder);
        assert!(text.contains("needs its issuer"), "{text}");
    }
    for builder in [
        oauth().client(secret()).issuer("https://a"),
        OAuth::client_credentials(secret().issuer("https://a")),
        OAuth::workload(job().trust_first_issuer(), assertion),
        oauth().client(OAuthClient::new("c")),
    ] {
        builder.build().expect("valid");
    }
    for url in ["https://client.example", "https://client.example/"] {
        assert_eq!(
            error(oauth().client_metadata_document(url)),
            "cannot use the configuration for OAuth: the URL of the metadata document at \
             https://client.example:443 has no path"
        );
    }
    for url in ["http://client.example/x", "client.json"] {
        let text = error(oauth().client_metadata_document(url));
        assert!(text.contains("the metadata document is invalid"), "{text}");
    }
    assert!(error(OAuth::stored_tokens().scope("a b")).contains("scope"));
}
