//! Where the client looks for metadata, and when it gives up.

use mcp_client_oauth::{OAuthFault, OAuthStep};

use super::auth_servers::*;

const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
const ROOT: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";

fn is_well_known(asked: &RecordedRequest) -> bool {
    asked.path.starts_with("/.well-known/")
}

#[tokio::test]
async fn metadata_of_the_server_may_be_at_the_root() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| match asked.path.as_str() {
        RESOURCE => Some(answer(404, "")),
        ROOT => Some(answer(200, servers.resource_metadata())),
        _ => None,
    });
    let oauth = oauth().build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    // The challenge names the first one. It is requested once.
    assert_eq!((servers.count(RESOURCE), servers.count(ROOT)), (1, 1));
}

/// Metadata at these paths that describe the whole origin.
async fn with_parent_at(paths: &'static [&'static str]) -> std::sync::Arc<AuthServers> {
    let servers = AuthServers::start().await;
    servers.script(move |asked, servers| {
        let mut metadata = servers.resource_metadata();
        metadata["resource"] = servers.origin().into();
        match asked.path.as_str() {
            path if paths.contains(&path) => Some(answer(200, metadata)),
            RESOURCE | ROOT => Some(answer(404, "")),
            _ => None,
        }
    });
    servers
}

#[tokio::test]
async fn only_the_root_describes_more_than_the_server() {
    let oauth = || oauth().build().expect("valid");
    for paths in [&[ROOT][..], &[RESOURCE, ROOT]] {
        let servers = with_parent_at(paths).await;
        connect(&servers, &oauth()).await.expect("connected");
        let requested = &servers.asked("/authorize")[0].query["resource"];
        assert_eq!(*requested, servers.origin());
    }
    // Another server on the same origin could ask for a token for this one.
    let servers = with_parent_at(&[RESOURCE]).await;
    let error = refused(&servers, &oauth()).await;
    assert!(
        matches!(error.fault, OAuthFault::Resource { .. }),
        "{error}"
    );
    assert_eq!(servers.count("/authorize"), 0);
}

#[tokio::test]
async fn strict_client_accepts_metadata_of_the_server_only() {
    let strict = || oauth().strict_resource(true).build().expect("valid");
    let servers = with_parent_at(&[ROOT]).await;
    let error = refused(&servers, &strict()).await;
    assert!(
        matches!(error.fault, OAuthFault::Resource { .. }),
        "{error}"
    );
    assert_eq!(servers.count("/authorize"), 0);
    let servers = AuthServers::start().await;
    connect(&servers, &strict()).await.expect("connected");
}

#[tokio::test]
async fn issuers_without_a_path_may_differ_by_a_slash() {
    for (listed, own, fits) in [
        ("/", "", true),
        ("", "/", true),
        ("/tenant", "/tenant/", false),
        ("/tenant/", "/tenant", false),
    ] {
        let servers = AuthServers::start().await;
        servers.script(move |asked, servers| {
            let issuer = format!("{}{own}", servers.origin());
            let mut resource = servers.resource_metadata();
            resource["authorization_servers"] = [format!("{}{listed}", servers.origin())].into();
            let mut server = servers.server_metadata();
            server["issuer"] = issuer.clone().into();
            match asked.path.as_str() {
                RESOURCE => Some(answer(200, resource)),
                path if path.starts_with(SERVER) => Some(answer(200, server)),
                // The redirect names the issuer exactly as its metadata do.
                "/authorize" => Some(redirect_with(&format!(
                    "code=c&state={}&iss={}",
                    asked.query["state"],
                    encode(&issuer)
                ))),
                _ => None,
            }
        });
        let oauth = oauth().build().expect("valid");
        if fits {
            connect(&servers, &oauth).await.expect("connected");
        } else {
            let error = refused(&servers, &oauth).await;
            assert!(matches!(error.fault, OAuthFault::Issuer { .. }), "{error}");
        }
        assert_eq!(servers.count("/token"), usize::from(fits), "{listed} {own}");
    }
}

#[tokio::test]
async fn challenge_may_name_any_url_of_the_metadata() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| match asked.path.as_str() {
        RESOURCE | ROOT => Some(answer(404, "")),
        "/metadata" => Some(answer(200, servers.resource_metadata())),
        "/mcp" if asked.header("authorization").is_none() => {
            let url = format!("{}/metadata", servers.origin());
            let challenge = format!("Bearer resource_metadata=\"{url}\"");
            Some(answer(401, "").header("www-authenticate", challenge))
        }
        _ => None,
    });
    let oauth = oauth().build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    assert_eq!(
        (servers.count("/metadata"), servers.count(RESOURCE)),
        (1, 0)
    );
}

#[tokio::test]
async fn metadata_of_the_issuer_may_be_those_of_openid() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| match asked.path.as_str() {
        SERVER => Some(answer(404, "")),
        OPENID => Some(answer(200, servers.server_metadata())),
        _ => None,
    });
    let oauth = oauth().build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
}

#[tokio::test]
async fn failure_is_not_a_missing_document() {
    for (failing, next, step) in [
        (RESOURCE, ROOT, OAuthStep::ResourceMetadata),
        (SERVER, OPENID, OAuthStep::ServerMetadata),
    ] {
        let servers = AuthServers::start().await;
        servers.script(move |asked, _| (asked.path == failing).then(|| answer(503, "")));
        // With support of old servers, whose metadata may be missing.
        let oauth = oauth().legacy_servers(true).build().expect("valid");
        let error = refused(&servers, &oauth).await;
        assert_eq!(error.step, step);
        assert!(
            matches!(error.fault, OAuthFault::Status(status) if status == 503),
            "{error}"
        );
        assert!(error.to_string().contains(failing), "{error}");
        assert_eq!((servers.count(next), servers.count("/authorize")), (0, 0));
    }
}

/// A server of 2025-03-26: no metadata, and a challenge that names none.
fn without_metadata(asked: &RecordedRequest, _: &AuthServers) -> Option<Answer> {
    match asked.path.as_str() {
        _ if is_well_known(asked) => Some(answer(404, "")),
        "/mcp" if asked.header("authorization").is_none() => {
            Some(answer(401, "").header("www-authenticate", "Bearer"))
        }
        // Such a server sends no `iss`.
        "/authorize" => Some(redirect_with(&format!(
            "code=secret-code&state={}",
            asked.query["state"]
        ))),
        _ => None,
    }
}

#[tokio::test]
async fn server_without_metadata_needs_the_choice_of_the_program() {
    let servers = AuthServers::start().await;
    servers.script(without_metadata);
    let strict = oauth().build().expect("valid");
    let error = refused(&servers, &strict).await;
    assert!(matches!(error.fault, OAuthFault::NotFound(_)), "{error}");
    assert_eq!(
        (servers.count("/authorize"), servers.count("/register")),
        (0, 0)
    );
    let lenient = oauth().legacy_servers(true).build().expect("valid");
    connect(&servers, &lenient).await.expect("connected");
    let authorize = &servers.asked("/authorize")[0].query;
    assert_eq!(authorize["code_challenge_method"], "S256");
    assert_eq!(servers.count("/register"), 1);
}

#[tokio::test]
async fn server_that_names_metadata_is_no_old_one() {
    let servers = AuthServers::start().await;
    servers.script(|asked, _| is_well_known(asked).then(|| answer(404, "")));
    let lenient = oauth().legacy_servers(true).build().expect("valid");
    let error = refused(&servers, &lenient).await;
    assert!(matches!(error.fault, OAuthFault::NotFound(_)), "{error}");
    assert_eq!(servers.count("/authorize"), 0);
}
