//! Finds out whether a server has ended a session.
//!
//! The specification has the status 404 for this. Many servers answer with another one, such as 400,
//! which may also mean that only this request is refused: then a ping decides.

use http::StatusCode;
use mcp_types::v2025_11_25::PingRequest;
use mcp_types::{Request, RequestId, rpc};
use tokio::time::timeout;

use crate::protocol::connection::Connection;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::session::Session;

/// Returns `true` if a refusal with this status means that the server does not know the session any
/// more. Sends a ping if the status does not tell.
pub(super) async fn has_ended(
    endpoint: &Endpoint,
    connection: &Connection,
    session: &Session,
    status: StatusCode,
) -> bool {
    if session.id.is_none() {
        return false;
    }
    match status.as_u16() {
        404 => true,
        _ if may_have_ended(status) => {
            is_refused(endpoint, connection, session).await == Some(true)
        }
        _ => false,
    }
}

/// Returns `true` if servers answer with this status to an unknown session.
pub(super) fn may_have_ended(status: StatusCode) -> bool {
    matches!(
        status.as_u16(),
        400 | 404 | 409 | 410 | 412 | 422 | 428 | 500
    )
}

/// Sends a ping to find out whether the server has ended a session; `None` if it does not answer.
pub(super) async fn is_refused(
    endpoint: &Endpoint,
    connection: &Connection,
    session: &Session,
) -> Option<bool> {
    let waiting = connection.pending.register(None);
    let id = RequestId::from(waiting.id);
    let mut message = Vec::with_capacity(64);
    rpc::write_request::<()>(&mut message, &id, PingRequest::METHOD, None).ok()?;
    let posted = endpoint.post(connection.revision(), session, message.into());
    let response = timeout(connection.limits.call_time, posted)
        .await
        .ok()?
        .ok()?;
    Some(may_have_ended(response.status()))
}
