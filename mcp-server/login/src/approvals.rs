//! The clients that a user has approved, so that the user is not asked again.
//!
//! They are in a sealed cookie: each entry is for one user, one client and one redirect URI. So an
//! approval counts only in the browser where it was given, and does not use the store.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::authorization_request::AuthorizationRequest;
use crate::clock::now;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::login::LoginServer;
use crate::web::cookies::APPROVALS;

/// The time for which an approval is remembered.
const TIME: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// The maximum number of approvals in a browser.
const MOST: usize = 8;

#[derive(Serialize, Deserialize)]
struct Approval {
    /// The digest of the client, its redirect URI and what it asks for.
    client: String,
    /// The digest of the subject of the user.
    user: String,
    at: u64,
}

/// Returns the text by which a user is compared with the one who approved a client.
pub(crate) fn user_digest(subject: &str) -> String {
    mcp_oauth::sha256(subject.as_bytes())
}

fn client_digest(request: &AuthorizationRequest) -> String {
    let scopes = request.scopes.join(" ");
    let (key, redirect) = (&request.client.key, &request.back.uri);
    mcp_oauth::sha256(format!("{key}\n{redirect}\n{scopes}").as_bytes())
}

/// Returns `true` if an approval of a request can be remembered. Any program on a device can claim to
/// be a client whose redirect leads to the device.
pub(crate) fn can_be_remembered(login: &LoginServer, request: &AuthorizationRequest) -> bool {
    // Without scopes, a client gets whatever the user may do, which may be more later.
    let is_definite = !request.scopes.is_empty() || login.has_no_scopes();
    request.is_identified() && is_definite
}

fn all(exchange: &Exchange<'_>) -> Vec<Approval> {
    let mut approvals: Vec<Approval> = exchange.open(APPROVALS).unwrap_or_default();
    let oldest = now().saturating_sub(TIME.as_secs());
    approvals.retain(|approval| approval.at >= oldest);
    approvals
}

/// Returns the digest of the user who has approved this request in this browser before.
pub(crate) fn find(exchange: &Exchange<'_>, request: &AuthorizationRequest) -> Option<String> {
    if !can_be_remembered(exchange.login, request) {
        return None;
    }
    let client = client_digest(request);
    let mut approvals = all(exchange).into_iter();
    let found = approvals.find(|approval| approval.client == client);
    found.map(|approval| approval.user)
}

/// Returns the cookie that remembers that a user has approved a request.
pub(crate) fn remember(
    exchange: &Exchange<'_>,
    request: &AuthorizationRequest,
    subject: &str,
) -> Result<String, Fault> {
    let approval = Approval {
        client: client_digest(request),
        user: user_digest(subject),
        at: now(),
    };
    let mut approvals = all(exchange);
    approvals.retain(|other| other.client != approval.client);
    approvals.insert(0, approval);
    approvals.truncate(MOST);
    exchange.seal(APPROVALS, &approvals, TIME)
}
