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
    /// What the list is of.
    type Item: DeserializeOwned + fmt::Debug + Send + Unpin + 'static;
    /// The member of a page that holds it.
    const ITEMS: &'static str;

    /// Params that ask for the page which begins there.
    fn go_on(params: Self::Params, from: Cursor) -> Self::Params;

    /// The elements of a page, and where the next one begins.
    fn split(page: Self::Result) -> (Vec<Self::Item>, Option<Cursor>);
}
