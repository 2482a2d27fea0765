//! Logins without a user.

use std::sync::Arc;

use mcp_client_oauth::{OAuthFault, OAuthStep};

use super::auth_servers::*;

/// Returns why a login fails if the authorization server answers like this.
async fn failed(
    make: impl Fn(&RecordedRequest, &AuthServers) -> Answer + Send + Sync + 'static,
) -> (String, Arc<AuthServers>) {
    let servers = AuthServers::start().await;
    servers.script(move |asked, servers| {
        asked
            .path
            .starts_with("/authorize")
            .then(|| make(asked, servers))
    });
    let error = refused(&servers, &oauth().build().expect("valid")).await;
    assert_eq!(error.step, OAuthStep::Authorization);
    let OAuthFault::UserAgent(fault) = error.fault else {
        panic!("{error}");
    };
    assert_eq!(servers.count("/token"), 0);
    (fault.to_string(), servers)
}

#[tokio::test]
async fn authorization_server_has_to_redirect_at_once() {
    let (fault, _) = failed(|_, _| answer(200, "<form>")).await;
    assert_eq!(
        fault,
        "expected a redirect, but the page has the HTTP status 200 OK"
    );
    let (fault, _) = failed(|_, _| answer(302, "")).await;
    assert_eq!(fault, "the redirect has no `Location`");
    let (fault, servers) = failed(|asked, servers| {
        let next = format!("{}{}x", servers.origin(), asked.path);
        answer(302, "").header("location", next)
    })
    .await;
    assert_eq!(fault, "there were too many redirects");
    let count = |redirects: usize| servers.count(&format!("/authorize{}", "x".repeat(redirects)));
    assert_eq!((count(10), count(11)), (1, 0));
}

#[tokio::test]
async fn only_the_redirect_uri_itself_ends_the_login() {
    for other in ["/callback2", "/callback/", "/call"] {
        // The client follows the redirect, and nothing listens there.
        let (fault, _) = failed(move |asked, servers| {
            let answer = servers.redirect(asked);
            let mut headers = answer.headers.iter();
            let (_, location) = headers.find(|(name, _)| name == "location").expect("one");
            let location = location.replace("/callback", other);
            self::answer(302, "").header("location", location)
        })
        .await;
        assert!(!fault.contains("secret-code"), "{fault}");
    }
}
