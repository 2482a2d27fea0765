//! The methods of the protocol: what the schema defines for each message.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The side that sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Either side.
    Both,
}

/// A request: its method, its sender, and the types of its params and result.
pub trait Request {
    /// The method name.
    const METHOD: &'static str;
    /// The side that sends the request.
    const SENDER: Sender;
    /// The type of the params: an `Option` if they may be absent.
    type Params: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
    /// The type of the result: an enum if there are several outcomes.
    type Result: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
}

/// A result that may be one of several outcomes.
pub trait Outcome: Sized {
    /// The outcome of a completed request: the type itself if there is no other outcome.
    type Complete: Send;

    /// Returns the result of a completed request.
    ///
    /// # Errors
    ///
    /// Returns the unchanged outcome if it is another one.
    fn complete(self) -> Result<Self::Complete, Box<Self>>;
}

/// A notification: its method and its sender.
pub trait Notification {
    /// The method name.
    const METHOD: &'static str;
    /// The side that sends the notification.
    const SENDER: Sender;
    /// The type of the params: an `Option` if they may be absent.
    type Params: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
}

/// A description of a message, for programs that iterate over all messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageInfo {
    /// The name of its definition in the schema.
    pub name: &'static str,
    /// The method name.
    pub method: &'static str,
    /// The side that sends the message.
    pub sender: Sender,
    /// The name of the type of the params; `None` if they are any object.
    pub params: Option<&'static str>,
    /// The name of the result type of a request; `None` for a notification.
    pub result: Option<&'static str>,
}
