//! The receiver of redirects on this machine.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use mcp_client::oauth::{Loopback, OAuth, OAuthFault};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::world::*;

/// Sends a request to the redirect URI, and returns the response.
pub(crate) async fn browse(redirect: &str, method: &str, target: &str) -> String {
    let address = redirect
        .strip_prefix("http://")
        .and_then(|rest| rest.split('/').next());
    let mut stream = TcpStream::connect(address.expect("an address"))
        .await
        .expect("listens");
    let request = format!("{method} {target} HTTP/1.1\r\nhost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut response = String::new();
    stream
        .read_to_string(&mut response)
        .await
        .expect("received");
    response
}

/// Returns the parameters of the authorization URL that the agent shows.
async fn shown(urls: &Mutex<Vec<String>>) -> std::collections::HashMap<String, String> {
    for _ in 0..500 {
        if let Some(url) = urls.lock().expect("no panic").pop() {
            let query = url.split_once('?').expect("a query").1;
            return form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no URL was shown");
}

fn agent(urls: &Arc<Mutex<Vec<String>>>) -> Loopback {
    let urls = Arc::clone(urls);
    Loopback::new(move |url| {
        urls.lock().expect("no panic").push(url.as_str().to_owned());
        Ok(())
    })
}

#[tokio::test]
async fn only_the_redirect_of_this_login_is_accepted_and_only_once() {
    let world = World::start().await;
    let urls = Arc::default();
    let oauth = OAuth::authorization_code(agent(&urls))
        .build()
        .expect("valid");
    let server = world.server();
    let login = tokio::spawn({
        let oauth = oauth.clone();
        async move { oauth.login(&server).await }
    });
    let asked = shown(&urls).await;
    let redirect = &asked["redirect_uri"];
    assert!(redirect.starts_with("http://127.0.0.1:"), "{redirect}");
    let query = format!(
        "code=c&state={}&iss={}",
        asked["state"],
        encode(&world.origin())
    );
    for (method, target, status) in [
        ("GET", "/favicon.ico".to_owned(), "404"),
        ("POST", format!("/callback?{query}"), "404"),
        ("GET", "/callback".to_owned(), "400"),
        ("GET", "/callback?code=evil&state=evil".to_owned(), "400"),
        ("GET", format!("/callback?{query}&state=x"), "400"),
        ("GET", format!("/callback?{query}"), "200"),
    ] {
        let response = browse(redirect, method, &target).await;
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status} ")),
            "{target}: {response}"
        );
        assert!(!response.contains("evil"), "{response}");
        if status == "200" {
            assert!(response.contains("You may close this page."), "{response}");
        }
    }
    login.await.expect("no panic").expect("logged in");
    let address = redirect
        .trim_start_matches("http://")
        .split('/')
        .next()
        .expect("an address")
        .to_owned();
    TcpStream::connect(address)
        .await
        .expect_err("nothing listens any more");

    // The port of the registration is used again, so that the client need not register again.
    let server = world.server();
    let again = tokio::spawn({
        let oauth = oauth.clone();
        async move { oauth.login(&server).await }
    });
    let asked = shown(&urls).await;
    assert_eq!(&asked["redirect_uri"], redirect);
    let query = format!(
        "code=c&state={}&iss={}",
        asked["state"],
        encode(&world.origin())
    );
    browse(redirect, "GET", &format!("/callback?{query}")).await;
    again.await.expect("no panic").expect("logged in");
    assert_eq!(world.count("/register"), 1);
}

#[tokio::test]
async fn login_ends_if_the_browser_does_not_come_back() {
    let world = World::start().await;
    let urls = Arc::default();
    let agent = agent(&urls).time(Duration::from_millis(50));
    let oauth = OAuth::authorization_code(agent).build().expect("valid");
    let error = oauth.login(&world.server()).await.expect_err("too late");
    assert!(matches!(error.fault, OAuthFault::UserAgent(_)), "{error}");
    assert!(
        error.to_string().contains("did not come back within"),
        "{error}"
    );
}
