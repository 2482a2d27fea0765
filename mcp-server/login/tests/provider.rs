//! A provider that does what a test says: OpenID Connect, and the API of GitHub.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use mcp_login::Provider;
use mcp_oauth::jwt::SigningKey;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The secret of the server at the provider.
pub(crate) const SECRET: &str = "secret-of-the-server";

/// How the endpoints of the provider behave that the server calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Answer,
    /// Status 500.
    Fail,
    /// Not JSON.
    Garbage,
    /// No answer, until the behaviour changes.
    Wait,
    /// An error of OAuth.
    Refuse,
    /// A redirect to another host.
    Redirect,
    /// A response that has no end.
    Huge,
}

/// A provider.
#[derive(Clone)]
pub(crate) struct TestProvider {
    pub(crate) url: String,
    shared: Arc<Shared>,
}

struct Shared {
    url: String,
    key: SigningKey,
    /// The claims of the user who is logged in at the provider.
    user: Mutex<Value>,
    /// Claims that are changed in ID tokens. `null` removes one.
    id_changes: Mutex<Value>,
    /// Parameters that are added to redirects, or replaced.
    redirect_changes: Mutex<Vec<(String, String)>>,
    behaviour: Mutex<Behaviour>,
    codes: Mutex<HashMap<String, HashMap<String, String>>>,
    count: AtomicUsize,
    refreshes: AtomicUsize,
    expires_in: AtomicU64,
    /// The parameters of all requests for authorization.
    authorizations: Mutex<Vec<HashMap<String, String>>>,
}

type Params = HashMap<String, String>;

impl TestProvider {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared {
            url: url.clone(),
            key: SigningKey::generate().expect("a key"),
            user: Mutex::new(ada()),
            id_changes: Mutex::new(json!({})),
            redirect_changes: Mutex::default(),
            behaviour: Mutex::new(Behaviour::Answer),
            codes: Mutex::default(),
            count: AtomicUsize::new(0),
            refreshes: AtomicUsize::new(0),
            expires_in: AtomicU64::new(3600),
            authorizations: Mutex::default(),
        });
        let app = Router::new()
            .route("/.well-known/openid-configuration", get(metadata))
            .route("/authorize", get(authorize))
            .route("/login/oauth/authorize", get(authorize))
            .route("/token", post(token))
            .route("/login/oauth/access_token", post(token))
            .route("/jwks", get(keys))
            .route("/userinfo", get(user_info))
            .route("/api/user", get(github_user))
            .route("/api/user/emails", get(github_emails))
            .route("/api/user/orgs", get(github_organizations))
            .route("/api/user/teams", get(github_teams))
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, shared }
    }

    /// Returns it as a provider with OpenID.
    pub(crate) fn openid(&self) -> Provider {
        Provider::openid(&self.url, "server", SECRET)
    }

    /// Returns it as GitHub.
    pub(crate) fn github(&self) -> Provider {
        let api = format!("{}/api", self.url);
        Provider::github_at(&self.url, &api, "server", SECRET).scope("read:org")
    }

    pub(crate) fn behave(&self, behaviour: Behaviour) {
        *self.shared.behaviour.lock().expect("no panic") = behaviour;
    }

    /// Logs another user in at the provider.
    pub(crate) fn user(&self, claims: Value) {
        *self.shared.user.lock().expect("no panic") = claims;
    }

    pub(crate) fn change_id_token(&self, changes: Value) {
        *self.shared.id_changes.lock().expect("no panic") = changes;
    }

    pub(crate) fn change_redirect(&self, changes: &[(&str, &str)]) {
        let changes = changes
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        *self.shared.redirect_changes.lock().expect("no panic") = changes.collect();
    }

    /// Sets the time until access tokens expire, in seconds.
    pub(crate) fn expire_in(&self, seconds: u64) {
        self.shared.expires_in.store(seconds, Ordering::SeqCst);
    }

    pub(crate) fn refreshes(&self) -> usize {
        self.shared.refreshes.load(Ordering::SeqCst)
    }

    /// Returns the parameters of the last request for authorization.
    pub(crate) fn last_authorization(&self) -> Params {
        let all = self.shared.authorizations.lock().expect("no panic");
        all.last().cloned().expect("a request")
    }
}

pub(crate) fn ada() -> Value {
    json!({
        "sub": "1", "name": "Ada Lovelace", "preferred_username": "ada", "email": "ada@example.com",
        "email_verified": true, "groups": ["staff"],
    })
}

pub(crate) fn bob() -> Value {
    json!({ "sub": "2", "name": "Bob", "email": "bob@example.com", "email_verified": true, "groups": [] })
}

impl Shared {
    /// Behaves badly, if the test says so.
    async fn behave(&self) -> Option<Response> {
        loop {
            let behaviour = *self.behaviour.lock().expect("no panic");
            return match behaviour {
                Behaviour::Answer => None,
                Behaviour::Fail => Some(StatusCode::INTERNAL_SERVER_ERROR.into_response()),
                Behaviour::Garbage => Some("<html><script>alert(1)</script>".into_response()),
                Behaviour::Refuse => {
                    let body = json!({
                        "error": "invalid_grant",
                        "error_description": "<script>\u{1b}[31m no",
                    });
                    Some((StatusCode::BAD_REQUEST, Json(body)).into_response())
                }
                Behaviour::Redirect => {
                    let to = [(header::LOCATION, "http://127.0.0.1:1/")];
                    Some((StatusCode::TEMPORARY_REDIRECT, to).into_response())
                }
                Behaviour::Huge => Some(" ".repeat(4 << 20).into_response()),
                Behaviour::Wait => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                }
            };
        }
    }

    fn tokens(&self, code: &Params) -> Value {
        let number = self.count.fetch_add(1, Ordering::SeqCst);
        let access = format!("secret-provider-access-{number}");
        let mut claims = self.user.lock().expect("no panic").clone();
        let now = now();
        claims["iss"] = json!(self.url);
        claims["aud"] = json!("server");
        claims["exp"] = json!(now + 300);
        claims["iat"] = json!(now);
        claims["nonce"] = json!(code.get("nonce"));
        claims["at_hash"] = json!(at_hash(&access));
        let changes = self.id_changes.lock().expect("no panic").clone();
        for (name, value) in changes.as_object().expect("an object") {
            claims[name.as_str()] = value.clone();
        }
        let claims = claims.as_object().expect("an object").clone();
        let claims: serde_json::Map<_, _> = claims
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .collect();
        let mut head = self.key.header("JWT");
        head.kid = Some("k1".to_owned());
        json!({
            "access_token": access,
            "refresh_token": format!("secret-provider-refresh-{number}"),
            "token_type": "Bearer",
            "expires_in": self.expires_in.load(Ordering::SeqCst),
            "id_token": self.key.sign(head, &claims).expect("signed"),
        })
    }
}

fn now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    now.expect("after 1970").as_secs()
}

/// Returns the left half of the SHA-256 digest of a token, as base64url.
fn at_hash(token: &str) -> String {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    let digest = URL_SAFE_NO_PAD
        .decode(mcp_oauth::sha256(token.as_bytes()))
        .expect("base64");
    URL_SAFE_NO_PAD.encode(&digest[..16])
}

async fn metadata(State(shared): State<Arc<Shared>>) -> Response {
    if let Some(bad) = shared.behave().await {
        return bad;
    }
    let url = &shared.url;
    Json(json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{url}/token"),
        "jwks_uri": format!("{url}/jwks"),
        "userinfo_endpoint": format!("{url}/userinfo"),
        "authorization_response_iss_parameter_supported": true,
    }))
    .into_response()
}

/// Redirects back at once: the user is logged in, and has allowed the server before.
async fn authorize(State(shared): State<Arc<Shared>>, Query(params): Query<Params>) -> Redirect {
    shared
        .authorizations
        .lock()
        .expect("no panic")
        .push(params.clone());
    let code = format!(
        "secret-provider-code-{}",
        shared.count.fetch_add(1, Ordering::SeqCst)
    );
    let mut back: Vec<(String, String)> = vec![
        ("code".into(), code.clone()),
        ("state".into(), params["state"].clone()),
        ("iss".into(), shared.url.clone()),
    ];
    for (name, value) in &*shared.redirect_changes.lock().expect("no panic") {
        back.retain(|(other, _)| other != name);
        if !value.is_empty() {
            back.push((name.clone(), value.clone()));
        }
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(&back);
    let redirect = params["redirect_uri"].clone();
    shared.codes.lock().expect("no panic").insert(code, params);
    Redirect::to(&format!("{redirect}?{}", query.finish()))
}

async fn token(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Form(form): Form<Params>,
) -> Response {
    if let Some(bad) = shared.behave().await {
        return bad;
    }
    let invalid = || {
        let body = json!({ "error": "invalid_grant" });
        (StatusCode::BAD_REQUEST, Json(body)).into_response()
    };
    let basic = headers.get(header::AUTHORIZATION);
    let is_known = match basic.and_then(|value| value.to_str().ok()) {
        Some(basic) => basic == "Basic c2VydmVyOnNlY3JldC1vZi10aGUtc2VydmVy",
        None => form
            .get("client_secret")
            .is_some_and(|secret| secret == SECRET),
    };
    if !is_known {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    if form
        .get("grant_type")
        .is_some_and(|grant| grant == "refresh_token")
    {
        shared.refreshes.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(50)).await;
        return Json(shared.tokens(&Params::new())).into_response();
    }
    let code = form.get("code");
    let code = code.and_then(|code| shared.codes.lock().expect("no panic").remove(code));
    let Some(code) = code else {
        return invalid();
    };
    let verifier = form.get("code_verifier").cloned().unwrap_or_default();
    if mcp_oauth::sha256(verifier.as_bytes()) != code["code_challenge"] {
        return invalid();
    }
    Json(shared.tokens(&code)).into_response()
}

async fn keys(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let mut public = shared.key.public().expect("a public key");
    public.common.key_id = Some("k1".to_owned());
    Json(json!({ "keys": [{ "kty": "unknown" }, public] }))
}

async fn user_info(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let user = shared.user.lock().expect("no panic").clone();
    Json(user)
}

/// Returns the user as the API of GitHub describes one, if the request has a token.
async fn github_user(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let token = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let is_known = token.is_some_and(|token| token.starts_with("Bearer secret-provider-access-"));
    if !is_known || !headers.contains_key(header::USER_AGENT) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let user = shared.user.lock().expect("no panic").clone();
    let id: u64 = user["sub"]
        .as_str()
        .and_then(|sub| sub.parse().ok())
        .expect("a number");
    Json(json!({
        "id": id, "login": user["preferred_username"], "name": user["name"], "email": "public@example.com",
    }))
    .into_response()
}

async fn github_emails(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let user = shared.user.lock().expect("no panic").clone();
    Json(json!([
        { "email": "old@example.com", "primary": false, "verified": true },
        { "email": user["email"], "primary": true, "verified": user["email_verified"] },
    ]))
}

async fn github_organizations() -> Json<Value> {
    Json(json!([{ "login": "acme" }]))
}

async fn github_teams() -> Json<Value> {
    Json(json!([{ "slug": "admins", "organization": { "login": "acme" } }]))
}
