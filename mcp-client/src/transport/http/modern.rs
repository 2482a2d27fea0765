//! Requests of revisions without sessions: each is a POST with headers that describe it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method};
use mcp_types::headers::encode_value;
use mcp_types::json::Value;
use mcp_types::{
    CallToolRequest, HEADER_MISMATCH, ListToolsRequest, ListToolsResult, Request, Revision,
};
use mcp_wire::http_headers::{JSON, JSON_AND_EVENTS, METHOD, NAME, PROTOCOL_VERSION, SESSION_ID};

use super::endpoint::Endpoint;
use super::response;
use crate::protocol::connection::{Connection, HeaderSource, OutgoingRequest};
use crate::protocol::error::HttpError;
use crate::protocol::error::TransportError;
use crate::protocol::lenient;
use crate::protocol::params::{ParamValue, Params};
use crate::protocol::roundtrip::{CallTimeout, roundtrip};

/// The maximum number of pages of a list of tools that are read to find one tool.
const PAGES: usize = 64;

pub(super) async fn send(
    endpoint: &Endpoint,
    connection: &Arc<Connection>,
    request: OutgoingRequest<'_>,
) -> Result<(), TransportError> {
    let OutgoingRequest {
        id: request_id,
        method,
        message,
        header_source,
        sent,
    } = request;
    let body = Bytes::from(message);
    let HeaderSource {
        revision,
        name,
        arguments,
    } = header_source;
    let revision = revision.unwrap_or_else(|| connection.revision());
    let standard = standard_headers(method, name)?;
    let tool = name.filter(|_| method == CallToolRequest::METHOD);
    let mut refreshed = false;
    loop {
        let repeated = match tool {
            Some(tool) => endpoint.tool_headers.headers(tool, arguments)?,
            None => Vec::new(),
        };
        sent.store(true, Ordering::Relaxed);
        let response = endpoint.client.send(
            Method::POST,
            &endpoint.client.url,
            body.clone(),
            |headers| {
                headers.reserve(5 + repeated.len());
                headers.remove(SESSION_ID);
                headers.insert(ACCEPT, JSON_AND_EVENTS);
                headers.insert(CONTENT_TYPE, JSON);
                let version = HeaderValue::from_static(revision.as_str());
                headers.insert(PROTOCOL_VERSION, version);
                for (name, value) in standard.iter().flatten().chain(&repeated) {
                    headers.insert(name, value.clone());
                }
            },
        );
        let response = response.await?;
        if response.status().is_success() {
            return match response::read(endpoint, connection, request_id, 0, response).await? {
                None => Ok(()),
                Some(interrupted) => Err(interrupted.error),
            };
        }
        let rejection = endpoint.rejection(response).await;
        let code = rejection.refusal().map(|error| error.code);
        if let (Some(HEADER_MISMATCH), Some(tool), false) = (code, tool, refreshed) {
            refreshed = true;
            if refresh_tool(endpoint, connection, revision, tool).await {
                continue;
            }
        }
        return Err(rejection.into());
    }
}

/// Reads the list of tools until the header parameters of a tool have changed. Returns `false` if
/// they have not.
async fn refresh_tool(
    endpoint: &Endpoint,
    connection: &Arc<Connection>,
    revision: Revision,
    tool: &str,
) -> bool {
    let header_source = HeaderSource {
        revision: Some(revision),
        ..HeaderSource::default()
    };
    let before = endpoint.tool_headers.of(tool);
    let mut cursor: Option<Value> = None;
    for _ in 0..PAGES {
        let method = ListToolsRequest::METHOD;
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
        endpoint.tool_headers.learn(&mut page.tools);
        if endpoint.tool_headers.of(tool) != before {
            return true;
        }
        let Some(next) = page.next_cursor else {
            return false;
        };
        cursor = Some(next.as_str().into());
    }
    false
}

/// Returns the headers that repeat the method and the name of a request.
fn standard_headers(
    method: &str,
    name: Option<&str>,
) -> Result<[Option<(HeaderName, HeaderValue)>; 2], HttpError> {
    let header = |name: HeaderName, value: &str| {
        let value = HeaderValue::try_from(value).map_err(|_| HttpError::Header {
            name: name.as_str().to_owned(),
        })?;
        Ok(Some((name, value)))
    };
    Ok([
        header(METHOD, method)?,
        match name {
            Some(name) => header(NAME, &encode_value(name))?,
            None => None,
        },
    ])
}
