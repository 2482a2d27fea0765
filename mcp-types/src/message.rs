//! The method table: what the schema says about each message.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Either side.
    Both,
}

/// A request: its method, who sends it, and what it is answered with.
pub trait Request {
    /// The method on the wire.
    const METHOD: &'static str;
    /// Who sends it.
    const SENDER: Sender;
    /// Its parameters; an `Option` where they may be absent.
    type Params: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
    /// What it is answered with: an enum where there are several outcomes.
    type Result: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
}

/// A result, which may be one of several outcomes.
pub trait Outcome: Sized {
    /// The one that says that the request is done; the type itself where there is no other.
    type Complete;

    /// The result of a request that is done.
    ///
    /// # Errors
    ///
    /// The outcome as it was, if it is another one.
    fn complete(self) -> Result<Self::Complete, Box<Self>>;
}

/// A notification: its method and who sends it.
pub trait Notification {
    /// The method on the wire.
    const METHOD: &'static str;
    /// Who sends it.
    const SENDER: Sender;
    /// Its parameters; an `Option` where they may be absent.
    type Params: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
}

/// A message as data, for programs that walk the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageInfo {
    /// Name of its definition in the schema.
    pub name: &'static str,
    /// The method on the wire.
    pub method: &'static str,
    /// Who sends it.
    pub sender: Sender,
    /// Name of the result of a request; `None` for a notification.
    pub result: Option<&'static str>,
}
