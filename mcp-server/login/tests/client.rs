//! A client: it registers, sends users to the server, and gets tokens.

use std::net::SocketAddr;

use mcp_testkit::http::raw::{Head, Raw};
use serde_json::{Value, json};

use super::browser::{Browser, Page, encoded};
use super::setup::PUBLIC;

/// Where the client waits for the redirect. Nobody listens there.
pub(crate) const REDIRECT: &str = "http://127.0.0.1:7777/cb";

/// A client that has registered.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) id: String,
    pub(crate) secret: Option<String>,
    pub(crate) redirect: String,
    pub(crate) verifier: String,
}

/// The tokens of a client.
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
    pub(crate) body: Value,
}

impl Tokens {
    pub(crate) fn of(response: (u16, Value)) -> Self {
        let (status, body) = response;
        assert_eq!(status, 200, "{body}");
        let text = |name: &str| body[name].as_str().expect("a string").to_owned();
        Self {
            access: text("access_token"),
            refresh: text("refresh_token"),
            body,
        }
    }
}

impl Client {
    /// Registers a native client.
    pub(crate) async fn register(address: SocketAddr) -> Self {
        Self::register_at(address, REDIRECT).await
    }

    pub(crate) async fn register_at(address: SocketAddr, redirect: &str) -> Self {
        let metadata = json!({ "client_name": "Test client", "redirect_uris": [redirect] });
        let (status, body) = register(address, &metadata.to_string()).await;
        assert_eq!(status, 201, "{body}");
        Self::new(
            address,
            body["client_id"].as_str().expect("an id"),
            redirect,
        )
    }

    /// A client with an id.
    pub(crate) fn new(address: SocketAddr, id: &str, redirect: &str) -> Self {
        Self {
            address,
            id: id.to_owned(),
            secret: None,
            redirect: redirect.to_owned(),
            verifier: mcp_oauth::random().expect("random"),
        }
    }

    /// Returns the parameters of a valid authorization request.
    pub(crate) fn params(&self) -> Vec<(&'static str, String)> {
        vec![
            ("response_type", "code".to_owned()),
            ("client_id", self.id.clone()),
            ("redirect_uri", self.redirect.clone()),
            ("state", "state-of-client".to_owned()),
            (
                "code_challenge",
                mcp_oauth::sha256(self.verifier.as_bytes()),
            ),
            ("code_challenge_method", "S256".to_owned()),
            ("resource", PUBLIC.to_owned()),
        ]
    }

    /// Returns the URL to which the client sends the user.
    pub(crate) fn url(&self) -> String {
        self.url_with(&[])
    }

    /// The same, with some parameters changed. An empty value removes one.
    pub(crate) fn url_with(&self, changes: &[(&'static str, &str)]) -> String {
        let mut params = self.params();
        for (name, value) in changes {
            params.retain(|(other, _)| other != name);
            if !value.is_empty() {
                params.push((name, (*value).to_owned()));
            }
        }
        authorize_url(&params)
    }

    /// Logs a user in with a browser, and returns the URL at which the browser arrives.
    pub(crate) async fn arrive(&self, browser: &mut Browser) -> Page {
        self.arrive_with(browser, &[]).await
    }

    pub(crate) async fn arrive_with(
        &self,
        browser: &mut Browser,
        changes: &[(&'static str, &str)],
    ) -> Page {
        let page = browser.open(&self.url_with(changes)).await;
        browser.allow(&page).await
    }

    /// Logs a user in with a browser, and returns the code.
    pub(crate) async fn code(&self, browser: &mut Browser) -> String {
        let arrived = self.arrive(browser).await;
        assert!(arrived.url.starts_with(&self.redirect), "{arrived:?}");
        assert_eq!(arrived.param("state").as_deref(), Some("state-of-client"));
        assert_eq!(arrived.param("iss").as_deref(), Some(PUBLIC));
        arrived.param("code").expect("a code")
    }

    /// Logs a user in with a browser, and returns the tokens.
    pub(crate) async fn log_in(&self, browser: &mut Browser) -> Tokens {
        let code = self.code(browser).await;
        Tokens::of(self.exchange(&code).await)
    }

    /// Exchanges a code.
    pub(crate) async fn exchange(&self, code: &str) -> (u16, Value) {
        self.exchange_with(code, &[]).await
    }

    pub(crate) async fn exchange_with(&self, code: &str, changes: &[(&str, &str)]) -> (u16, Value) {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &*self.redirect),
            ("code_verifier", &*self.verifier),
            ("resource", PUBLIC),
        ];
        for (name, value) in changes {
            form.retain(|(other, _)| other != name);
            if !value.is_empty() {
                form.push((name, value));
            }
        }
        self.token(&form).await
    }

    /// Exchanges a refresh token.
    pub(crate) async fn refresh(&self, token: &str) -> (u16, Value) {
        self.token(&[("grant_type", "refresh_token"), ("refresh_token", token)])
            .await
    }

    /// Sends a form to the token endpoint, with the id and the secret of the client.
    pub(crate) async fn token(&self, form: &[(&str, &str)]) -> (u16, Value) {
        let (head, body) = self.send("/token", form, &[]).await;
        assert_eq!(head.get("cache-control"), Some("no-store"));
        let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
        (head.status, body)
    }

    pub(crate) async fn send(
        &self,
        path: &str,
        form: &[(&str, &str)],
        headers: &[(&'static str, &str)],
    ) -> (Head, String) {
        let mut form = form.to_vec();
        if !form.iter().any(|(name, _)| *name == "client_id") {
            form.push(("client_id", &self.id));
        }
        if let Some(secret) = &self.secret {
            form.push(("client_secret", secret));
        }
        send_form(self.address, path, &form, headers).await
    }
}

/// Sends a form, without cookies.
pub(crate) async fn send_form(
    address: SocketAddr,
    path: &str,
    form: &[(&str, &str)],
    headers: &[(&'static str, &str)],
) -> (Head, String) {
    let mut all = vec![(
        "Content-Type",
        "application/x-www-form-urlencoded".to_owned(),
    )];
    for (name, value) in headers {
        all.push((name, (*value).to_owned()));
    }
    Raw::connect(address)
        .await
        .at(path)
        .ask("POST", &all, &encoded(form))
        .await
}

/// Registers a client.
pub(crate) async fn register(address: SocketAddr, metadata: &str) -> (u16, Value) {
    let headers = [("Content-Type", "application/json".to_owned())];
    let mut raw = Raw::connect(address).await.at("/register");
    let (head, body) = raw.ask("POST", &headers, metadata).await;
    let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
    (head.status, body)
}

/// Returns the URL of an authorization request.
pub(crate) fn authorize_url(params: &[(&'static str, String)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(params);
    format!("{PUBLIC}/authorize?{}", query.finish())
}
