//! Creates the span of a request or notification, by OpenTelemetry's conventions for MCP.
//!
//! Fields whose names begin with `otel.` are not attributes: layers that export spans take the
//! name, the kind and the status of the span from them.

use std::sync::Arc;

use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::rpc::ErrorObject;
use mcp_types::{RequestId, Revision};
use tracing::Span;
use tracing::field::{Empty, display};

use crate::protocol::dispatch::inbound::{Inbound, TransportInfo};
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::session::Session;

const NAME: &str = "mcp.request";

/// Creates the span of a request, or of a notification if `id` is `None`.
pub(crate) fn span(
    id: Option<&RequestId>,
    method: &str,
    params: &ParamsView<'_>,
    session: Option<&Arc<Session>>,
    revision: Revision,
    inbound: &Inbound,
) -> Span {
    let span = tracing::info_span!(
        NAME,
        otel.kind = "server",
        otel.name = Empty,
        otel.status_code = Empty,
        otel.status_description = Empty,
        mcp.method.name = method,
        mcp.protocol.version = revision.as_str(),
        mcp.session.id = Empty,
        mcp.resource.uri = Empty,
        jsonrpc.request.id = Empty,
        gen_ai.operation.name = Empty,
        gen_ai.tool.name = Empty,
        gen_ai.prompt.name = Empty,
        network.transport = Empty,
        network.protocol.name = Empty,
        network.protocol.version = Empty,
        traceparent = Empty,
        error.type = Empty,
        rpc.response.status_code = Empty,
    );
    if span.is_disabled() {
        return span;
    }
    if let Some(id) = id {
        span.record("jsonrpc.request.id", display(PeerDisplay(id)));
    }
    if let Some(id) = session.and_then(|session| session.id.as_deref()) {
        span.record("mcp.session.id", display(PeerText(id)));
    }
    if let Some(parent) = params.trace_parent() {
        span.record("traceparent", display(PeerText(&parent)));
    }
    record_transport(&span, inbound.transport);
    // Only names of tools and prompts are part of the span's name: URIs have too many values.
    let target = match method {
        "tools/call" => {
            span.record("gen_ai.operation.name", "execute_tool");
            params
                .members
                .text("name")
                .map(|name| ("gen_ai.tool.name", name))
        }
        "prompts/get" => params
            .members
            .text("name")
            .map(|name| ("gen_ai.prompt.name", name)),
        _ => None,
    };
    match target {
        Some((field, name)) => {
            let name = PeerText(&name);
            span.record("otel.name", format!("{method} {name}"));
            span.record(field, display(name));
        }
        None => {
            span.record("otel.name", display(PeerText(method)));
        }
    }
    if method.starts_with("resources/")
        && let Some(uri) = params.members.text("uri")
    {
        span.record("mcp.resource.uri", display(PeerText(&uri)));
    }
    span
}

/// Records the attributes of the transport.
fn record_transport(span: &Span, info: TransportInfo) {
    if let Some(network) = info.network {
        span.record("network.transport", network);
    }
    if let Some((name, version)) = info.protocol {
        span.record("network.protocol.name", name);
        if let Some(version) = version {
            span.record("network.protocol.version", version);
        }
    }
}

/// Records that the response to a request is an error.
pub(crate) fn failed(span: &Span, error: &ErrorObject) {
    if span.is_disabled() {
        return;
    }
    span.record("error.type", display(error.code));
    span.record("rpc.response.status_code", display(error.code));
    span.record("otel.status_code", "ERROR");
    span.record("otel.status_description", display(PeerText(&error.message)));
}

/// Records that a tool failed, although the response to the request is a result.
pub(crate) fn tool_failed(tool: &str) {
    tracing::debug!(tool = %PeerText(tool), "a tool returned an error");
    let span = Span::current();
    // If the subscriber disabled the request's span, the current span is that of another component.
    if span.metadata().is_some_and(|it| it.name() == NAME) {
        span.record("error.type", "tool_error");
        span.record("otel.status_code", "ERROR");
    }
}
