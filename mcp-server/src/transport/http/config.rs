//! [`HttpConfig`], and what is refused before a body is read.

use crate::transport::http::refusal::Refusal;
use std::sync::Arc;

use http::HeaderName;
use http::header::{ACCEPT, CONTENT_TYPE, HOST};
use http::request::Parts;
use mcp_types::Revision;

use super::header_names::PROTOCOL_VERSION;
use super::network::IpNetwork;
use super::refused_log::RefusedLog;
use super::session::event_store::EventStore;
use super::session::session_store::SessionStore;
use crate::protocol::extensions::Principal;
use crate::transport::http::operation_paths::Paths;

/// Under which names an endpoint may be reached.
///
/// The default is for servers on the user's own machine: `localhost`, `127.0.0.1` and `[::1]`, at
/// any port. A page in a browser cannot reach such a server by a name of its own that leads there
/// (DNS rebinding), since both headers would tell.
#[derive(Clone, Default)]
pub struct HttpConfig {
    hosts: Hosts,
    origins: Vec<String>,
    pub(crate) sessions: Option<Arc<dyn SessionStore>>,
    pub(crate) events: Option<Arc<dyn EventStore>>,
    pub(crate) http_sse: Option<String>,
    pub(crate) proxies: Vec<IpNetwork>,
    pub(crate) paths: Paths,
    pub(crate) headers: Vec<String>,
    pub(crate) refused: RefusedLog,
}

impl std::fmt::Debug for HttpConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpConfig")
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .field("proxies", &self.proxies)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, Default)]
enum Hosts {
    #[default]
    Local,
    Listed(Vec<String>),
    Any,
}

impl HttpConfig {
    /// The default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The names that the header `Host` may say, in place of the local ones: `example.com` for any
    /// port, `example.com:8443` for that one. Pages of these hosts may send requests, too.
    #[must_use]
    pub fn allow_hosts<T: Into<String>>(mut self, hosts: impl IntoIterator<Item = T>) -> Self {
        let hosts = hosts.into_iter().map(|host| lower(host.into())).collect();
        self.hosts = Hosts::Listed(hosts);
        self
    }

    /// The pages in browsers that may send requests and read the responses (CORS), beside those
    /// of the server's own hosts: `https://app.example.com`, with the port where it is not the
    /// scheme's. There is no wildcard.
    ///
    /// Pages may send the headers of the protocol, `Authorization` and those of
    /// [`allow_headers`](Self::allow_headers). Cookies are never allowed. If a middleware in front
    /// of the service authenticates requests, it has to pass on those with the method `OPTIONS`
    /// and a header `Access-Control-Request-Method`, which browsers send without credentials, and
    /// it has to set CORS headers on its own refusals.
    #[must_use]
    pub fn allow_origins<T: Into<String>>(mut self, origins: impl IntoIterator<Item = T>) -> Self {
        let origins = origins.into_iter().map(|origin| lower(origin.into()));
        self.origins.extend(origins);
        self
    }

    /// Takes any `Host`. Safe only where something in front of the server checks it, or where
    /// every request has to be authenticated. `Origin` is checked all the same.
    #[must_use]
    pub fn any_host(mut self) -> Self {
        self.hosts = Hosts::Any;
        self
    }

    /// Where legacy sessions are kept, so that several processes can serve them. By default each
    /// process has its own.
    #[must_use]
    pub fn session_store(mut self, store: Arc<dyn SessionStore>) -> Self {
        self.sessions = Some(store);
        self
    }

    /// Where events of legacy streams are kept for clients that come back. By default that is the
    /// memory of the process.
    #[must_use]
    pub fn event_store(mut self, store: Arc<dyn EventStore>) -> Self {
        self.events = Some(store);
        self
    }

    /// Serves the deprecated transport HTTP+SSE of revision 2024-11-05 as well, for clients that
    /// know nothing newer. It is off by default.
    ///
    /// Such a client is given the URL with this path, `/sse` by custom. It sends a GET, and the
    /// first event of the response says where its messages are to be posted: at the same path,
    /// with an id that nobody can guess. The answers come on the stream, which is the connection:
    /// when it ends, so does all that was asked. It is of this process alone, so POSTs have to
    /// reach the process that the GET reached.
    ///
    /// The path is the one that clients see, and the service has to see the same: under axum mount
    /// it by `route_service`, which leaves paths as they are, and not by `nest_service`. It may be
    /// that of Streamable HTTP, whose requests can be told apart: a client that tries that first,
    /// as the specification advises, gets the newer one. Names, sizes, times and numbers are
    /// bounded as elsewhere, the streams by [`Limits::sessions`](crate::Limits).
    ///
    /// ```
    /// use mcp_server::HttpConfig;
    ///
    /// let config = HttpConfig::new().http_sse("/sse");
    /// ```
    #[must_use]
    pub fn http_sse(mut self, path: impl Into<String>) -> Self {
        self.http_sse = Some(path.into());
        self
    }

    /// Whether nothing but local names is allowed.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.hosts, Hosts::Local)
    }

    /// Checks that the request addresses the server by one of its own names.
    pub(crate) fn check_host(&self, parts: &Parts) -> Result<(), Refusal> {
        if matches!(self.hosts, Hosts::Any) {
            return Ok(());
        }
        let headers = parts.headers.get_all(HOST);
        let mut named = headers.iter().map(|host| host.to_str().unwrap_or_default());
        let first = named.next();
        if named.next().is_some() {
            return Err(Refusal::RepeatedHost);
        }
        // HTTP/2 has the host in the address, and so has a request to a proxy.
        let authority = parts.uri.authority().map(http::uri::Authority::as_str);
        if first.is_none() && authority.is_none() {
            return Err(Refusal::MissingHost);
        }
        if first
            .into_iter()
            .chain(authority)
            .all(|host| self.host(host))
        {
            return Ok(());
        }
        let found = first.or(authority).unwrap_or_default();
        self.refused.host(found);
        Err(Refusal::Host {
            found: found.to_owned(),
            expected: match self.hosts {
                Hosts::Local => "`localhost`, `127.0.0.1` or `[::1]`",
                _ => "a host that the server allows",
            },
        })
    }

    fn host(&self, host: &str) -> bool {
        match &self.hosts {
            Hosts::Local => is_local(host),
            Hosts::Listed(listed) => listed.iter().any(|known| {
                host.eq_ignore_ascii_case(known) || without_port(host).eq_ignore_ascii_case(known)
            }),
            Hosts::Any => true,
        }
    }

    /// Returns `true` if pages of this origin may send requests and read the responses.
    pub(crate) fn allows_origin(&self, origin: &str) -> bool {
        let listed = || {
            let mut listed = self.origins.iter();
            listed.any(|known| known.eq_ignore_ascii_case(origin))
        };
        let own = || {
            let address = origin.split_once("://");
            address.is_some_and(|(scheme, host)| {
                let web =
                    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
                // Whoever takes any host has not said which pages are its own.
                let host = match self.hosts {
                    Hosts::Any => is_local(host),
                    _ => self.host(host),
                };
                web && host
            })
        };
        listed() || own()
    }
}

fn lower(text: String) -> String {
    let mut text = text;
    text.make_ascii_lowercase();
    text
}

fn is_local(host: &str) -> bool {
    let name = without_port(host);
    name.eq_ignore_ascii_case("localhost") || name == "127.0.0.1" || name == "[::1]"
}

/// The name in `name:port`. What follows a colon and is no port stays.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// How nearly all clients say that they read both forms of answers.
const BOTH: &str = "application/json, text/event-stream";

/// Checks the media types of a POST: JSON comes, and both forms of answers can be read.
pub(crate) fn check_media(parts: &Parts) -> Result<(), Refusal> {
    if parts
        .headers
        .get(ACCEPT)
        .is_some_and(|accept| accept == BOTH)
    {
        return check_content(parts);
    }
    let (mut json, mut events) = (false, false);
    for name in media(parts, ACCEPT) {
        json |= includes(name, b"application", b"json");
        events |= includes(name, b"text", b"event-stream");
    }
    if !json || !events {
        return Err(Refusal::Accept {
            found: value(parts, ACCEPT),
            expected: "application/json and text/event-stream",
        });
    }
    check_content(parts)
}

/// Checks that JSON comes.
pub(crate) fn check_content(parts: &Parts) -> Result<(), Refusal> {
    let mut types = media(parts, CONTENT_TYPE);
    if !types
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case(b"application/json"))
    {
        return Err(Refusal::ContentType(value(parts, CONTENT_TYPE)));
    }
    Ok(())
}

/// Checks that the client of a GET reads events.
pub(crate) fn check_events(parts: &Parts) -> Result<(), Refusal> {
    if accepts_events(parts) {
        return Ok(());
    }
    Err(Refusal::Accept {
        found: value(parts, ACCEPT),
        expected: "text/event-stream",
    })
}

/// Returns all values of a header as one list, for an error. `None` if the header is missing.
fn value(parts: &Parts, header: HeaderName) -> Option<String> {
    let values = parts.headers.get_all(header).into_iter();
    let values: Vec<_> = values
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// The name of the principal that a middleware attached to the request.
pub(crate) fn principal(parts: &Parts) -> Option<&str> {
    let principal = parts.extensions.get::<Principal>();
    principal.map(|principal| &*principal.0)
}

/// Whether a request is of the era without sessions by its header alone.
pub(crate) fn is_modern(parts: &Parts) -> bool {
    let version = parts.headers.get(PROTOCOL_VERSION);
    version.is_some_and(|version| version == Revision::LATEST.as_str())
}

/// Whether the client reads a stream of events.
fn accepts_events(parts: &Parts) -> bool {
    media(parts, ACCEPT).any(|name| includes(name, b"text", b"event-stream"))
}

/// Whether a media type, perhaps with wildcards, stands for another one.
fn includes(name: &[u8], main: &[u8], sub: &[u8]) -> bool {
    let mut halves = name.splitn(2, |byte| *byte == b'/');
    let (Some(first), Some(second)) = (halves.next(), halves.next()) else {
        return false;
    };
    if first == b"*" {
        return second == b"*";
    }
    first.eq_ignore_ascii_case(main) && (second == b"*" || second.eq_ignore_ascii_case(sub))
}

/// The media types in a header, without their parameters.
fn media(parts: &Parts, header: HeaderName) -> impl Iterator<Item = &[u8]> {
    let values = parts.headers.get_all(header).into_iter();
    let lists = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    lists.map(|one| {
        let mut pieces = one.split(|byte| *byte == b';');
        pieces.next().unwrap_or_default().trim_ascii()
    })
}
