//! [`Client`]: a connection to a server.

use std::sync::Arc;

use mcp_types::json::Object;
use mcp_types::revision::Versioned;
use mcp_types::v2025_11_25::RootsListChangedNotification;
use mcp_types::{
    Implementation, Notification, Proposal, Request, RequestMetaObject, Revision,
    ServerCapabilities, SubscriptionFilter, rpc,
};

use crate::extensions::tasks::TaskHandle;
use crate::features::calls::Call;
use crate::features::shared_connection::{Deferred, SharedConnection};
use crate::features::state::Features;
use crate::features::subscriptions::Subscription;
use crate::protocol::connection::{Connection, ConnectionId};
use crate::protocol::error::{CallError, DroppedMember, TransportError};
use crate::protocol::request_meta::RequestMeta;
use crate::protocol::roundtrip::notify;
use crate::protocol::transport::Driver;
#[cfg(feature = "tls")]
use mcp_fetch::FetchPolicy;

/// A connection to a server, with a method for each request of the newest revision.
/// [`Client::builder`] creates one.
///
/// Cheap to clone. The connection is closed with the last clone, [call](Call) and [`Subscription`],
/// or by [`close`](Self::close).
#[derive(Clone)]
pub struct Client {
    pub(super) shared: SharedConnection,
    /// How URLs that the server names are loaded.
    #[cfg(feature = "tls")]
    fetch_policy: Arc<FetchPolicy>,
}

/// Marks a connection as closed when its driver ends, even if the runtime drops the driver.
struct CloseGuard(Arc<Connection>);

impl Drop for CloseGuard {
    fn drop(&mut self) {
        self.0.inbound.abort_requests();
        self.0.pending.close(TransportError::Closed);
        self.0.state.set_closed();
    }
}

impl Client {
    /// Spawns the task that drives a connection. It ends by itself, in bounded time, after the last
    /// clone of the client was dropped.
    pub(super) fn start(
        connection: Arc<Connection>,
        features: Arc<Features>,
        driver: Driver,
        deferred: Option<Arc<dyn Deferred>>,
        #[cfg(feature = "tls")] fetch_policy: FetchPolicy,
    ) -> Self {
        let guard = CloseGuard(Arc::clone(&connection));
        let driver = driver(Arc::clone(&connection));
        tokio::spawn(async move {
            let _guard = guard;
            driver.await;
        });
        Self {
            shared: SharedConnection::new(connection, features, deferred),
            #[cfg(feature = "tls")]
            fetch_policy: Arc::new(fetch_policy),
        }
    }

    pub(super) fn connection(&self) -> &Arc<Connection> {
        self.shared.connection()
    }

    /// Returns the URL of the server; `None` if it is not reached over HTTP. Its query may be a
    /// secret.
    #[must_use]
    pub fn url(&self) -> Option<String> {
        self.connection().sender.url()
    }

    /// Returns the policy for URLs that the server names, see
    /// [`ClientBuilder::fetch_policy`](super::ClientBuilder::fetch_policy).
    #[cfg(feature = "tls")]
    pub fn fetch_policy(&self) -> &FetchPolicy {
        &self.fetch_policy
    }

    /// Closes the connection for all clones, and waits until everything is released: queued
    /// messages are sent, and the process of the server has exited. Pending and later calls fail
    /// with [`TransportError::Closed`].
    ///
    /// Dropping the last clone closes the connection in the same way in the background. If the
    /// runtime ends before that is done, the process of the server is killed.
    pub async fn close(&self) {
        self.shared.features().background.join().await;
        let connection = self.connection();
        connection.pending.close(TransportError::Closed);
        connection.inbound.abort_requests();
        connection.state.request_shutdown();
        connection.state.wait_closed().await;
    }

    /// Returns `true` if the connection is closed: by [`close`](Self::close), or because the server
    /// ended it. A connection over HTTP stays open if the server cannot be reached.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.connection().state.is_closed()
    }

    /// Returns the identity of the connection: equal for the clones of a client, and different for all
    /// other connections of this process.
    #[must_use]
    pub fn connection_id(&self) -> ConnectionId {
        self.connection().id
    }

    /// Returns a handle of a task whose id the program has stored, for example in another process.
    /// Nothing is sent. Requires [`Tasks`](crate::Tasks).
    pub fn task(&self, id: impl Into<String>) -> TaskHandle {
        TaskHandle::new(self.shared.clone(), id.into())
    }

    /// Returns `true` if results are [cached](crate::Cache).
    #[must_use]
    pub fn has_cache(&self) -> bool {
        self.shared.features().cache.is_some()
    }

    /// Returns the revision that was negotiated with the server.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.connection().revision()
    }

    /// Returns the name and version of the server, if it sent them. They are not verified.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        self.connection().negotiated()?.info.clone()
    }

    /// Returns the capabilities of the server.
    #[must_use]
    pub fn server_capabilities(&self) -> ServerCapabilities {
        let server = self.connection().negotiated();
        server
            .map(|server| server.capabilities.clone())
            .unwrap_or_default()
    }

    /// Returns `true` if this client and the server announced `proposal`, and the negotiated
    /// revision is one that the proposal [extends](Proposal::extends).
    #[must_use]
    pub fn negotiated(&self, proposal: Proposal) -> bool {
        self.connection().has_negotiated(proposal)
    }

    /// Returns the instructions of the server for a model.
    #[must_use]
    pub fn instructions(&self) -> Option<String> {
        self.connection().negotiated()?.instructions.clone()
    }

    /// Returns the members that were left out of the server's description of itself when the client
    /// connected, because they are malformed: an icon, the website, the instructions.
    #[must_use]
    pub fn dropped_at_connect(&self) -> Vec<DroppedMember> {
        let server = self.connection().negotiated();
        server.map_or_else(Vec::new, |server| server.dropped.clone())
    }

    /// Returns the `_meta` that params of the newest revision require, for params that the program
    /// builds for [`request`](Self::request). The negotiated revision and the description of the
    /// client are added when the request is sent.
    #[must_use]
    pub fn meta(&self) -> RequestMetaObject {
        RequestMeta::placeholder()
    }

    /// Subscribes to changes of lists and resources, on servers of both eras: by the page
    /// "Subscriptions" of the specification, or by `resources/subscribe` before it. Each event is a
    /// [`SubscriptionEvent`](crate::SubscriptionEvent), also an interruption; an error ends the
    /// subscription.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn listen(&self, filter: SubscriptionFilter) -> Subscription {
        Subscription::new(self.shared.clone(), filter)
    }

    /// Sends a notification of the method table, or one that the application defines.
    ///
    /// # Errors
    ///
    /// * [`CallError::Params`]: the negotiated revision cannot express the notification.
    /// * [`CallError::Lost`]: the connection is lost.
    /// * [`CallError::Timeout`]: the server did not accept it within
    ///   [`Limits::call_time`](crate::Limits).
    pub async fn notify<N>(&self, params: N::Params) -> Result<(), CallError>
    where
        N: Notification,
        N::Params: Versioned,
    {
        let method = N::METHOD;
        let mut message = Vec::new();
        rpc::write_notification_at(&mut message, method, params, self.revision()).map_err(
            |source| CallError::Params {
                method: method.into(),
                source,
            },
        )?;
        self.send_notification(method, message).await
    }

    async fn send_notification(
        &self,
        method: &'static str,
        message: Vec<u8>,
    ) -> Result<(), CallError> {
        notify(self.connection(), method, message).await
    }

    /// Drops the [cached](crate::Cache) results of this client. Call this when the client acts for
    /// another user from now on.
    pub fn forget_cached(&self) {
        if let Some(cache) = &self.shared.features().cache {
            cache.clear_own();
        }
    }

    /// Notifies the server that the roots have changed. Nothing is sent to servers without
    /// sessions, which ask for the roots when they need them.
    ///
    /// # Errors
    ///
    /// * [`CallError::Lost`]: the connection is lost.
    /// * [`CallError::Timeout`]: the server did not accept it in time.
    pub async fn roots_changed(&self) -> Result<(), CallError> {
        if self.revision().is_modern() {
            return Ok(());
        }
        let method = RootsListChangedNotification::METHOD;
        let mut message = Vec::new();
        rpc::write_notification(&mut message, method, None::<&Object>).map_err(|error| {
            let source = error.into();
            CallError::Params {
                method: method.into(),
                source,
            }
        })?;
        self.send_notification(method, message).await
    }

    /// Creates a call for any request of the method table, also for one that only older revisions
    /// or extensions have, or for one that the application defines.
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
        Call::new(self.shared.clone(), params)
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
