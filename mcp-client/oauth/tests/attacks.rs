//! Servers that attack the client, or users through it.

use std::time::Duration;

use mcp_client::{FetchError, FetchPolicy};
use mcp_client_oauth::{OAuthFault, OAuthStep};
use serde_json::json;

use super::auth_servers::*;

const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
const SERVER: &str = "/.well-known/oauth-authorization-server";

/// Returns why a login fails if the redirect has this query; `STATE` and `ISS` stand for the right
/// values.
async fn redirected(query: &'static str) -> OAuthFault {
    let servers = AuthServers::start().await;
    servers.script(move |asked, servers| {
        (asked.path == "/authorize").then(|| {
            let query = query.replace("STATE", &asked.query["state"]);
            redirect_with(&query.replace("ISS", &encode(&servers.origin())))
        })
    });
    let oauth = oauth().build().expect("valid");
    let error = refused(&servers, &oauth).await;
    assert_eq!(error.step, OAuthStep::Authorization);
    assert_eq!(servers.count("/token"), 0, "the code was sent");
    let text = error.to_string();
    assert!(
        !text.contains("secret-code") && !text.contains("evil"),
        "{text}"
    );
    error.fault
}

#[tokio::test]
async fn redirects_of_other_logins_and_issuers_are_rejected() {
    for query in [
        "code=secret-code&iss=ISS",
        "code=secret-code&state=evil&iss=ISS",
        "code=secret-code&state=STATEx&iss=ISS",
        "error=evil&error_description=evil&state=evil&iss=ISS",
    ] {
        let fault = redirected(query).await;
        assert!(matches!(fault, OAuthFault::State), "{query}: {fault}");
    }
    for query in [
        "code=secret-code&state=STATE",
        "code=secret-code&state=STATE&iss=https%3A%2F%2Fevil.example",
        "code=secret-code&state=STATE&iss=ISS%2F",
        // What the wrong server says is not shown.
        "error=evil&error_description=evil&state=STATE&iss=https%3A%2F%2Fevil.example",
    ] {
        let fault = redirected(query).await;
        assert!(matches!(fault, OAuthFault::Iss { .. }), "{query}: {fault}");
    }
    for query in [
        "code=secret-code&code=evil&state=STATE&iss=ISS",
        "code=secret-code&state=STATE&state=STATE&iss=ISS",
        "code=secret-code&state=STATE&iss=ISS&iss=evil",
        "state=STATE&iss=ISS",
        "code=&state=STATE&iss=ISS",
    ] {
        let fault = redirected(query).await;
        assert!(matches!(fault, OAuthFault::Redirect(_)), "{query}: {fault}");
    }
    let fault = redirected("error=access_denied&state=STATE&iss=ISS").await;
    assert!(matches!(fault, OAuthFault::Refused { error, .. } if error == "access_denied"));
}

#[tokio::test]
async fn query_of_a_url_is_in_no_error() {
    let servers = AuthServers::start().await;
    servers.without_metadata();
    let oauth = oauth().build().expect("valid");
    let server = format!("{}?key=secret-key", servers.server());
    let error = oauth.login(&server).await.expect_err("no metadata");
    assert!(
        !format!("{error} {error:?}").contains("secret-key"),
        "{error}"
    );
    let client = mcp_client::Http::new(format!("{server}\\"));
    assert!(!format!("{client:?}").contains("secret-key"));
    let connecting = mcp_client::Client::builder("test", "1").connect(client);
    let error = connecting.await.expect_err("no URL");
    assert!(
        !format!("{error} {error:?}").contains("secret-key"),
        "{error}"
    );
}

#[tokio::test]
async fn redirect_of_an_earlier_login_is_rejected() {
    let servers = AuthServers::start().await;
    let oauth = oauth().build().expect("valid");
    let first = oauth
        .begin(&servers.server(), REDIRECT)
        .await
        .expect("begun");
    let second = oauth
        .begin(&servers.server(), REDIRECT)
        .await
        .expect("begun");
    let url = first.url().as_str().to_owned();
    let state = url.split("state=").nth(1).expect("a state");
    let state = state.split('&').next().expect("a state");
    let iss = encode(&servers.origin());
    let redirect = format!("{REDIRECT}?code=c&state={state}&iss={iss}");
    let error = oauth
        .finish(second, &redirect)
        .await
        .expect_err("another login");
    assert!(matches!(error.fault, OAuthFault::State), "{error}");
    oauth.finish(first, &redirect).await.expect("finished");
}

#[tokio::test]
async fn metadata_of_another_server_or_issuer_are_not_used() {
    let servers = AuthServers::start().await;
    servers.script(|asked, _| {
        let metadata = json!({"resource": "https://evil.example/mcp", "authorization_servers": ["https://evil.example"]});
        (asked.path == RESOURCE).then(|| answer(200, metadata))
    });
    let oauth = oauth().build().expect("valid");
    let error = refused(&servers, &oauth).await;
    assert!(
        matches!(error.fault, OAuthFault::Resource { .. }),
        "{error}"
    );

    servers.script(|asked, servers| {
        let mut metadata = servers.server_metadata();
        metadata["issuer"] = json!("https://honest.example");
        (asked.path == SERVER).then(|| answer(200, metadata))
    });
    let oauth = super::auth_servers::oauth().build().expect("valid");
    let error = refused(&servers, &oauth).await;
    assert!(matches!(error.fault, OAuthFault::Issuer { .. }), "{error}");
    assert_eq!(servers.count("/register"), 0);
}

#[tokio::test]
async fn server_without_pkce_is_refused_unless_it_is_known() {
    let servers = AuthServers::start().await;
    for methods in [json!(null), json!([]), json!(["plain"])] {
        servers.script(move |asked, servers| {
            let mut metadata = servers.server_metadata();
            metadata["code_challenge_methods_supported"] = methods.clone();
            (asked.path == SERVER).then(|| answer(200, metadata))
        });
        let strict = oauth().build().expect("valid");
        let error = refused(&servers, &strict).await;
        assert!(matches!(error.fault, OAuthFault::Pkce), "{error}");
        assert!(error.to_string().contains("S256"), "{error}");
    }
    assert_eq!(servers.count("/authorize"), 0);
    let lenient = oauth()
        .assume_pkce(servers.origin())
        .build()
        .expect("valid");
    connect(&servers, &lenient).await.expect("connected");
    assert_eq!(
        servers.asked("/authorize")[0].query["code_challenge_method"],
        "S256"
    );
}

/// Answers for a public name whose server is on this machine, so that the policy takes it for
/// public.
fn public_policy(servers: &AuthServers) -> FetchPolicy {
    let port = servers.address.port();
    FetchPolicy::new()
        .time(Duration::from_secs(5))
        .resolver(move |host: String, _| async move {
            let ip = match host.as_str() {
                "internal.example" => [10, 0, 0, 1],
                "metadata.example" => [169, 254, 169, 254],
                "rebound.example" => [127, 0, 0, 1],
                _ => [192, 168, 7, 7],
            };
            Ok(vec![(ip, port).into()])
        })
}

#[tokio::test]
async fn metadata_cannot_lead_to_private_addresses() {
    // A server on this machine may name private networks, but not the services of a cloud provider.
    for (host, refused_host) in [
        ("https://metadata.example", true),
        ("https://169.254.169.254", true),
        ("http://metadata.example", true),
        ("http://192.168.7.7", true),
        ("https://user@rebound.example", true),
        ("file:///etc/passwd", true),
        ("javascript:alert(1)", true),
    ] {
        let servers = AuthServers::start().await;
        servers.script(move |asked, servers| {
            let mut metadata = servers.resource_metadata();
            metadata["authorization_servers"] = json!([host]);
            (asked.path == RESOURCE).then(|| answer(200, metadata))
        });
        let oauth = oauth()
            .policy(public_policy(&servers))
            .build()
            .expect("valid");
        let error = refused(&servers, &oauth).await;
        assert_eq!(error.step, OAuthStep::ServerMetadata, "{host}");
        let is_policy = match &error.fault {
            OAuthFault::Fetch(error) => matches!(**error, FetchError::Address { .. }),
            OAuthFault::Endpoint { .. } => true,
            _ => false,
        };
        assert_eq!(is_policy, refused_host, "{host}: {error}");
    }
}

#[tokio::test]
async fn endpoints_cannot_be_other_schemes_or_hosts_in_plain_text() {
    for name in [
        "authorization_endpoint",
        "token_endpoint",
        "registration_endpoint",
        "revocation_endpoint",
    ] {
        for url in [
            "http://example.com/x",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://a.example/\" onload",
            "https://u:p@a.example/",
            "https://a.example/#x",
            "/relative",
        ] {
            let servers = AuthServers::start().await;
            servers.script(move |asked, servers| {
                let mut metadata = servers.server_metadata();
                metadata[name] = json!(url);
                (asked.path == SERVER).then(|| answer(200, metadata))
            });
            let oauth = oauth().build().expect("valid");
            let error = refused(&servers, &oauth).await;
            let found =
                matches!(error.fault, OAuthFault::Endpoint { name: found, .. } if found == name);
            assert!(found, "{name} {url}: {error}");
        }
    }
}

#[tokio::test]
async fn huge_slow_and_endless_answers_are_cut_off() {
    type Make = fn(&AuthServers) -> Answer;
    let cases: [(&str, Make); 5] = [
        ("more than the", |_| answer(200, "x".repeat(300 << 10))),
        // It does not say how long it is.
        ("more than the", |_| {
            answer(200, "x".repeat(300 << 10)).header("connection", "close")
        }),
        ("nothing was received", |_| {
            let mut slow = answer(200, "{}");
            slow.pause = Duration::from_secs(60);
            slow
        }),
        ("too many redirects", |servers| {
            answer(302, "").header("location", format!("{}{RESOURCE}", servers.origin()))
        }),
        ("it leads to", |_| {
            answer(302, "").header("location", "https://evil.example/")
        }),
    ];
    for (text, make) in cases {
        let servers = AuthServers::start().await;
        servers.script(move |asked, servers| (asked.path == RESOURCE).then(|| make(servers)));
        let policy = FetchPolicy::new()
            .size(256 << 10)
            .idle(Duration::from_millis(300))
            .time(Duration::from_secs(5));
        let oauth = oauth().policy(policy).build().expect("valid");
        let error = refused(&servers, &oauth).await;
        assert!(error.to_string().contains(text), "{error}");
        assert!(servers.count(RESOURCE) <= 5);
    }
}

#[tokio::test]
async fn documents_are_bounded_by_default() {
    for path in [RESOURCE, SERVER, "/register", "/token"] {
        let servers = AuthServers::start().await;
        servers.script(move |asked, _| {
            (asked.path == path).then(|| answer(200, "x".repeat((256 << 10) + 1)))
        });
        let error = refused(&servers, &oauth().build().expect("valid")).await;
        let is_too_large = match &error.fault {
            OAuthFault::Fetch(error) => matches!(**error, FetchError::TooLarge { .. }),
            _ => false,
        };
        assert!(is_too_large, "{path}: {error}");
    }
}

#[tokio::test]
async fn redirects_of_requests_with_secrets_are_not_followed() {
    for path in ["/token", "/register"] {
        let servers = AuthServers::start().await;
        servers.script(move |asked, servers| {
            let location = format!("{}/elsewhere", servers.origin());
            (asked.path == path).then(|| answer(307, "").header("location", location))
        });
        let oauth = oauth().build().expect("valid");
        let error = refused(&servers, &oauth).await;
        assert!(
            matches!(error.fault, OAuthFault::Status(status) if status == 307),
            "{error}"
        );
        assert_eq!(servers.count("/elsewhere"), 0);
    }
}

#[tokio::test]
async fn challenges_of_other_schemes_and_malformed_ones_do_not_hide_ours() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        let is_first = asked.path == "/mcp" && asked.header("authorization").is_none();
        is_first.then(|| {
            let url = format!("{}{RESOURCE}", servers.origin());
            let ours =
                format!("Basic x, bearer realm=\"a, b\", scope=\"s\", resource_metadata=\"{url}\"");
            answer(401, "")
                .header("www-authenticate", "Digest qop=\"auth")
                .header("www-authenticate", "Digest scope=\"digest\", realm=\"x\"")
                .header("www-authenticate", "Negotiate, Broken a=b c=d")
                .header("www-authenticate", ours)
        })
    });
    let oauth = oauth().build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    assert_eq!(servers.asked("/authorize")[0].query["scope"], "s");
}
