//! [`Net`]: requests to the URLs that a server and its metadata name.

use std::fmt::Display;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use mcp_fetch::{FetchError, FetchPolicy, FetchRequest, FetchResponse, Origin, UrlFault};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

use super::error::{OAuthError, OAuthFault, OAuthStep};

/// The media type of metadata, tokens and registrations.
const JSON: &str = "application/json";

/// Sends requests within the policy for one server.
#[derive(Clone)]
pub(super) struct Net {
    policy: FetchPolicy,
    /// Whether the server is on this machine.
    local: bool,
}

/// A response, read to its end.
pub(super) struct NetResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Zeroizing<Vec<u8>>,
}

impl Net {
    /// Creates the policy for what a server names.
    pub(super) fn around(policy: &FetchPolicy, server: &str) -> Result<Self, UrlFault> {
        let origin = Origin::parse(server)?;
        Ok(Self {
            local: origin.is_loopback(),
            policy: policy.around(&origin),
        })
    }

    /// Creates the policy for what a server names, which the program named.
    pub(super) fn of_server(policy: &FetchPolicy, server: &str) -> Result<Self, OAuthError> {
        Self::around(policy, server).map_err(invalid_server)
    }

    /// Requests a document. Redirects are followed within the origin.
    pub(super) async fn get(&self, url: &str) -> Result<NetResponse, FetchError> {
        let get = FetchRequest::get(&self.policy, url)
            .header(ACCEPT, HeaderValue::from_static(JSON))
            .follow(&|_, _| false);
        NetResponse::read(get.send().await?).await
    }

    /// Sends a request without following redirects.
    pub(super) async fn send(
        &self,
        method: Method,
        url: &str,
        mut headers: HeaderMap,
        body: Option<(&'static str, Bytes)>,
    ) -> Result<NetResponse, FetchError> {
        if !headers.contains_key(ACCEPT) {
            headers.insert(ACCEPT, HeaderValue::from_static(JSON));
        }
        let body = body.map_or_else(Bytes::new, |(media_type, body)| {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
            body
        });
        let request = FetchRequest::new(&self.policy, method, url)
            .headers(headers)
            .body(body);
        NetResponse::read(request.send().await?).await
    }

    /// Sends a GET request, and returns the head of the response. Its body may have no end.
    pub(super) async fn head(
        &self,
        url: &str,
        headers: HeaderMap,
    ) -> Result<(StatusCode, HeaderMap), FetchError> {
        let request = FetchRequest::get(&self.policy, url).headers(headers);
        let response = request.send().await?;
        Ok((response.status, response.headers))
    }

    /// Checks a URL to which the user is sent: `https`, or `http` on this machine if the server is
    /// there, too.
    pub(super) fn check_for_browser(&self, url: &str) -> Result<(), UrlFault> {
        let origin = Origin::parse(url)?;
        if origin.secure || self.local && origin.is_loopback() {
            return Ok(());
        }
        Err(UrlFault::Scheme("http".to_owned()))
    }
}

impl NetResponse {
    async fn read(mut response: FetchResponse) -> Result<Self, FetchError> {
        Ok(Self {
            status: response.status,
            headers: response.headers,
            body: Zeroizing::new(response.body.read_all().await?),
        })
    }

    /// Decodes the body as JSON.
    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T, OAuthFault> {
        // The text of an error names members and positions, and quotes no values but of wrong
        // types.
        serde_json::from_slice(&self.body).map_err(|error| {
            let position = (error.line(), error.column());
            let text = if error.is_data() {
                "a member is missing or has the wrong type"
            } else {
                "it is not JSON"
            };
            OAuthFault::Document(format!(
                "{text} (line {}, column {})",
                position.0, position.1
            ))
        })
    }
}

/// Returns the error for the URL of a server that is invalid.
pub(super) fn invalid_server(fault: impl Display) -> OAuthError {
    let text = format!("the URL of the server is invalid: {fault}");
    OAuthError::new(OAuthStep::Configuration, OAuthFault::Configuration(text))
}

/// An error (RFC 6749, section 5.2).
#[derive(Deserialize)]
struct ErrorResponse {
    error: String,
    #[serde(default)]
    error_description: Option<String>,
}

/// Returns why the authorization server refused a request.
pub(super) fn refusal(response: &NetResponse) -> OAuthFault {
    const SHOWN: usize = 300;
    let status: StatusCode = response.status;
    match response.json::<ErrorResponse>() {
        Ok(refused) if !status.is_server_error() => OAuthFault::Refused {
            error: refused.error.chars().take(SHOWN).collect(),
            description: refused
                .error_description
                .map(|text| text.chars().take(SHOWN).collect()),
        },
        _ => OAuthFault::Status(status),
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::net::TcpListener;

    use super::*;

    fn around(server: &str) -> Net {
        Net::around(&FetchPolicy::new(), server).expect("a URL")
    }

    #[test]
    fn browser_is_sent_to_this_machine_only_by_a_server_on_it() {
        let local = "http://127.0.0.1:1/authorize";
        let remote = around("https://a.example/mcp");
        assert!(remote.check_for_browser("https://a.example").is_ok());
        assert!(remote.check_for_browser(local).is_err());
        let own = around("http://127.0.0.1:2/mcp");
        assert!(own.check_for_browser(local).is_ok());
        for url in ["http://192.168.0.1/", "http://a.example/", "file:///x"] {
            assert!(own.check_for_browser(url).is_err(), "{url}");
        }
    }

    /// Sends a request to a port of this machine, for a server whose name is resolved to this
    /// machine.
    async fn reaches_this_machine(server: &str, at: SocketAddr) -> Result<(), FetchError> {
        let policy = FetchPolicy::new().resolver(|_, port| async move {
            let local = [127, 0, 0, 1];
            Ok(vec![(local, port).into()])
        });
        let net = Net::around(&policy, server).expect("a URL");
        let url = format!("http://{at}/");
        net.head(&url, HeaderMap::new()).await.map(drop)
    }

    #[tokio::test]
    async fn name_that_is_resolved_to_this_machine_does_not_reach_it() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = listener.local_addr().expect("an address");
        // The first one is somebody else's: it has no certificate for the name.
        let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = taken.local_addr().expect("an address").port();
        tokio::spawn(async move { while taken.accept().await.is_ok() {} });
        for server in [
            format!("https://a.example:{port}/mcp"),
            "https://a.example:1/mcp".to_owned(),
            format!("http://a.example:{port}/mcp"),
        ] {
            let reached = reaches_this_machine(&server, at).await;
            let Err(FetchError::Address { address, .. }) = reached else {
                panic!("{server}: {reached:?}");
            };
            assert!(address.is_loopback());
        }
        let connected = std::future::poll_fn(|cx| listener.poll_accept(cx).map(|_| ()));
        let connected = tokio::time::timeout(std::time::Duration::from_millis(50), connected);
        assert!(connected.await.is_err(), "a connection was opened");
    }

    #[tokio::test]
    async fn server_on_this_machine_reaches_it() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = listener.local_addr().expect("an address");
        tokio::spawn(async move { while listener.accept().await.is_ok() {} });
        for server in ["http://127.0.0.1:1/mcp", "http://localhost:1/mcp"] {
            let reached = reaches_this_machine(server, at).await;
            // The connection is closed without a response.
            assert!(
                matches!(reached, Err(FetchError::Exchange(_))),
                "{reached:?}"
            );
        }
    }
}
