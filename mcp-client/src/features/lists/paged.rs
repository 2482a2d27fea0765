//! [`Paged`]: requests whose results are pages of a list.

use std::fmt;

use mcp_types::revision::Versioned;
use mcp_types::{Cursor, Outcome, Request};
use serde::de::DeserializeOwned;

/// A request whose result is one page of a list.
pub trait Paged:
    Request<Params: Versioned, Result: Versioned + Outcome<Complete = Self::Result> + fmt::Debug>
    + Send
    + Sized
    + 'static
{
    /// The type of the elements.
    type Item: DeserializeOwned + fmt::Debug + Send + Unpin + 'static;
    /// The member of a page that contains them.
    const ITEMS: &'static str;

    /// Returns the params for the page at a cursor.
    fn start_at(params: Self::Params, from: Cursor) -> Self::Params;

    /// Returns the elements of a page, and the cursor of the next one.
    fn split(page: Self::Result) -> (Vec<Self::Item>, Option<Cursor>);
}
