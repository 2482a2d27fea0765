//! [`NamedParams`]: the params of `tools/call` and `prompts/get`, which name an item of a list and
//! pass arguments to it.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::features::access::is_admitted;
use crate::features::catalog::{Definition, List};
use crate::protocol::core::Context;
use crate::protocol::dispatch::route;
use crate::protocol::error::handler_error::{HandlerError, bad_params};
use crate::protocol::error::short;
use crate::protocol::message::params_view::ParamsView;

/// An item of a list that a request names, and the arguments for it.
pub(crate) struct NamedParams<I, A> {
    pub(crate) name: String,
    /// `None` if the list has no item of that name.
    pub(crate) item: Option<Arc<I>>,
    /// `None` if the request has no arguments, or the item does not exist.
    pub(crate) arguments: Option<A>,
}

impl<I: Definition, A: DeserializeOwned> NamedParams<I, A> {
    /// Decodes the params. Arguments for an item that does not exist are not decoded.
    pub(crate) fn read(
        items: &List<I>,
        params: &ParamsView<'_>,
        cx: &Context,
    ) -> Result<Self, HandlerError> {
        let name: String = route::members(params, cx, |members| members.required("name"))?;
        let item = if is_admitted(cx, &name) {
            items.get(&name)
        } else {
            items.get_visible(&name, cx)
        };
        let arguments = match &item {
            Some(_) => params.members.optional("arguments"),
            None => Ok(None),
        };
        let arguments = arguments.map_err(|error| bad_params(cx.method(), &error.into()))?;
        Ok(Self {
            name,
            item,
            arguments,
        })
    }

    /// Returns `true` if the item's handler may ask the client.
    pub(crate) fn may_ask(&self) -> bool {
        self.item
            .as_ref()
            .is_some_and(|item| item.access().may_ask())
    }

    /// Returns the item.
    ///
    /// # Errors
    ///
    /// -32602 if the list has no item of that name.
    pub(crate) fn item(&self) -> Result<&Arc<I>, HandlerError> {
        self.item.as_ref().ok_or_else(|| {
            let (kind, name) = (I::KIND, short(&self.name));
            HandlerError::invalid_params(format!("unknown {kind} `{name}`"))
        })
    }
}
