//! Logins without a user.

use mcp_client::oauth::{OAuthFault, OAuthStep};

use crate::world::*;

/// Returns why a login fails if the authorization server answers like this.
async fn failed(make: impl Fn(&Asked, &World) -> Answer + Send + Sync + 'static) -> String {
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
    fault.to_string()
}

#[tokio::test]
async fn authorization_server_has_to_redirect_at_once() {
    let fault = failed(|_, _| answer(200, "<form>")).await;
    assert_eq!(
        fault,
        "expected a redirect, but the page has the HTTP status 200 OK"
    );
    let fault = failed(|_, _| answer(302, "")).await;
    assert_eq!(fault, "the redirect has no `Location`");
    let fault = failed(|asked, world| {
        let next = format!("{}{}x", world.origin(), asked.path);
        answer(302, "").header("location", next)
    });
    assert_eq!(fault.await, "there were too many redirects");
}
