//! [`refresh_tools`]: lists the tools again after the server rejected the headers of a call.

use std::sync::Arc;

use mcp_types::json::Value;
use mcp_types::{ListToolsRequest, ListToolsResult, Request, Revision};

use crate::protocol::connection::{Connection, HeaderSource};
use crate::protocol::lenient;
use crate::protocol::params::{ParamValue, Params};
use crate::protocol::roundtrip::{CallTimeout, roundtrip};

/// The maximum number of pages that are read.
const PAGES: usize = 64;

/// Lists the tools, and hands them to the transport, until `has_changed` returns `true`. Returns
/// `false` if it never does.
pub(super) async fn refresh_tools(
    connection: &Arc<Connection>,
    revision: Revision,
    has_changed: &(dyn Fn() -> bool + Send + Sync),
) -> bool {
    let method = ListToolsRequest::METHOD;
    let header_source = HeaderSource {
        revision: Some(revision),
        ..HeaderSource::default()
    };
    let mut cursor: Option<Value> = None;
    for _ in 0..PAGES {
        let time = CallTimeout::new(connection.limits.call_time);
        let page = roundtrip(connection, method, time, header_source, |_| {
            let mut params = Params::new();
            if let Some(cursor) = &cursor {
                params = params.with("cursor", ParamValue::Value(cursor));
            }
            match connection.request_meta.of(revision) {
                Some(client) => params.describe(client),
                None => params,
            }
        });
        let Ok(page) = page.await else {
            return false;
        };
        let page = lenient::read(revision, method, page.get(), Revision::decode);
        let Ok::<ListToolsResult, _>(mut page) = page else {
            return false;
        };
        connection.sender.learn_tools(&mut page.tools);
        if has_changed() {
            return true;
        }
        let Some(next) = page.next_cursor else {
            return false;
        };
        cursor = Some(next.as_str().into());
    }
    false
}
