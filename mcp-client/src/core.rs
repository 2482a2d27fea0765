//! [`Core`]: what the handles of a client and its transport share.

use std::sync::{Arc, PoisonError, RwLock};

use mcp_types::json::{self, Object};
use mcp_types::rpc::{self, ErrorObject, Incoming, Message};
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, ClientCapabilities, Implementation,
    Notification, ProgressNotification, ProgressNotificationParams, ProgressToken, RequestId,
    Revision,
};
use serde_json::value::RawValue;

use crate::calls::{Calls, Reply};
use crate::era::Era;
use crate::inputs::Inputs;
use crate::limits::Limits;
use crate::link::Link;

/// As many messages of a batch are taken.
const BATCH: usize = 1_000;

/// The state of a connection.
pub(crate) struct Core {
    pub(crate) info: Implementation,
    pub(crate) capabilities: ClientCapabilities,
    /// What requests of the newest revision say of the client in `_meta`.
    pub(crate) described: Object,
    pub(crate) limits: Limits,
    pub(crate) inputs: Inputs,
    pub(crate) calls: Arc<Calls>,
    pub(crate) link: Arc<dyn Link>,
    /// Known once the server has said who it is.
    pub(crate) era: RwLock<Option<Arc<Era>>>,
}

impl Core {
    /// The revision that is spoken; before that is known, the newest.
    pub(crate) fn revision(&self) -> Revision {
        let era = self.era.read().unwrap_or_else(PoisonError::into_inner);
        era.as_ref().map_or(Revision::LATEST, |era| era.revision)
    }

    /// What the server said of itself.
    pub(crate) fn era(&self) -> Option<Arc<Era>> {
        let era = self.era.read().unwrap_or_else(PoisonError::into_inner);
        era.clone()
    }

    /// From now on the server is spoken to like this.
    pub(crate) fn agree(&self, era: Era) {
        let mut agreed = self.era.write().unwrap_or_else(PoisonError::into_inner);
        *agreed = Some(Arc::new(era));
    }

    /// Tells the server that nobody waits for an answer any more.
    pub(crate) fn cancel(&self, id: i64) {
        let params = CancelledNotificationParams::new(id);
        let mut message = Vec::new();
        let written =
            rpc::write_notification(&mut message, CancelledNotification::METHOD, Some(&params));
        if written.is_ok() {
            self.link.send_now(message);
        }
    }

    /// Takes one text from the server.
    pub(crate) fn receive(self: &Arc<Self>, text: &[u8]) {
        let read = if self.revision() == Revision::V2025_03_26 {
            rpc::parse_batch(text, BATCH)
        } else {
            rpc::parse(text).map(Incoming::Single)
        };
        match read {
            Ok(Incoming::Single(message)) => self.message(message),
            Ok(Incoming::Batch(messages)) => {
                for message in messages {
                    match message {
                        Ok(message) => self.message(message),
                        Err(fault) => self.malformed(fault),
                    }
                }
            }
            Err(fault) => self.malformed(fault),
        }
    }

    fn malformed(&self, fault: rpc::EnvelopeError) {
        tracing::warn!(%fault, "the server sent what is no message");
        if let Some(id) = fault.id().filter(|_| fault.is_response()).cloned() {
            self.calls.reply(&id, Reply::Malformed(fault));
        }
    }

    fn message(&self, message: Message<'_>) {
        match message {
            Message::Result { id, result, .. } => {
                self.reply(&id, Reply::Result(result.to_owned()));
            }
            Message::Error { id, error, .. } => {
                let error = json::from_str(error.get()).unwrap_or_else(|fault| {
                    ErrorObject::internal_error(format!("the server's error is none: {fault}"))
                });
                if let Some(id) = id {
                    self.reply(&id, Reply::Error(error));
                } else {
                    tracing::warn!(%error, "the server could not read a message");
                }
            }
            Message::Notification { method, params, .. } => self.notification(&method, params),
            Message::Request { id, method, .. } => self.request(&id, &method),
        }
    }

    fn reply(&self, id: &RequestId, reply: Reply) {
        if !self.calls.reply(id, reply) {
            tracing::debug!(%id, "an answer that nobody waits for");
        }
    }

    fn notification(&self, method: &str, params: Option<&RawValue>) {
        if method != ProgressNotification::METHOD {
            tracing::debug!(method, "notification without a handler");
            return;
        }
        let params = params.map_or("{}", RawValue::get);
        match self.revision().decode::<ProgressNotificationParams>(params) {
            Ok(params) => {
                let ProgressToken::Number(id) = params.progress_token else {
                    return;
                };
                self.calls.progress(id, params);
            }
            Err(error) => tracing::warn!(%error, "progress that cannot be read"),
        }
    }

    /// Servers of older revisions send requests, too.
    fn request(&self, id: &RequestId, method: &str) {
        let mut answer = Vec::new();
        let written = if method == "ping" {
            rpc::write_result(&mut answer, id, &Object::new())
        } else {
            let error = ErrorObject::method_not_found(format!("no method `{method}`"));
            rpc::write_error(&mut answer, Some(id), &error)
        };
        if written.is_ok() {
            self.link.send_now(answer);
        }
    }
}
