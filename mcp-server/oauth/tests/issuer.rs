//! An authorization server under the control of a test.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use axum::extract::{Form, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use mcp_oauth::jwt::SigningKey;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The identifier of the server under test. Nothing listens there: the server takes it from the
/// configuration.
pub(crate) const RESOURCE: &str = "https://mcp.example.com/mcp";
/// How an endpoint of the authorization server behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Answer,
    Fail,
    Redirect,
    Huge,
    NoJson,
    /// Keys and introspections wait until the behaviour changes.
    Wait,
}

/// An authorization server.
pub(crate) struct TestIssuer {
    pub(crate) url: String,
    pub(crate) key: SigningKey,
    shared: Arc<Shared>,
}

/// The credentials and the form of a request for introspection.
pub(crate) type IntrospectionRequest = (Option<String>, Vec<(String, String)>);

struct Shared {
    url: String,
    keys: Mutex<Vec<Value>>,
    behaviour: Mutex<Behaviour>,
    /// The number of requests for keys.
    loads: AtomicUsize,
    /// What an introspection returns.
    meaning: Mutex<Value>,
    introspections: Mutex<Vec<IntrospectionRequest>>,
}

impl TestIssuer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared {
            url: url.clone(),
            keys: Mutex::default(),
            behaviour: Mutex::new(Behaviour::Answer),
            loads: AtomicUsize::new(0),
            meaning: Mutex::new(json!({ "active": false })),
            introspections: Mutex::default(),
        });
        let app = Router::new()
            .route("/.well-known/oauth-authorization-server", get(metadata))
            .route("/jwks", get(keys))
            .route("/elsewhere", get(elsewhere))
            .route("/introspect", post(introspect))
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, app).await });
        let key = SigningKey::generate().expect("a key");
        let issuer = Self { url, key, shared };
        issuer.publish([public(&issuer.key, "k1")]);
        issuer
    }

    /// Replaces the published keys.
    pub(crate) fn publish(&self, keys: impl IntoIterator<Item = Value>) {
        *self.shared.keys.lock().expect("unpoisoned") = keys.into_iter().collect();
    }

    pub(crate) fn behave(&self, behaviour: Behaviour) {
        *self.shared.behaviour.lock().expect("unpoisoned") = behaviour;
    }

    /// Returns how often the keys were requested.
    pub(crate) fn loads(&self) -> usize {
        self.shared.loads.load(Ordering::SeqCst)
    }

    /// Sets what an introspection returns.
    pub(crate) fn introspect_as(&self, meaning: Value) {
        *self.shared.meaning.lock().expect("unpoisoned") = meaning;
    }

    /// Returns the credentials and the forms of all introspections.
    pub(crate) fn introspections(&self) -> Vec<IntrospectionRequest> {
        self.shared
            .introspections
            .lock()
            .expect("unpoisoned")
            .clone()
    }

    /// Returns the claims of a valid token.
    pub(crate) fn claims(&self) -> Value {
        json!({
            "iss": self.url,
            "aud": RESOURCE,
            "sub": "ada",
            "client_id": "c1",
            "exp": now() + 600,
            "scope": "files:read",
        })
    }

    /// Signs claims with the published key.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        sign(&self.key, "k1", claims)
    }

    /// Returns a valid token with some claims changed. `null` removes a claim.
    pub(crate) fn token(&self, changes: Value) -> String {
        self.sign(&changed(self.claims(), changes))
    }
}

/// Returns claims with some of them changed. `null` removes a claim.
pub(crate) fn changed(mut claims: Value, changes: Value) -> Value {
    let members = claims.as_object_mut().expect("an object");
    let Value::Object(changes) = changes else {
        panic!("expected an object");
    };
    for (name, value) in changes {
        if value.is_null() {
            members.remove(&name);
        } else {
            members.insert(name, value);
        }
    }
    claims
}

pub(crate) fn sign(key: &SigningKey, id: &str, claims: &Value) -> String {
    let mut header = key.header("at+jwt");
    header.kid = Some(id.to_owned());
    key.sign(header, claims).expect("signed")
}

/// Returns a public key with an id.
pub(crate) fn public(key: &SigningKey, id: &str) -> Value {
    let mut public = key.public().expect("a public key");
    public.common.key_id = Some(id.to_owned());
    serde_json::to_value(public).expect("JSON")
}

pub(crate) fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.expect("after 1970").as_secs()
}

async fn metadata(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let url = &shared.url;
    Json(json!({
        "issuer": url,
        "jwks_uri": format!("{url}/jwks"),
        "introspection_endpoint": format!("{url}/introspect"),
    }))
}

impl Shared {
    /// Waits while the behaviour is [`Behaviour::Wait`].
    async fn wait(&self) {
        while *self.behaviour.lock().expect("unpoisoned") == Behaviour::Wait {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

async fn keys(State(shared): State<Arc<Shared>>) -> Response {
    shared.loads.fetch_add(1, Ordering::SeqCst);
    shared.wait().await;
    let keys = shared.keys.lock().expect("unpoisoned").clone();
    let behaviour = *shared.behaviour.lock().expect("unpoisoned");
    match behaviour {
        Behaviour::Answer | Behaviour::Wait => Json(json!({ "keys": keys })).into_response(),
        Behaviour::Fail => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Behaviour::Redirect => {
            (StatusCode::FOUND, [(header::LOCATION, "/elsewhere")]).into_response()
        }
        Behaviour::Huge => Json(json!({ "keys": keys, "x": "x".repeat(1 << 20) })).into_response(),
        Behaviour::NoJson => "<html>".into_response(),
    }
}

/// The target of a redirect. It has the right keys, but nobody may ask for them there.
async fn elsewhere(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let keys = shared.keys.lock().expect("unpoisoned").clone();
    Json(json!({ "keys": keys }))
}

async fn introspect(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Form(form): Form<Vec<(String, String)>>,
) -> Json<Value> {
    let credentials = headers.get(header::AUTHORIZATION);
    let credentials = credentials.map(|value| value.to_str().expect("ASCII").to_owned());
    shared
        .introspections
        .lock()
        .expect("unpoisoned")
        .push((credentials, form));
    shared.wait().await;
    Json(shared.meaning.lock().expect("unpoisoned").clone())
}
