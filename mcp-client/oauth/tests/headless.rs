//! Logins without a user.

use std::sync::Arc;

use mcp_client_oauth::{OAuthFault, OAuthStep};

use super::world::*;

/// Returns why a login fails if the authorization server answers like this.
async fn failed(
    make: impl Fn(&Asked, &World) -> Answer + Send + Sync + 'static,
) -> (String, Arc<World>) {
    let world = World::start().await;
    world.script(move |asked, world| {
        asked
            .path
            .starts_with("/authorize")
            .then(|| make(asked, world))
    });
    let error = refused(&world, &oauth().build().expect("valid")).await;
    assert_eq!(error.step, OAuthStep::Authorization);
    let OAuthFault::UserAgent(fault) = error.fault else {
        panic!("{error}");
    };
    assert_eq!(world.count("/token"), 0);
    (fault.to_string(), world)
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
    let (fault, world) = failed(|asked, world| {
        let next = format!("{}{}x", world.origin(), asked.path);
        answer(302, "").header("location", next)
    })
    .await;
    assert_eq!(fault, "there were too many redirects");
    let count = |redirects: usize| world.count(&format!("/authorize{}", "x".repeat(redirects)));
    assert_eq!((count(10), count(11)), (1, 0));
}

#[tokio::test]
async fn only_the_redirect_uri_itself_ends_the_login() {
    for other in ["/callback2", "/callback/", "/call"] {
        // The client follows the redirect, and nothing listens there.
        let (fault, _) = failed(move |asked, world| {
            let answer = world.redirect(asked);
            let mut headers = answer.headers.iter();
            let (_, location) = headers.find(|(name, _)| name == "location").expect("one");
            let location = location.replace("/callback", other);
            self::answer(302, "").header("location", location)
        })
        .await;
        assert!(!fault.contains("secret-code"), "{fault}");
    }
}
