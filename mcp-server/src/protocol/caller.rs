//! [`Caller`]: what the server knows of the client of a request, kept for decisions after it.

#[cfg(feature = "proposals")]
pub(crate) mod connection_scope;

use std::any::Any;
#[cfg(feature = "http")]
use std::net::IpAddr;
use std::sync::Arc;

use crate::util::partial_debug::partial_debug;
use crate::util::type_map::TypeMap;

/// What the transport and middleware attached to a request: who sent it, and what that client may
/// do.
#[derive(Clone, Default)]
pub(crate) struct Caller {
    pub(crate) extensions: Arc<Extensions>,
    pub(crate) values: Option<Arc<ContextValues>>,
}

impl Caller {
    /// Returns the memory that the head of an HTTP request uses, in bytes.
    #[cfg(feature = "http")]
    pub(crate) fn head_bytes(&self) -> usize {
        self.extensions.parts().map_or(0, |parts| {
            let headers = parts.headers.iter();
            let headers = headers.map(|(name, value)| name.as_str().len() + value.len());
            headers.sum()
        })
    }
}

/// A value, and those that were added before it. Contexts share them, so adding a value to one
/// context does not change the others.
pub(crate) struct ContextValues {
    value: Box<dyn Any + Send + Sync>,
    before: Option<Arc<ContextValues>>,
}

impl ContextValues {
    /// Adds a value to those that were added before.
    pub(crate) fn with<T: Send + Sync + 'static>(value: T, before: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            value: Box::new(value),
            before,
        })
    }

    /// Returns the values of a type, the one that was added last first.
    pub(crate) fn values<T: 'static>(&self) -> impl Iterator<Item = &T> {
        let all = std::iter::successors(Some(self), |values| values.before.as_deref());
        all.filter_map(|values| values.value.downcast_ref())
    }
}

/// The IP address of the client that sent a request. Found as an
/// [extension](crate::Context::extension) of a request over HTTP.
///
/// This is the address of the connection ([`SocketAddr`](std::net::SocketAddr), which `serve_http`
/// sets and a program can attach to a request in its own HTTP stack). If the connection comes from
/// a [trusted proxy](crate::HttpConfig::trusted_proxies), it is the address that the proxy reports.
/// The extension is absent if the address of the connection is not known.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PeerAddress(pub IpAddr);

/// Values by type, attached to a connection or a request.
#[derive(Default)]
pub struct Extensions {
    values: TypeMap,
    /// The HTTP request, whose own extensions are found as well.
    #[cfg(feature = "http")]
    pub(crate) parts: Option<Arc<http::request::Parts>>,
    /// The address of the connection.
    #[cfg(feature = "http")]
    remote: Option<std::net::SocketAddr>,
    #[cfg(feature = "http")]
    peer: Option<PeerAddress>,
}

impl From<Principal> for Extensions {
    fn from(principal: Principal) -> Self {
        let mut extensions = Self::new();
        extensions.insert(principal);
        extensions
    }
}

impl Extensions {
    /// Creates an empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Attaches a value. Replaces one of the same type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.values.insert(value);
    }

    /// Returns the value of a type.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let own = self.values.get();
        #[cfg(feature = "http")]
        let own = own.or_else(|| {
            let parts = self.parts()?;
            let whole: &dyn Any = parts;
            let remote: Option<&dyn Any> = self.remote.as_ref().map(|remote| remote as _);
            let peer: Option<&dyn Any> = self.peer.as_ref().map(|peer| peer as _);
            let found = whole.downcast_ref().or_else(|| parts.extensions.get());
            let found = found.or_else(|| remote?.downcast_ref());
            found.or_else(|| peer?.downcast_ref())
        });
        own
    }

    /// Returns the extensions that belong to the client, to keep them after the request. Values
    /// that the server attached to an HTTP request, such as its permit, are left out.
    pub(crate) fn of_client(self: &Arc<Self>) -> Arc<Self> {
        #[cfg(feature = "http")]
        if let Some(parts) = &self.parts {
            return Arc::new(Self {
                values: TypeMap::default(),
                parts: Some(Arc::clone(parts)),
                remote: self.remote,
                peer: self.peer,
            });
        }
        Arc::clone(self)
    }

    /// Returns the size of the head of the HTTP request in bytes, or 0 for a message that
    /// did not arrive over HTTP.
    #[cfg(all(feature = "http", feature = "tasks"))]
    pub(crate) fn head_bytes(&self) -> usize {
        let Some(parts) = &self.parts else { return 0 };
        let headers = parts.headers.iter();
        let headers = headers.map(|(name, value)| name.as_str().len() + value.len());
        let target = parts.uri.path_and_query();
        headers.sum::<usize>() + target.map_or(0, |target| target.as_str().len())
    }

    /// Returns the name of the [`Principal`], if the client is authenticated.
    pub(crate) fn principal(&self) -> Option<&str> {
        self.get::<Principal>().map(|principal| &*principal.0)
    }

    /// Creates the extensions of an HTTP request.
    #[cfg(feature = "http")]
    pub(crate) fn of_http(
        parts: Arc<http::request::Parts>,
        remote: Option<std::net::SocketAddr>,
    ) -> Self {
        let known = parts.extensions.get().copied().or(remote);
        let peer = known.map(|address| PeerAddress(address.ip().to_canonical()));
        Self {
            parts: Some(parts),
            remote,
            peer,
            ..Self::default()
        }
    }

    /// Returns the head of the HTTP request.
    #[cfg(feature = "http")]
    pub(crate) fn parts(&self) -> Option<&http::request::Parts> {
        self.parts.as_deref()
    }
}

/// The authenticated user or client, as a middleware determined it. Attached as an
/// [extension](crate::Context::extension).
///
/// The server binds what it issues to the principal: sealed request state, cursors, sessions
/// with their resumable streams, and channels of the deprecated HTTP+SSE. For any other principal,
/// and for a request without one, a session does not exist (404) and a cursor is invalid (-32602).
/// What began without a principal can only be used without one. A principal therefore has to keep
/// its name when its access token is renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal(pub String);

partial_debug!(Extensions);
