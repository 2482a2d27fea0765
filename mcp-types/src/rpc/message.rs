//! [`Message`]: a message, classified by its envelope.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::id::RequestId;

/// Members that are not part of JSON-RPC, in order. At most 1,000.
pub type Extra<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// A message, classified by its envelope. All text is borrowed from the input.
///
/// The body is raw JSON, or the value decoded by [`decode`](super::decode).
#[derive(Clone, Debug)]
pub enum Message<'a, P = &'a RawValue, R = &'a RawValue> {
    /// A request that expects a response.
    Request {
        /// The id that the response must have.
        id: RequestId,
        /// The method.
        method: Cow<'a, str>,
        /// An object, if present. `null` is treated as absent.
        params: Option<P>,
        /// Members that are not part of JSON-RPC.
        extra: Extra<'a>,
    },
    /// A message without a response.
    Notification {
        /// The method.
        method: Cow<'a, str>,
        /// An object, if present. `null` is treated as absent.
        params: Option<P>,
        /// Members that are not part of JSON-RPC.
        extra: Extra<'a>,
    },
    /// A successful response.
    Result {
        /// The id of the request.
        id: RequestId,
        /// Any JSON. The method of the request determines its type.
        result: R,
        /// Members that are not part of JSON-RPC.
        extra: Extra<'a>,
    },
    /// An error response.
    Error {
        /// The id of the request; absent (or `null`) if the peer could not read it.
        id: Option<RequestId>,
        /// Any JSON; normally an [`ErrorObject`](super::ErrorObject).
        error: &'a RawValue,
        /// Members that are not part of JSON-RPC.
        extra: Extra<'a>,
    },
}

impl<'a, P, R> Message<'a, P, R> {
    /// Returns the id, if the message has one.
    #[must_use]
    pub fn id(&self) -> Option<&RequestId> {
        match self {
            Self::Request { id, .. } | Self::Result { id, .. } => Some(id),
            Self::Error { id, .. } => id.as_ref(),
            Self::Notification { .. } => None,
        }
    }

    /// Returns the method of a request or a notification.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        match self {
            Self::Request { method, .. } | Self::Notification { method, .. } => Some(method),
            Self::Result { .. } | Self::Error { .. } => None,
        }
    }

    /// Returns the members that are not part of JSON-RPC, in order, with their values as raw JSON.
    #[must_use]
    pub fn extra(&self) -> &[(Cow<'a, str>, &'a RawValue)] {
        match self {
            Self::Request { extra, .. }
            | Self::Notification { extra, .. }
            | Self::Result { extra, .. }
            | Self::Error { extra, .. } => extra,
        }
    }
}
