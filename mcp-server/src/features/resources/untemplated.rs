//! What stands for [resource templates](super::templates) without the feature of that name: there
//! are none.

use std::sync::Arc;

use mcp_types::json::{Map, Value};
use mcp_types::{EmptyResult, ListResourceTemplatesRequest, Request, Revision};

use super::TEMPLATE;
use super::found::Defined;
use crate::features::catalog::{Features, Part, bad_cursor};
use crate::protocol::context::Context;
use crate::protocol::error::HandlerError;
use crate::server::builder::ServerBuilder;

pub(crate) fn offered(_: &Features) -> bool {
    false
}

pub(crate) fn routes(builder: &mut ServerBuilder) {
    builder.serve(ListResourceTemplatesRequest::METHOD, list);
}

async fn list(part: Part, cx: Context) -> Result<EmptyResult, HandlerError> {
    if part.cursor.is_some() {
        return Err(bad_cursor(TEMPLATE));
    }
    // The type of the method's result would bring along all that turns templates of one revision
    // into those of another.
    let mut result = EmptyResult::new();
    let none = Value::Array(Vec::new());
    result.extra.insert("resourceTemplates", none);
    if cx.revision() == Revision::LATEST {
        let hints = &cx.server().inner.features.resources.hints;
        result.extra.insert("ttlMs", Value::from(hints.ttl_ms));
        let scope = hints.scope.as_str();
        result.extra.insert("cacheScope", Value::from(scope));
    }
    Ok(result)
}

pub(crate) fn find(_: &Features, _: &str) -> Option<(Arc<dyn Defined>, Map<String>)> {
    None
}

#[cfg(feature = "seal")]
pub(crate) fn lister(_: &Features, _: u64) -> Option<(u64, Arc<dyn Defined>)> {
    None
}

pub(crate) fn has_variable(_: &Features, _: &str, _: &str) -> Option<bool> {
    None
}
