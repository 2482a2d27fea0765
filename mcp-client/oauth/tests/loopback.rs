//! The receiver of redirects on this machine.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use mcp_client_oauth::{Loopback, MemoryStore, OAuth, OAuthClient, OAuthError, OAuthFault};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::auth_servers::*;

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
    let servers = AuthServers::start().await;
    let urls = Arc::default();
    let oauth = OAuth::authorization_code(agent(&urls))
        .build()
        .expect("valid");
    let server = servers.server();
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
        encode(&servers.origin())
    );
    for (method, target, status) in [
        ("GET", "/favicon.ico".to_owned(), "404"),
        ("POST", format!("CALLBACK?{query}"), "404"),
        ("GET", "CALLBACK".to_owned(), "400"),
        ("GET", "CALLBACK?code=evil&state=evil".to_owned(), "400"),
        ("GET", format!("CALLBACK?{query}&state=x"), "400"),
        ("GET", format!("CALLBACK?{query}"), "200"),
    ] {
        let response = browse(redirect, method, &target).await;
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status} ")),
            "{target}: {response}"
        );
        assert!(!response.contains("evil"), "{response}");
        for header in [
            "content-security-policy: default-src 'none'\r\n",
            "cache-control: no-store\r\n",
            "connection: close\r\n",
        ] {
            assert!(response.contains(header), "{response}");
        }
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
    let server = servers.server();
    let again = tokio::spawn({
        let oauth = oauth.clone();
        async move { oauth.login(&server).await }
    });
    let asked = shown(&urls).await;
    assert_eq!(&asked["redirect_uri"], redirect);
    let query = format!(
        "code=c&state={}&iss={}",
        asked["state"],
        encode(&servers.origin())
    );
    browse(redirect, "GET", &format!("CALLBACK?{query}")).await;
    again.await.expect("no panic").expect("logged in");
    assert_eq!(servers.count("/register"), 1);
}

/// Begins a login at a loopback receiver. Returns the redirect URI and the query of the redirect.
async fn begun(
    servers: &AuthServers,
    oauth: &OAuth,
    urls: &Mutex<Vec<String>>,
) -> (JoinHandle<Result<(), OAuthError>>, String, String) {
    let (oauth, server) = (oauth.clone(), servers.server());
    let login = tokio::spawn(async move { oauth.login(&server).await });
    let asked = shown(urls).await;
    let issuer = encode(&servers.origin());
    let query = format!("code=c&state={}&iss={issuer}", asked["state"]);
    (login, asked["redirect_uri"].clone(), query)
}

#[tokio::test]
async fn second_redirect_is_told_that_it_is_too_late() {
    let servers = AuthServers::start().await;
    let urls = Arc::default();
    let oauth = OAuth::authorization_code(agent(&urls)).build();
    let (login, redirect, query) = begun(&servers, &oauth.expect("valid"), &urls).await;
    let address = redirect.split('/').nth(2).expect("an address");
    // It connects before the first one, but sends its request later.
    let mut second = TcpStream::connect(address).await.expect("listens");
    second.write_all(b"GET ").await.expect("sent");
    let target = format!("CALLBACK?{query}");
    let page = browse(&redirect, "GET", &target).await;
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    let path = redirect.split('/').skip(3).collect::<Vec<_>>().join("/");
    let target = target.replace("CALLBACK", &format!("/{path}"));
    let rest = format!("{target} HTTP/1.1\r\nhost: x\r\n\r\n");
    second.write_all(rest.as_bytes()).await.expect("sent");
    let mut page = String::new();
    second.read_to_string(&mut page).await.expect("received");
    assert!(page.starts_with("HTTP/1.1 400 "), "{page}");
    assert!(page.contains("has already been completed"), "{page}");
    login.await.expect("no panic").expect("logged in");
    assert_eq!(servers.count("/token"), 1);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn receiver_listens_at_its_own_address_only() {
    let servers = AuthServers::start().await;
    let urls = Arc::default();
    let oauth = OAuth::authorization_code(agent(&urls)).build();
    let (login, redirect, query) = begun(&servers, &oauth.expect("valid"), &urls).await;
    let port = redirect.split([':', '/']).nth(4).expect("a port");
    // Also an address of this machine.
    let elsewhere = TcpStream::connect(format!("127.0.0.2:{port}")).await;
    elsewhere.expect_err("nothing listens there");
    browse(&redirect, "GET", &format!("CALLBACK?{query}")).await;
    login.await.expect("no panic").expect("logged in");
}

#[tokio::test]
async fn port_of_the_program_counts_more_than_that_of_the_registration() {
    let servers = AuthServers::start().await;
    let (urls, store) = (Arc::default(), MemoryStore::new());
    let free = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = free.local_addr().expect("an address").port();
    let any = OAuth::authorization_code(agent(&urls)).store(store.clone());
    let chosen = OAuth::authorization_code(agent(&urls).port(port)).store(store);
    let (login, redirect, query) = begun(&servers, &any.build().expect("valid"), &urls).await;
    browse(&redirect, "GET", &format!("CALLBACK?{query}")).await;
    login.await.expect("no panic").expect("logged in");
    let chosen = chosen.build().expect("valid");
    let error = chosen.login(&servers.server()).await.expect_err("in use");
    let text = format!("cannot listen on port {port} of 127.0.0.1");
    assert!(error.to_string().contains(&text), "{error}");
    drop(free);
    let (login, redirect, query) = begun(&servers, &chosen, &urls).await;
    let start = format!("http://127.0.0.1:{port}/callback/");
    assert!(redirect.starts_with(&start), "{redirect}");
    browse(&redirect, "GET", &format!("CALLBACK?{query}")).await;
    login.await.expect("no panic").expect("logged in");
    assert_eq!(servers.count("/register"), 2);
}

#[tokio::test]
async fn number_of_connections_to_the_receiver_is_bounded() {
    let servers = AuthServers::start().await;
    let urls = Arc::default();
    let oauth = OAuth::authorization_code(agent(&urls)).build();
    let (login, redirect, query) = begun(&servers, &oauth.expect("valid"), &urls).await;
    let address = redirect.split('/').nth(2).expect("an address");
    let mut idle = Vec::new();
    for _ in 0..16 {
        idle.push(TcpStream::connect(address).await.expect("listens"));
    }
    let target = format!("CALLBACK?{query}");
    let redirect = browse(&redirect, "GET", &target);
    let mut redirect = std::pin::pin!(redirect);
    let early = tokio::time::timeout(Duration::from_millis(300), &mut redirect).await;
    early.expect_err("waits for one of the others to end");
    drop(idle);
    let page = redirect.await;
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    login.await.expect("no panic").expect("logged in");
}

#[tokio::test]
async fn login_ends_if_the_browser_does_not_come_back() {
    let servers = AuthServers::start().await;
    let urls = Arc::default();
    let agent = agent(&urls).time(Duration::from_millis(50));
    let oauth = OAuth::authorization_code(agent).build().expect("valid");
    let error = oauth.login(&servers.server()).await.expect_err("too late");
    assert!(matches!(error.fault, OAuthFault::UserAgent(_)), "{error}");
    assert!(
        error.to_string().contains("did not come back within"),
        "{error}"
    );
}

#[tokio::test]
async fn login_ends_if_the_program_cannot_show_the_address() {
    let servers = AuthServers::start().await;
    let agent = Loopback::new(|_| Err("there is no screen".into()));
    let agent = agent.time(Duration::from_secs(5));
    let oauth = OAuth::authorization_code(agent).build().expect("valid");
    let error = oauth.login(&servers.server()).await.expect_err("not shown");
    assert!(error.to_string().contains("there is no screen"), "{error}");
}

#[tokio::test]
async fn redirect_of_another_issuer_is_not_accepted() {
    let (one, two) = (AuthServers::start().await, AuthServers::start().await);
    let urls = Arc::default();
    let oauth = OAuth::authorization_code(agent(&urls)).build();
    let oauth = oauth.expect("valid");
    let (other, elsewhere, ending) = begun(&two, &oauth, &urls).await;
    browse(&elsewhere, "GET", &format!("CALLBACK?{ending}")).await;
    other.await.expect("no panic").expect("logged in");
    // The first server sends the browser to the issuer of the second one, which sends it back to
    // the redirect URI that it knows, on any port.
    let (login, redirect, query) = begun(&one, &oauth, &urls).await;
    let path = elsewhere.split('/').skip(3).collect::<Vec<_>>().join("/");
    for target in [format!("/{path}?{query}"), format!("/callback?{query}")] {
        let page = browse(&redirect, "GET", &target).await;
        assert!(page.starts_with("HTTP/1.1 404 "), "{target}: {page}");
    }
    browse(&redirect, "GET", &format!("CALLBACK?{query}")).await;
    login.await.expect("no panic").expect("logged in");
    assert_eq!((one.count("/token"), two.count("/token")), (1, 1));
}

#[tokio::test]
async fn redirect_uri_of_a_client_that_is_registered_in_advance_is_fixed() {
    let servers = AuthServers::start().await;
    let urls = Arc::default();
    let known = OAuthClient::new("id");
    let oauth = OAuth::authorization_code(agent(&urls)).client(known);
    let (login, redirect, query) = begun(&servers, &oauth.build().expect("valid"), &urls).await;
    assert!(redirect.ends_with("/callback"), "{redirect}");
    browse(&redirect, "GET", &format!("CALLBACK?{query}")).await;
    login.await.expect("no panic").expect("logged in");
}
