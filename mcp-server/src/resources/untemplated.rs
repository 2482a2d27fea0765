//! What stands for [resource templates](super::templates) without the feature of that name: there
//! are none.

use std::sync::Arc;

use mcp_types::json::{Map, Writer};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{CacheScope, ListResourceTemplatesRequest, Request, ResultType, Revision};
use serde::Serialize;

use super::TEMPLATE;
use super::found::Defined;
use crate::builder::ServerBuilder;
use crate::context::Context;
use crate::error::HandlerError;
use crate::lists::{Features, Part, bad_cursor};

pub(super) fn offered(_: &Features) -> bool {
    false
}

pub(super) fn routes(builder: &mut ServerBuilder) {
    builder.serve(ListResourceTemplatesRequest::METHOD, list);
}

async fn list(part: Part, cx: Context) -> Result<NoTemplates, HandlerError> {
    if part.cursor.is_some() {
        return Err(bad_cursor(TEMPLATE));
    }
    let hints = &cx.server().inner.features.resources.hints;
    Ok(NoTemplates {
        resource_templates: [],
        newest: Some(Newest {
            result_type: ResultType::Complete,
            ttl_ms: hints.ttl_ms,
            cache_scope: hints.scope,
        }),
    })
}

/// The empty list as all revisions have it. The type of the method's result would bring along all
/// that turns templates of one revision into those of another.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NoTemplates {
    resource_templates: [(); 0],
    #[serde(flatten)]
    newest: Option<Newest>,
}

/// What the newest revision has beside it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Newest {
    result_type: ResultType,
    ttl_ms: i64,
    cache_scope: CacheScope,
}

impl Versioned for NoTemplates {
    /// Only peers read such lists.
    fn decode_at(revision: Revision, _: &str) -> Result<Self, VersionError> {
        let kind = "ListResourceTemplatesResult";
        Err(VersionError::Unmapped { kind, revision })
    }

    fn write_at(mut self, revision: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
        if revision != Revision::LATEST {
            self.newest = None;
        }
        Ok(out.write(&self)?)
    }
}

pub(super) fn find(_: &Features, _: &str) -> Option<(Arc<dyn Defined>, Map<String>)> {
    None
}

#[cfg(feature = "seal")]
pub(super) fn lister(_: &Features, _: u64) -> Option<(u64, Arc<dyn Defined>)> {
    None
}

pub(crate) fn has_variable(_: &Features, _: &str, _: &str) -> Option<bool> {
    None
}
