//! [`ClientBuilder`]: who a client is and what it can do.

use std::sync::{Arc, OnceLock};

use mcp_types::json::{self, Object};
use mcp_types::{ClientCapabilities, Implementation, RequestMetaObject, Revision};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::calls::Calls;
use crate::client::Client;
use crate::connect::connect;
use crate::core::Core;
use crate::error::ConnectError;
use crate::limits::Limits;
use crate::link::Link;
use crate::transport::stream::{StreamLink, run};

/// Collects what a client is, until it is connected to a server.
#[derive(Clone, Debug)]
#[must_use = "a client does nothing until it is connected"]
pub struct ClientBuilder {
    info: Implementation,
    capabilities: ClientCapabilities,
    limits: Limits,
    pinned: Option<Revision>,
}

impl ClientBuilder {
    pub(crate) fn new(name: String, version: String) -> Self {
        Self {
            info: Implementation::new(name, version),
            capabilities: ClientCapabilities::new(),
            limits: Limits::default(),
            pinned: None,
        }
    }

    /// A name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info = self.info.title(title);
        self
    }

    /// Other bounds than the default ones.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Speaks this revision and no other, instead of finding out what the server speaks.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.pinned = Some(revision);
        self
    }

    /// Connects to a server over a pair of byte streams, one message a line: a Unix socket, TCP, a
    /// duplex in memory.
    ///
    /// # Errors
    ///
    /// Where the connection ends, or the server speaks no revision that this client does.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with time enabled.
    pub async fn connect_stream(
        self,
        reader: impl AsyncRead + Send + 'static,
        writer: impl AsyncWrite + Send + 'static,
    ) -> Result<Client, ConnectError> {
        let (link, outgoing) = StreamLink::new();
        let pinned = self.pinned;
        let core = self.core(Arc::new(link))?;
        let transport = tokio::spawn(run(Arc::clone(&core), outgoing, reader, writer));
        let client = Client::new(Arc::clone(&core), transport);
        connect(&core, pinned).await?;
        Ok(client)
    }

    fn core(self, link: Arc<dyn Link>) -> Result<Arc<Core>, ConnectError> {
        let latest = Revision::LATEST.as_str();
        let described = RequestMetaObject::new(latest, self.capabilities.clone())
            .client_info(self.info.clone());
        let described = match json::to_value(&described)? {
            json::Value::Object(described) => described,
            _ => Object::new(),
        };
        Ok(Arc::new(Core {
            info: self.info,
            capabilities: self.capabilities,
            described,
            limits: self.limits,
            calls: Arc::<Calls>::default(),
            link,
            era: OnceLock::new(),
        }))
    }
}
