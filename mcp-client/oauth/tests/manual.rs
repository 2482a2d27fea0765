//! Logins whose redirect the user copies by hand.

use std::collections::HashMap;

use mcp_client_oauth::{AuthorizationUrl, Manual, OAuth, OAuthFault, OAuthStep, Secret};

use super::auth_servers::*;

/// Returns a user who pastes what `paste` makes of the query of the redirect.
fn pasting(servers: &AuthServers, paste: fn(&str) -> String) -> OAuth {
    let issuer = encode(&servers.origin());
    let agent = Manual::new(REDIRECT, move |url: AuthorizationUrl| {
        let (_, query) = url.as_str().split_once('?').expect("a query");
        let pairs: HashMap<_, _> = form_urlencoded::parse(query.as_bytes()).collect();
        let answer = format!("code=secret-code&state={}&iss={issuer}", pairs["state"]);
        let pasted = paste(&answer);
        async move { Ok(Secret::new(pasted)) }
    });
    OAuth::authorization_code(agent).build().expect("valid")
}

#[tokio::test]
async fn pasted_url_or_query_completes_the_login() {
    for paste in [
        (|query| format!("{REDIRECT}?{query}")) as fn(&str) -> String,
        |query| query.to_owned(),
        |query| format!("?{query}"),
    ] {
        let servers = AuthServers::start().await;
        let oauth = pasting(&servers, paste);
        let client = connect(&servers, &oauth).await.expect("connected");
        client.tools().all().await.expect("listed");
        let token = &servers.asked("/token")[0];
        assert_eq!(token.form("code").as_deref(), Some("secret-code"));
        assert_eq!(token.form("redirect_uri").as_deref(), Some(REDIRECT));
    }
}

#[tokio::test]
async fn pasted_url_of_another_login_is_refused() {
    for paste in [
        (|query| format!("{REDIRECT}?{}", query.replace("state=", "state=x")))
            as fn(&str) -> String,
        |_| format!("{REDIRECT}?code=secret-code"),
        |_| String::new(),
    ] {
        let servers = AuthServers::start().await;
        let error = refused(&servers, &pasting(&servers, paste)).await;
        assert_eq!(error.step, OAuthStep::Authorization);
        assert!(matches!(error.fault, OAuthFault::State), "{error}");
        assert_eq!(servers.count("/token"), 0);
    }
}
