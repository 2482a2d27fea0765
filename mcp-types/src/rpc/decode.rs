//! [`decode`]: parses a message and decodes its params or result in the same pass.

use serde::de::{DeserializeOwned, Deserializer, Error};
use serde_json::value::RawValue;

use super::bodies::Bodies;
use super::envelope::parse_str;
use super::fault::EnvelopeError;
use super::members::{MembersVisitor, read_id};
use super::message::Message;
use crate::error::{DecodeError, excerpt};
use crate::id::RequestId;
use crate::json;
use crate::json::text::Text;

/// Decodes params of one type and results of another if `expects` returns `true`. Uses the
/// deserializer of [`json::from_str`], for which the types are compiled anyway.
struct Typed<'a, P, R, F> {
    expects: F,
    /// The destination of the body. In the members of the message it would be copied repeatedly.
    params: &'a mut Option<P>,
    result: &'a mut Option<R>,
}

impl<'de, P, R, F> Bodies<'de> for Typed<'_, P, R, F>
where
    P: DeserializeOwned,
    R: DeserializeOwned,
    F: FnMut(Of<'_>) -> bool,
{
    type Params = ();
    type Result = ();

    fn params<D: Deserializer<'de>>(
        &mut self,
        method: Option<&str>,
        deserializer: D,
    ) -> Result<(), D::Error> {
        match method {
            Some(method) if (self.expects)(Of::Method(method)) => {
                *self.params = Some(P::deserialize(deserializer)?);
                Ok(())
            }
            _ => Err(D::Error::custom(
                "cannot decode the params in the same pass",
            )),
        }
    }

    fn result<D: Deserializer<'de>>(
        &mut self,
        id: Option<&'de RawValue>,
        deserializer: D,
    ) -> Result<(), D::Error> {
        match id.and_then(|id| read_id(id).ok()) {
            Some(id) if (self.expects)(Of::Id(&id)) => {
                *self.result = Some(R::deserialize(deserializer)?);
                Ok(())
            }
            _ => Err(D::Error::custom(
                "cannot decode the result in the same pass",
            )),
        }
    }
}

/// The message that a body belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of<'a> {
    /// Params of this method.
    Method(&'a str),
    /// The result of the request with this id.
    Id(&'a RequestId),
}

/// A message whose body was decoded, or was left as raw JSON.
#[derive(Debug)]
pub enum Decoded<'a, P, R> {
    /// The body was expected and decoded.
    Typed(Message<'a, P, R>),
    /// The body was not expected.
    Raw(Message<'a>),
}

/// The reasons why a message could not be decoded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MessageError {
    /// The envelope is invalid.
    Envelope(EnvelopeError),
    /// The params are not valid for the method. Respond to a request with -32602.
    Params {
        /// The id of the request; `None` for a notification.
        id: Option<RequestId>,
        /// The method.
        method: String,
        /// The error, with its path in the params.
        error: DecodeError,
    },
    /// The result is not valid for the request.
    Result {
        /// The id of the request.
        id: RequestId,
        /// The error, with its path in the result.
        error: DecodeError,
    },
}

impl std::fmt::Display for MessageError {
    #[inline]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Envelope(error) => error.fmt(f),
            Self::Params { method, error, .. } => write!(f, "params of `{method}`: {error}"),
            Self::Result { id, error } => {
                let id = id.to_string();
                write!(f, "result of request {}: {error}", excerpt(&id))
            }
        }
    }
}

// No source: the text contains that of the error inside.
impl std::error::Error for MessageError {}

impl From<EnvelopeError> for MessageError {
    fn from(error: EnvelopeError) -> Self {
        Self::Envelope(error)
    }
}

/// Parses a message and decodes an expected body in the same pass.
///
/// Once the method or the id is known, `expects` decides whether the params are decoded as `P`, or
/// the result as `R`. Most programs write the method before the params and the id before the
/// result. A message in another order, or an invalid one, is parsed a second time with
/// [`parse`](super::parse), which reports the error.
///
/// ```
/// use mcp_types::rpc::{self, Decoded, Message, Of};
/// use mcp_types::{CallToolRequestParams, CallToolResult};
///
/// let text = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"resultType":"complete"}}"#;
/// let message = rpc::decode::<CallToolRequestParams, CallToolResult>(text, |of| match of {
///     Of::Method(method) => method == "tools/call",
///     Of::Id(id) => *id == 7.into(),
/// })?;
/// let Decoded::Typed(Message::Result { result, .. }) = message else { panic!("a result") };
/// assert!(result.content.is_empty());
/// # Ok::<(), rpc::MessageError>(())
/// ```
///
/// # Errors
///
/// Returns a [`MessageError`] if the envelope is invalid, or if an expected body is not valid for
/// its type.
pub fn decode<P, R>(
    text: &str,
    mut expects: impl FnMut(Of<'_>) -> bool,
) -> Result<Decoded<'_, P, R>, MessageError>
where
    P: DeserializeOwned,
    R: DeserializeOwned,
{
    let (mut params, mut result) = (None, None);
    let bodies = Typed {
        expects: &mut expects,
        params: &mut params,
        result: &mut result,
    };
    let mut deserializer = Text::new(text);
    if let Ok(members) = deserializer.deserialize_map(MembersVisitor(bodies))
        && deserializer.end().is_ok()
        && let Ok(message) = members.message(|body: ()| Ok(Some(body)))
    {
        match (message, result) {
            (
                Message::Request {
                    id,
                    method,
                    params: body,
                    extra,
                },
                _,
            ) => {
                let params = body.and(params);
                return Ok(Decoded::Typed(Message::Request {
                    id,
                    method,
                    params,
                    extra,
                }));
            }
            (
                Message::Notification {
                    method,
                    params: body,
                    extra,
                },
                _,
            ) => {
                let params = body.and(params);
                return Ok(Decoded::Typed(Message::Notification {
                    method,
                    params,
                    extra,
                }));
            }
            (Message::Result { id, extra, .. }, Some(result)) => {
                return Ok(Decoded::Typed(Message::Result { id, result, extra }));
            }
            (Message::Error { id, error, extra }, _) => {
                return Ok(Decoded::Typed(Message::Error { id, error, extra }));
            }
            (Message::Result { .. }, None) => {}
        }
    }
    again(text, &mut expects)
}

/// The slow path: parses the envelope first and then the body, to get the path of an error.
#[cold]
fn again<'a, P, R>(
    text: &'a str,
    expects: &mut impl FnMut(Of<'_>) -> bool,
) -> Result<Decoded<'a, P, R>, MessageError>
where
    P: DeserializeOwned,
    R: DeserializeOwned,
{
    Ok(match parse_str(text)? {
        Message::Request {
            id,
            method,
            params,
            extra,
        } if expects(Of::Method(&method)) => {
            let params = params
                .map(|params| json::from_str(params.get()))
                .transpose();
            match params {
                Ok(params) => Decoded::Typed(Message::Request {
                    id,
                    method,
                    params,
                    extra,
                }),
                Err(error) => {
                    let (id, method) = (Some(id), method.into_owned());
                    return Err(MessageError::Params { id, method, error });
                }
            }
        }
        Message::Notification {
            method,
            params,
            extra,
        } if expects(Of::Method(&method)) => {
            let params = params
                .map(|params| json::from_str(params.get()))
                .transpose();
            match params {
                Ok(params) => Decoded::Typed(Message::Notification {
                    method,
                    params,
                    extra,
                }),
                Err(error) => {
                    return Err(MessageError::Params {
                        id: None,
                        method: method.into_owned(),
                        error,
                    });
                }
            }
        }
        Message::Result { id, result, extra } if expects(Of::Id(&id)) => {
            match json::from_str(result.get()) {
                Ok(result) => Decoded::Typed(Message::Result { id, result, extra }),
                Err(error) => return Err(MessageError::Result { id, error }),
            }
        }
        other => Decoded::Raw(other),
    })
}
