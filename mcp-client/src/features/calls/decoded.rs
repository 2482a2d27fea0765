//! [`Decoded`]: the result of a call, decoded once.

use std::any::TypeId;
use std::borrow::Cow;

use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{Outcome, Request, Revision};
use serde::Deserialize;

use crate::features::server_requests::input_required::InputRequired;

/// The result type of a final result.
pub(super) const COMPLETE: &str = "complete";

/// A result of a call.
pub(crate) enum Decoded<T> {
    Final(T),
    /// The server needs input before it can finish the request.
    InputRequired(Box<InputRequired>),
    /// The server announced the result for later, and the caller asks for it itself.
    Announced(T),
    /// A result of another type.
    Other,
}

impl<T> Decoded<T> {
    /// Decodes an input-required result; `None` for other results. Only modern servers send them.
    #[cold]
    fn input_required(revision: Revision, text: &str) -> Option<Self> {
        if !revision.is_modern() || result_type(text)? != InputRequired::RESULT_TYPE {
            return None;
        }
        let result = InputRequired::decode(revision, text).ok()?;
        Some(Self::InputRequired(Box::new(result)))
    }

    /// Decodes a result that is not the final one; `fault` is the error for it, if there is one.
    pub(crate) fn not_final(
        revision: Revision,
        text: &str,
        fault: Option<VersionError>,
    ) -> Result<Self, VersionError> {
        match (Self::input_required(revision, text), fault) {
            (Some(decoded), _) => Ok(decoded),
            (None, Some(fault)) => Err(fault),
            (None, None) => Ok(Self::Other),
        }
    }
}

/// Decodes a result. Nearly all are final, so they are decoded as such before anything else.
pub(crate) fn decode<R>(
    revision: Revision,
    text: &str,
) -> Result<Decoded<<R::Result as Outcome>::Complete>, VersionError>
where
    R: Request,
    R::Result: Versioned + Outcome<Complete: Versioned + 'static>,
    <R::Result as Outcome>::Complete: Outcome<Complete = <R::Result as Outcome>::Complete>,
{
    // Most types have no other form.
    let could_be_more =
        TypeId::of::<R::Result>() != TypeId::of::<<R::Result as Outcome>::Complete>();
    if could_be_more && revision.is_modern() {
        if let Ok(result) = revision.decode::<<R::Result as Outcome>::Complete>(text)
            && let Ok(result) = result.complete()
        {
            return Ok(Decoded::Final(result));
        }
        if let Some(decoded) = Decoded::input_required(revision, text) {
            return Ok(decoded);
        }
    }
    let result = revision.decode::<R::Result>(text).map(Outcome::complete);
    match result {
        Ok(Ok(result)) => Ok(Decoded::Final(result)),
        Ok(Err(_)) => Decoded::not_final(revision, text, None),
        Err(fault) => Decoded::not_final(revision, text, Some(fault)),
    }
}

/// Returns the member `resultType` of a result, for errors.
pub(crate) fn result_type(text: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct ResultTypeOnly<'a> {
        #[serde(borrow, default, rename = "resultType")]
        kind: Option<Cow<'a, str>>,
    }
    serde_json::from_str::<ResultTypeOnly<'_>>(text).ok()?.kind
}
