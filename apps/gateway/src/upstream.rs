//! [`Upstream`]: a server behind the gateway, and how it is presented.

mod answer;
pub(crate) mod connection;
pub(crate) mod failures;
pub(crate) mod faults;
pub(crate) mod follower;
pub(crate) mod header_params;
pub(crate) mod list_cache;
pub(crate) mod lists;
pub(crate) mod open_tasks;
pub(crate) mod owner;
pub(crate) mod pool;
pub(crate) mod refresh;
pub(crate) mod room;
pub(crate) mod shares;
pub(crate) mod traffic;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::{ByteStream, Client, ClientBuilder, ConnectError, Transport};
use mcp_server::types::Revision;
use mcp_server::{Context, Server};

use crate::config::Presentation;
use crate::fault::UpstreamFault;

type Connecting = Pin<Box<dyn Future<Output = Result<Client, ConnectError>> + Send>>;

/// Connects a client to the server.
pub(crate) type Connector = Arc<dyn Fn(ClientBuilder) -> Connecting + Send + Sync>;

/// Decides whether a client sees an item of the server.
type Visible = Arc<dyn Fn(&Context, Kind, &str) -> bool + Send + Sync>;

/// Returns whether the client of a request may know of the server at all.
type IsPresented = Arc<dyn Fn(&Context) -> bool + Send + Sync>;

/// The kinds of items that a server lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A tool, known by its name.
    Tool,
    /// A prompt, known by its name.
    Prompt,
    /// A resource, known by its URI.
    Resource,
    /// A resource template, known by its URI template.
    ResourceTemplate,
}

/// A server behind the gateway, and how it is presented to clients.
///
/// ```
/// use mcp_client::{ChildProcess, Http};
/// use mcp_gateway::{Kind, Upstream};
///
/// let files = Upstream::connecting("files", || {
///     ChildProcess::new("npx").args(["-y", "@modelcontextprotocol/server-filesystem", "/srv"])
/// });
/// let search = Upstream::connecting("search", || Http::new("https://example.com/mcp"))
///     .filter(|kind, name| kind != Kind::Tool || name != "delete_index")
///     .rename("find", "search_documents");
/// # drop((files, search));
/// ```
#[derive(Clone)]
#[must_use = "an upstream does nothing until it is part of a gateway"]
pub struct Upstream {
    pub(crate) name: String,
    pub(crate) prefix: Option<String>,
    pub(crate) connector: Connector,
    visible: Vec<Visible>,
    /// Whether what is visible depends on the client.
    differs_by_client: bool,
    presented_to: Vec<IsPresented>,
    /// New names of tools and prompts by their old ones.
    renamed: HashMap<String, String>,
    /// Old names of tools and prompts by their new ones.
    original: HashMap<String, String>,
    /// The tools that settings allow or deny, by the names that the server uses.
    pub(crate) named_tools: HashSet<String>,
    pub(crate) is_lazy: bool,
    pub(crate) limits: UpstreamLimits,
}

/// The state of an upstream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UpstreamStatus {
    /// The name of the upstream.
    pub name: String,
    /// The revision of the last connection. `None` before the first one.
    pub revision: Option<Revision>,
    /// The number of connections.
    pub connections: usize,
    /// Whether the last attempt to connect failed.
    pub is_failing: bool,
    /// What failed last, until something succeeds.
    pub fault: Option<UpstreamFault>,
}

/// Limits for one upstream.
///
/// Each peer ([`PeerKey`](mcp_server::PeerKey)) may use up to its [share](field@Self::shares) of the
/// calls, of the connections, of the subscriptions and their connections, and of the tasks. The client
/// that started the gateway, over standard input and output, may use all, and so may HTTP clients that
/// cannot be distinguished.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UpstreamLimits {
    /// The maximum number of requests that the server works on at once. Further ones wait for at
    /// most `connect_time`. A call is not counted while its user answers a question. Afterwards it
    /// goes on at once, even if that exceeds the limit. Default: 64.
    pub calls: usize,
    /// The maximum number of connections to the server. Default: 32. A new one replaces one that is
    /// idle, of the peer with the most connections, or waits for at most `connect_time` until one is.
    /// If none is idle, a call that waits for the answer of a user ends, and its error says to try
    /// again: a call of the same peer, or of a peer that has more connections. For a program, each
    /// connection is a process. A peer that has used up its share replaces a connection at the
    /// earliest a quarter of a second after it was made. Subscriptions use at most half of the
    /// connections, but at least one, so that calls keep the others. A subscription for which there
    /// is no connection is refused.
    pub connections: usize,
    /// The maximum number of subscriptions at the server, which each count as a request in flight
    /// there. Default: 512. Further ones are refused.
    pub subscriptions: usize,
    /// The number of tasks (`io.modelcontextprotocol/tasks`) of which each peer has a share. Default:
    /// 256. A task beyond the share of a peer is cancelled, and the error of the call says to try
    /// again. If peers together have more, those that began first are not counted any more.
    pub tasks: usize,
    /// The number of parts into which calls, connections, subscriptions and tasks are divided: a peer
    /// may use up to one of them. Default: 4. With 1, a peer may use everything, as fits a gateway whose clients all
    /// have the same token or come from the same proxy: they are one peer.
    pub shares: usize,
    /// The maximum time to connect to the server, to list its items, and to set its level of log
    /// messages. Default: 30 seconds.
    pub connect_time: Duration,
    /// The maximum time of a call without a report of progress. Default: 5 minutes. It begins again
    /// after each question of the server: how long a client may take to answer is a limit of the
    /// gateway's server, see [`mcp_server::Limits`].
    pub call_time: Duration,
    /// The time after which a connection that is not used is closed. Default: 5 minutes.
    pub idle_time: Duration,
    /// The maximum number of items of a list, of which no further page is requested either when its
    /// pages have 8 MiB. The rest of the list is left out, with a warning in the log, and so are items
    /// without a name or URI and tools without a schema of their arguments. This does not concern the
    /// pages of a single upstream, which pass as they are. Default: 10,000.
    pub items: usize,
}

impl Default for UpstreamLimits {
    fn default() -> Self {
        Self {
            calls: 64,
            connections: 32,
            subscriptions: 512,
            tasks: 256,
            shares: 4,
            connect_time: Duration::from_secs(30),
            call_time: Duration::from_secs(300),
            idle_time: Duration::from_secs(300),
            items: 10_000,
        }
    }
}

impl Upstream {
    /// Creates an upstream whose connections use the transports that a function returns. The name
    /// distinguishes it in logs and errors. It is also the prefix of the names of its tools and
    /// prompts if the gateway has several upstreams, unless [`prefix`](Self::prefix) sets another
    /// one.
    pub fn connecting<T: Transport + 'static>(
        name: impl Into<String>,
        transport: impl Fn() -> T + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, move |builder| {
            let transport = transport();
            async move { builder.connect(transport).await }
        })
    }

    /// Creates an upstream from a function that connects: for clients with settings of their own.
    /// The function must keep what the builder has.
    pub fn new<F>(
        name: impl Into<String>,
        connect: impl Fn(ClientBuilder) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Client, ConnectError>> + Send + 'static,
    {
        Self {
            name: name.into(),
            prefix: None,
            connector: Arc::new(move |builder| Box::pin(connect(builder))),
            visible: Vec::new(),
            differs_by_client: false,
            presented_to: Vec::new(),
            renamed: HashMap::new(),
            original: HashMap::new(),
            named_tools: HashSet::new(),
            is_lazy: false,
            limits: UpstreamLimits::default(),
        }
    }

    /// Creates an upstream from a server in this process.
    pub fn server(name: impl Into<String>, server: Server) -> Self {
        Self::connecting(name, move || ByteStream::of(server.in_memory()))
    }

    /// Sets the prefix of the names of tools and prompts and of URIs: lower-case letters, digits
    /// and `-`, beginning with a letter. An empty text means no prefix.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Presents only the items for which a function returns `true`. It gets the names and URIs
    /// that the server uses. Several filters have to agree. Calls of other items are refused as if
    /// they did not exist, and so are methods that the gateway does not know: nothing says what their
    /// results show. A resource that a client asks for in another spelling of its URI, such as
    /// `FILE:///a`, has to be visible by this and by the canonical one, `file:///a`.
    pub fn filter(mut self, filter: impl Fn(Kind, &str) -> bool + Send + Sync + 'static) -> Self {
        let visible = move |_: &Context, kind, name: &str| filter(kind, name);
        self.visible.push(Arc::new(visible));
        self
    }

    /// As [`filter`](Self::filter), with the request of the client that asks. Lists and contents then
    /// have the `cacheScope` `private`.
    pub fn visible_to(
        mut self,
        visible: impl Fn(&Context, Kind, &str) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.visible.push(Arc::new(visible));
        self.differs_by_client = true;
        self
    }

    /// Presents the server only to clients for whose requests a function returns `true`. For others,
    /// it has no items, and its instructions and its title are in no description of the gateway. All
    /// clients are notified when a list of any upstream changes, as by every server, because
    /// announcements that wait are merged: leaving one out could lose that of another upstream.
    pub fn presented_to(
        mut self,
        presented: impl Fn(&Context) -> bool + Send + Sync + 'static,
    ) -> Self {
        let presented = Arc::new(presented);
        self.presented_to.push(Arc::clone(&presented) as _);
        self.visible_to(move |cx, _, _| presented(cx))
    }

    /// Presents the tool or prompt `name` under another name, to which the prefix is added. It has no
    /// other name then, and hides the tool or prompt that has the new name at the server. The last
    /// call for `name` counts, and so does the last call for `new`.
    pub fn rename(mut self, name: impl Into<String>, new: impl Into<String>) -> Self {
        let (name, new) = (name.into(), new.into());
        // The last call counts, for the tool and for the name.
        if let Some(before) = self.renamed.insert(name.clone(), new.clone()) {
            self.original.remove(&before);
        }
        if let Some(other) = self.original.insert(new, name.clone())
            && other != name
        {
            self.renamed.remove(&other);
        }
        self
    }

    /// Presents the server as an entry of a file says.
    pub fn present(mut self, presentation: &Presentation) -> Self {
        if let Some(prefix) = &presentation.prefix {
            self = self.prefix(prefix);
        }
        for (name, new) in &presentation.rename {
            self = self.rename(name, new);
        }
        if presentation.visible_to.is_some() {
            let presentation = presentation.clone();
            self = self.presented_to(move |cx| presentation.is_visible_to(cx.extension()));
        }
        if presentation.allow.is_none() && presentation.deny.is_empty() {
            return self;
        }
        self.named_tools.extend(presentation.named_tools());
        let presentation = presentation.clone();
        self.filter(move |kind, name| kind != Kind::Tool || presentation.shows(name))
    }

    /// Connects to the server when it is first needed, instead of when the gateway is built. The
    /// gateway then declares all capabilities, because it does not know those of the server.
    pub fn lazy(mut self) -> Self {
        self.is_lazy = true;
        self
    }

    /// Changes the limits.
    pub fn limits(mut self, change: impl FnOnce(&mut UpstreamLimits)) -> Self {
        change(&mut self.limits);
        self
    }

    /// Returns `true` if nothing is hidden or renamed.
    pub(crate) fn is_presented_as_it_is(&self) -> bool {
        self.visible.is_empty() && self.renamed.is_empty()
    }

    /// Returns `true` if items are hidden from clients.
    pub(crate) fn hides(&self) -> bool {
        !self.visible.is_empty()
    }

    /// Returns `true` if lists may differ between clients for another reason than their upstream.
    pub(crate) fn differs_by_client(&self) -> bool {
        self.differs_by_client
    }

    /// Returns `true` if every client may know of the server.
    pub(crate) fn is_presented_to_all(&self) -> bool {
        self.presented_to.is_empty()
    }

    /// Returns `true` if the client of a request may know of the server.
    pub(crate) fn is_presented_to(&self, cx: &Context) -> bool {
        self.presented_to.iter().all(|presented| presented(cx))
    }

    pub(crate) fn is_visible(&self, cx: &Context, kind: Kind, name: &str) -> bool {
        self.visible.iter().all(|visible| visible(cx, kind, name))
    }

    /// Returns the name under which a tool or prompt is presented, without the prefix. `None` if
    /// another one was given this name.
    pub(crate) fn presented<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        match self.renamed.get(name) {
            Some(new) => Some(new),
            None if self.original.contains_key(name) => None,
            None => Some(name),
        }
    }

    /// Returns the server's name of a tool or prompt. `None` if it is presented under another one.
    pub(crate) fn original<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        match self.original.get(name) {
            Some(original) => Some(original),
            None if self.renamed.contains_key(name) => None,
            None => Some(name),
        }
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream")
            .field("name", &self.name)
            .field("prefix", &self.prefix)
            .field("is_lazy", &self.is_lazy)
            .finish_non_exhaustive()
    }
}
