//! [`Client`]: a connection to a server.

mod builder;
#[rustfmt::skip]
mod methods;
#[cfg(any(feature = "sep-2093", feature = "versioned-resources"))]
pub(crate) mod resources;

pub use builder::ClientBuilder;

use std::sync::Arc;

use mcp_types::json::Object;
use mcp_types::revision::Versioned;
use mcp_types::v2025_11_25::RootsListChangedNotification;
use mcp_types::{
    ClientCapabilities, Implementation, Notification, Proposal, Request, RequestMetaObject,
    Revision, ServerCapabilities, SubscriptionFilter, rpc,
};

use crate::features::calls::Call;
use crate::features::subscriptions::Subscription;
use crate::protocol::connection::Core;
use crate::protocol::error::{CallError, TransportError};
use crate::protocol::roundtrip::notify;
use crate::transport::Run;

/// A connection to a server: a method for each request of the newest revision, and what the server
/// said of itself. [`Client::builder`] makes one.
///
/// Cheap to clone. The connection ends with its last clone, [call](Call) and [`Subscription`], or
/// by [`close`](Self::close).
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    core: Arc<Core>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.core.requests.end();
        self.core.life.close();
    }
}

/// What is true once nothing moves messages any more, whether it ended or was given up.
struct Ended(Arc<Core>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.requests.end();
        self.0.calls.lose(TransportError::Closed);
        self.0.life.closed();
    }
}

impl Client {
    /// Begins a client: its name and version are what servers see.
    ///
    /// ```no_run
    /// # async fn connect(transport: impl mcp_client::Transport) -> Result<(), mcp_client::ConnectError> {
    /// use mcp_client::Client;
    ///
    /// let client = Client::builder("demo", "1.0.0").title("A demo").connect(transport).await?;
    /// # drop(client);
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(name.into(), version.into())
    }

    /// Starts what moves messages. It ends by itself, in bounded time, once the last clone of
    /// the client is gone.
    pub(crate) fn start(core: Arc<Core>, run: Run) -> Self {
        let ended = Ended(Arc::clone(&core));
        let running = run(Arc::clone(&core));
        tokio::spawn(async move {
            let _ended = ended;
            running.await;
        });
        let shared = Arc::new(Shared { core });
        Self { shared }
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.shared.core
    }

    /// Ends the connection in order, for all clones, and waits until nothing is left of it: what
    /// is on its way to the server is sent, and a process that was started for it has ended.
    /// Calls that wait, and such that begin later, end with [`TransportError::Closed`].
    ///
    /// A client that is dropped ends its connection in the same way, only that nobody waits for
    /// it. If the runtime ends before that is done, a process is killed.
    pub async fn close(&self) {
        let core = self.core();
        core.calls.lose(TransportError::Closed);
        core.requests.end();
        core.life.close();
        core.life.end().await;
    }

    /// The revision that is spoken with this server.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.core().revision()
    }

    /// Name and version of the server, if it gave them. Nobody checks what it says of itself.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        self.core().era()?.info.clone()
    }

    /// What the server offers.
    #[must_use]
    pub fn server_capabilities(&self) -> ServerCapabilities {
        let era = self.core().era();
        era.map(|era| era.capabilities.clone()).unwrap_or_default()
    }

    /// Whether both sides announced a proposal: this client, and a server of the newest revision.
    #[must_use]
    pub fn speaks(&self, proposal: Proposal) -> bool {
        let core = self.core();
        let era = core.era();
        core.proposals.contains(&proposal)
            && era.is_some_and(|era| {
                era.revision == Revision::LATEST
                    && proposal.is_announced(&era.capabilities.experimental)
            })
    }

    /// How the server wants to be used, in words for a model.
    #[must_use]
    pub fn instructions(&self) -> Option<String> {
        self.core().era()?.instructions.clone()
    }

    /// The `_meta` that params of the newest revision must have, for params that are made by hand
    /// and given to [`request`](Self::request). What requests say of the client is added when they
    /// are sent.
    #[must_use]
    pub fn meta(&self) -> RequestMetaObject {
        // Both members are replaced by what stands in `described`.
        RequestMetaObject::new(Revision::LATEST.as_str(), ClientCapabilities::new())
    }

    /// Subscribes to changes of lists and resources, on servers of both eras: page "Subscriptions"
    /// of the specification, and before it `resources/subscribe`. The events are of the type
    /// [`SubscriptionEvent`](crate::SubscriptionEvent); what keeps it from listening is one of
    /// them, or the last thing that is heard.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn listen(&self, filter: SubscriptionFilter) -> Subscription {
        Subscription::new(self.clone(), filter)
    }

    /// Sends a notification of the method table, or one of an application's own.
    ///
    /// # Errors
    ///
    /// [`CallError::Params`] where the server's revision cannot say it, [`CallError::Lost`] where
    /// the connection is lost, [`CallError::Timeout`] where the server does not take it within
    /// [`Limits::call_time`](crate::Limits).
    pub async fn notify<N>(&self, params: N::Params) -> Result<(), CallError>
    where
        N: Notification,
        N::Params: Versioned,
    {
        let method = N::METHOD;
        let core = self.core();
        let mut message = Vec::new();
        rpc::write_notification_at(&mut message, method, params, core.revision())
            .map_err(|source| CallError::Params { method, source })?;
        self.tell(method, message).await
    }

    async fn tell(&self, method: &'static str, message: Vec<u8>) -> Result<(), CallError> {
        notify(self.core(), method, message).await
    }

    /// Drops what is [kept](crate::Cache) for this client alone: what to do when it speaks for
    /// somebody else from now on.
    pub fn forget_cached(&self) {
        if let Some(cache) = &self.core().cache {
            cache.forget_own();
        }
    }

    /// Tells the server that the roots have changed, where it knows of such news: those of the
    /// newest revision ask for the roots when they need them, and nothing is sent.
    ///
    /// # Errors
    ///
    /// [`CallError::Lost`] where the connection is lost, [`CallError::Timeout`] where the server does
    /// not take it in time.
    pub async fn roots_changed(&self) -> Result<(), CallError> {
        if self.revision() == Revision::LATEST {
            return Ok(());
        }
        let method = RootsListChangedNotification::METHOD;
        let mut message = Vec::new();
        rpc::write_notification(&mut message, method, None::<&Object>).map_err(|error| {
            let source = error.into();
            CallError::Params { method, source }
        })?;
        self.tell(method, message).await
    }

    /// Any request of the method table, also one that only older revisions or extensions have, or
    /// one of an application's own.
    ///
    /// ```
    /// use mcp_client::types::v2025_11_25::PingRequest;
    /// # async fn ping(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
    /// client.request::<PingRequest>(None).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn request<R>(&self, params: R::Params) -> Call<R>
    where
        R: Request + 'static,
        R::Params: Versioned,
        R::Result: Versioned,
    {
        Call::new(self.clone(), params)
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("revision", &self.revision())
            .field("server", &self.server_info())
            .finish_non_exhaustive()
    }
}
