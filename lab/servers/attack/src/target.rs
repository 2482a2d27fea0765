//! The server as seen by an attacker, and the counters of the attack.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, ensure};

use crate::good::Tool;
use crate::http::{get, post};
use crate::messages;
use crate::peer::Peer;

/// The parameters of an attack. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    address: SocketAddrV4,
    host: String,
    path: String,
    tool: Tool,
    most_connections: usize,
    /// `true` if the attack uses many source addresses.
    many: bool,
    issuer: String,
    tally: Tally,
}

impl Target {
    pub(crate) fn new(
        address: SocketAddrV4,
        path: &str,
        tool: &Tool,
        most_connections: usize,
        many: bool,
        issuer: Option<&str>,
    ) -> Self {
        let shared = Shared {
            address,
            host: address.to_string(),
            path: path.to_owned(),
            tool: tool.clone(),
            most_connections,
            many,
            issuer: issuer.unwrap_or_default().to_owned(),
            tally: Tally::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    pub(crate) fn address(&self) -> SocketAddrV4 {
        self.shared.address
    }

    pub(crate) fn host(&self) -> &str {
        &self.shared.host
    }

    pub(crate) fn path(&self) -> &str {
        &self.shared.path
    }

    pub(crate) fn tool(&self) -> &Tool {
        &self.shared.tool
    }

    /// Returns the issuer of the access tokens that the server requires, or an empty text.
    pub(crate) fn issuer(&self) -> &str {
        &self.shared.issuer
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.shared.tally
    }

    /// Returns the number of connections that are requested, limited by the number of open files.
    pub(crate) fn at_most(&self, connections: usize) -> usize {
        connections.min(self.shared.most_connections)
    }

    /// Returns the source address of the peer with this number. It is never the address of the good
    /// clients, since servers count by address.
    pub(crate) fn source(&self, number: usize) -> Ipv4Addr {
        if !self.shared.many {
            return Ipv4Addr::new(127, 0, 0, 2);
        }
        let [high, low] = u16::try_from(number % 50_000)
            .unwrap_or_default()
            .to_be_bytes();
        Ipv4Addr::new(127, 1, high, low)
    }

    /// Returns a POST to the endpoint.
    pub(crate) fn post(&self, headers: &str, body: &str) -> Vec<u8> {
        post(self.host(), self.path(), headers, body.as_bytes())
    }

    /// Returns a request of the newest revision, with its headers. `id` is JSON; `members` are
    /// those of `params` in addition to `_meta`.
    pub(crate) fn modern(
        &self,
        id: &str,
        method: &str,
        name: Option<&str>,
        members: &str,
    ) -> Vec<u8> {
        let headers = messages::modern_headers(method, name);
        self.post(&headers, &messages::modern(id, method, members))
    }

    /// Returns a call of a tool with the newest revision. `arguments` are JSON.
    pub(crate) fn modern_call(&self, id: &str, tool: &str, arguments: &str) -> Vec<u8> {
        self.modern(
            id,
            "tools/call",
            Some(tool),
            &messages::call(tool, arguments),
        )
    }

    /// Returns a GET that opens the stream of a session.
    pub(crate) fn get(&self, headers: &str) -> Vec<u8> {
        get(self.host(), self.path(), headers)
    }

    /// Opens a connection and a session on it. Returns the headers of requests in the session.
    pub(crate) async fn open_session(
        &self,
        number: usize,
        revision: &str,
        capabilities: &str,
    ) -> Result<(Peer, String)> {
        let mut peer = Peer::open(self, number).await?;
        let body = messages::initialize(revision, capabilities, messages::INFO, "");
        let response = peer.exchange(&self.post("", &body)).await?;
        ensure!(response.is_success(), "initialize: {}", response.status);
        let headers = messages::session_headers(revision, response.session.as_deref());
        peer.exchange(&self.post(&headers, messages::INITIALIZED))
            .await?;
        Ok((peer, headers))
    }
}

/// Counters of an attack.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    connections: AtomicU64,
    /// Connections that could not be opened.
    unconnected: AtomicU64,
    /// Connections that the server closed or reset.
    closed: AtomicU64,
    succeeded: AtomicU64,
    refused: AtomicU64,
    bytes: AtomicU64,
}

impl Tally {
    pub(crate) fn connected(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns `true` if a connection was opened or attempted.
    pub(crate) fn has_begun(&self) -> bool {
        let tried = [&self.connections, &self.unconnected];
        tried
            .iter()
            .any(|counter| counter.load(Ordering::Relaxed) > 0)
    }

    pub(crate) fn not_connected(&self) {
        self.unconnected.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn closed(&self) {
        self.closed.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn sent(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn responded(&self, success: bool) {
        let counter = if success {
            &self.succeeded
        } else {
            &self.refused
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        write!(
            f,
            "{} connections ({} failed, {} closed by the server), {:.1} MiB sent, \
             {} responses with 2xx, {} with another status",
            read(&self.connections),
            read(&self.unconnected),
            read(&self.closed),
            crate::report::mebibytes(read(&self.bytes)),
            read(&self.succeeded),
            read(&self.refused),
        )
    }
}
