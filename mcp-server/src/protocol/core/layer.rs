//! Passes notifications through the layers.

use mcp_types::peer_text::PeerText;
use mcp_types::rpc::{self, Message};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::protocol::core::{Context, Core, Direction, Notification};
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::message::raw_object::object_text;
use crate::util::partial_debug::partial_debug;

impl Notification {
    /// Returns which side sends the notification.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Returns the params as JSON, in the form of the client's revision. `None` if there are none.
    #[must_use]
    pub fn params(&self) -> Option<&RawValue> {
        self.params.as_deref()
    }

    /// Replaces the params, which have to be an object in the form of the client's revision.
    ///
    /// # Errors
    ///
    /// -32603 if the value is not an object, or cannot be encoded.
    pub fn with_params(self, params: &impl Serialize) -> Result<Self, HandlerError> {
        let params = Some(object_text(params)?);
        Ok(Self { params, ..self })
    }

    /// Returns the context: of the notification itself if the client sent it, of the request that it
    /// belongs to, or of the subscription.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.cx
    }
}

partial_debug!(Notification, |it| direction: it.direction, method: PeerText(&it.method));

impl Core {
    /// Passes a notification of the client through the layers. Returns `None` if a layer dropped it.
    pub(crate) fn pass_inbound(
        &self,
        method: &str,
        params: Option<&RawValue>,
        cx: Context,
    ) -> Option<Notification> {
        let notification = Notification {
            direction: Direction::ToServer,
            method: method.into(),
            params: params.map(ToOwned::to_owned),
            cx,
        };
        let mut layers = self.layers.iter();
        layers.try_fold(notification, |passed, layer| layer.notify(passed))
    }
}

impl Context {
    /// Passes a notification to the client through the layers: the last one that was added sees it
    /// first. Returns `None` if a layer dropped it.
    pub(crate) fn pass_outbound(&self, message: Vec<u8>) -> Option<Vec<u8>> {
        let layers = &self.core().layers;
        if layers.is_empty() {
            return Some(message);
        }
        let Ok(Message::Notification { method, params, .. }) = rpc::parse(&message) else {
            return Some(message);
        };
        let notification = Notification {
            direction: Direction::ToClient,
            method: method.into(),
            params: params.map(ToOwned::to_owned),
            cx: self.clone(),
        };
        let mut layers = layers.iter().rev();
        let passed = layers.try_fold(notification, |passed, layer| layer.notify(passed))?;
        let mut message = Vec::with_capacity(256);
        match rpc::write_notification(&mut message, &passed.method, passed.params.as_ref()) {
            Ok(()) => Some(message),
            Err(error) => {
                tracing::error!(%error, "a notification cannot be encoded");
                None
            }
        }
    }
}
