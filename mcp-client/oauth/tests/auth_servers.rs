//! A protected server and its authorization server, on one port of this machine.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{CallError, Client, ConnectError, Http, HttpError, TransportError};
use mcp_client_oauth::{Headless, OAuth, OAuthBuilder, OAuthError, OAuthFault};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The redirect URI of the tests. Nothing listens there.
pub(crate) const REDIRECT: &str = "http://127.0.0.1:9/callback";

#[derive(Clone, Debug, Default)]
pub(crate) struct RecordedRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: HashMap<String, String>,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl RecordedRequest {
    /// Returns a parameter of the form in the body.
    pub(crate) fn form(&self, name: &str) -> Option<String> {
        pairs(&self.body).remove(name)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Waits before the body.
    pub(crate) pause: Duration,
}

/// Returns a response. Text is the body itself, other values are written as JSON.
pub(crate) fn answer(status: u16, body: impl Into<Value>) -> Answer {
    let body = match body.into() {
        Value::String(text) => text,
        value => value.to_string(),
    };
    Answer {
        status,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body,
        pause: Duration::ZERO,
    }
}

impl Answer {
    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

type Script = Box<dyn Fn(&RecordedRequest, &AuthServers) -> Option<Answer> + Send + Sync>;

/// The servers. The script answers first, then the defaults.
pub(crate) struct AuthServers {
    pub(crate) address: SocketAddr,
    script: Mutex<Script>,
    asked: Mutex<Vec<RecordedRequest>>,
    /// Access tokens that the server accepts.
    valid: Mutex<Vec<String>>,
    issued: Mutex<usize>,
}

impl AuthServers {
    pub(crate) async fn start() -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let servers = Arc::new(Self {
            address: listener.local_addr().expect("an address"),
            script: Mutex::new(Box::new(|_, _| None)),
            asked: Mutex::default(),
            valid: Mutex::default(),
            issued: Mutex::new(0),
        });
        let serving = Arc::clone(&servers);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(Arc::clone(&serving), stream));
            }
        });
        servers
    }

    pub(crate) fn script(
        &self,
        script: impl Fn(&RecordedRequest, &AuthServers) -> Option<Answer> + Send + Sync + 'static,
    ) {
        *lock(&self.script) = Box::new(script);
    }

    /// Answers requests for metadata with 404.
    pub(crate) fn without_metadata(&self) {
        self.script(|asked, _| {
            let is_metadata = asked.path.starts_with("/.well-known/");
            is_metadata.then(|| answer(404, ""))
        });
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn server(&self) -> String {
        format!("{}/mcp", self.origin())
    }

    /// Returns the requests to a path.
    pub(crate) fn asked(&self, path: &str) -> Vec<RecordedRequest> {
        let asked = lock(&self.asked);
        let asked = asked.iter().filter(|asked| asked.path == path);
        asked.cloned().collect()
    }

    pub(crate) fn count(&self, path: &str) -> usize {
        self.asked(path).len()
    }

    /// Makes all access tokens invalid.
    pub(crate) fn expire(&self) {
        lock(&self.valid).clear();
    }

    /// Returns a response with a new token.
    pub(crate) fn token(&self) -> Value {
        let mut issued = lock(&self.issued);
        *issued += 1;
        let access = format!("access-token-{issued}");
        lock(&self.valid).push(access.clone());
        json!({
            "access_token": access, "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": format!("refresh-token-{issued}"),
        })
    }

    pub(crate) fn resource_metadata(&self) -> Value {
        json!({"resource": self.server(), "authorization_servers": [self.origin()]})
    }

    pub(crate) fn server_metadata(&self) -> Value {
        let origin = self.origin();
        json!({
            "issuer": origin,
            "authorization_endpoint": format!("{origin}/authorize"),
            "token_endpoint": format!("{origin}/token"),
            "registration_endpoint": format!("{origin}/register"),
            "revocation_endpoint": format!("{origin}/revoke"),
            "token_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        })
    }

    /// The same of a server that binds tokens to keys.
    pub(crate) fn server_metadata_with_proofs(&self) -> Value {
        let mut metadata = self.server_metadata();
        metadata["dpop_signing_alg_values_supported"] = json!(["ES256"]);
        metadata
    }

    /// Returns the redirect with a code.
    pub(crate) fn redirect(&self, asked: &RecordedRequest) -> Answer {
        let state = asked.query.get("state").cloned().unwrap_or_default();
        let query = format!(
            "code=secret-code&state={state}&iss={}",
            encode(&self.origin())
        );
        redirect_with(&query)
    }

    pub(crate) fn challenge(&self, status: u16, more: &str) -> Answer {
        let url = format!("{}/.well-known/oauth-protected-resource/mcp", self.origin());
        let challenge = format!("Bearer resource_metadata=\"{url}\"{more}");
        answer(status, "").header("www-authenticate", challenge)
    }

    /// Returns the answer to a message with a valid token.
    pub(crate) fn message(&self, asked: &RecordedRequest) -> Answer {
        let token = asked.header("authorization").unwrap_or_default();
        let token = token.strip_prefix("Bearer ").unwrap_or_default();
        if !lock(&self.valid).iter().any(|valid| valid == token) {
            return self.challenge(401, "");
        }
        result(asked)
    }

    fn default(&self, asked: &RecordedRequest) -> Answer {
        match asked.path.as_str() {
            "/.well-known/oauth-protected-resource/mcp" => answer(200, self.resource_metadata()),
            "/.well-known/oauth-authorization-server" => answer(200, self.server_metadata()),
            "/register" => answer(201, json!({"client_id": "registered"})),
            "/authorize" => self.redirect(asked),
            "/token" => answer(200, self.token()),
            "/revoke" => answer(200, ""),
            "/mcp" if asked.method == "POST" => self.message(asked),
            "/mcp" => self.challenge(401, ""),
            _ => answer(404, ""),
        }
    }
}

pub(crate) fn redirect_with(query: &str) -> Answer {
    answer(302, "").header("location", format!("{REDIRECT}?{query}"))
}

/// Returns the result of a request.
pub(crate) fn result(asked: &RecordedRequest) -> Answer {
    let message: Value = serde_json::from_str(&asked.body).expect("a message");
    let mut result = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
    match message["method"].as_str() {
        Some("server/discover") => {
            result["supportedVersions"] = json!([Revision::LATEST.as_str()]);
            result["capabilities"] = json!({"tools": {}});
        }
        Some("tools/list") => result["tools"] = json!([]),
        _ => result["content"] = json!([]),
    }
    answer(
        200,
        json!({"jsonrpc": "2.0", "id": message["id"], "result": result}),
    )
}

pub(crate) fn oauth() -> OAuthBuilder {
    OAuth::authorization_code(Headless::new(REDIRECT)).client_name("test")
}

/// Connects a client, which needs a token for it.
pub(crate) async fn connect(servers: &AuthServers, oauth: &OAuth) -> Result<Client, ConnectError> {
    let server = Http::new(servers.server()).auth(oauth.clone());
    let connecting = Client::builder("test", "1").connect(server);
    let connected = tokio::time::timeout(Duration::from_secs(30), connecting).await;
    connected.expect("in time")
}

/// Connects a client, which fails, and returns why.
pub(crate) async fn refused(servers: &AuthServers, oauth: &OAuth) -> OAuthError {
    match connect(servers, oauth).await {
        Ok(_) => panic!("connected"),
        Err(ConnectError::Call(error)) => fault(&error),
        Err(error) => panic!("another error: {error}"),
    }
}

pub(crate) fn fault(error: &CallError) -> OAuthError {
    let CallError::Lost { source, .. } = error else {
        panic!("another error: {error}");
    };
    let TransportError::Http(HttpError::Authorize(source)) = source.as_ref() else {
        panic!("another error: {error}");
    };
    let error = source.downcast_ref::<OAuthError>();
    error.expect("an error of OAuth").clone()
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic")
}

/// Checks that the client refused a token because it is not bound to the client's key.
pub(crate) fn assert_needs_bound_token(error: &OAuthError) {
    let is_refused = matches!(
        error.fault,
        OAuthFault::TokenType {
            expected: "DPoP",
            ..
        }
    );
    assert!(is_refused, "{error}");
}

pub(crate) fn encode(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn pairs(text: &str) -> HashMap<String, String> {
    let pairs = form_urlencoded::parse(text.as_bytes());
    pairs.into_owned().collect()
}

async fn serve(servers: Arc<AuthServers>, mut stream: TcpStream) -> Option<()> {
    let mut read = Vec::new();
    loop {
        let asked = loop {
            if let Some((asked, used)) = parse(&read) {
                read.drain(..used);
                break asked;
            }
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).await.ok()?;
            read.extend_from_slice(bytes.get(..count).filter(|bytes| !bytes.is_empty())?);
        };
        lock(&servers.asked).push(asked.clone());
        let scripted = lock(&servers.script)(&asked, &servers);
        let answer = scripted.unwrap_or_else(|| servers.default(&asked));
        let mut head = format!("HTTP/1.1 {} X\r\n", answer.status);
        for (name, value) in &answer.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        // Without a length, the body ends with the connection.
        let has_length = !answer.headers.iter().any(|(name, _)| name == "connection");
        if has_length {
            head.push_str(&format!("content-length: {}\r\n", answer.body.len()));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).await.ok()?;
        tokio::time::sleep(answer.pause).await;
        stream.write_all(answer.body.as_bytes()).await.ok()?;
        if !has_length {
            return None;
        }
    }
}

/// Parses a request, and returns its length.
fn parse(read: &[u8]) -> Option<(RecordedRequest, usize)> {
    let end = read.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(read.get(..end)?).ok()?;
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.get("content-length");
    let length: usize = length.map_or(0, |length| length.parse().expect("a number"));
    let body = read.get(end..end + length)?;
    let asked = RecordedRequest {
        method,
        path: path.to_owned(),
        query: pairs(query),
        headers,
        body: String::from_utf8_lossy(body).into_owned(),
    };
    Some((asked, end + length))
}

/// Sends a request to the server of a redirect URI, and returns the response. `CALLBACK` in the
/// target stands for the path of the redirect URI.
pub(crate) async fn browse(redirect: &str, method: &str, target: &str) -> String {
    let rest = redirect.strip_prefix("http://").expect("a URL");
    let (address, path) = rest.split_once('/').expect("a path");
    let target = target.replace("CALLBACK", &format!("/{path}"));
    let mut stream = TcpStream::connect(address).await.expect("listens");
    let request = format!("{method} {target} HTTP/1.1\r\nhost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut response = String::new();
    stream
        .read_to_string(&mut response)
        .await
        .expect("received");
    response
}
