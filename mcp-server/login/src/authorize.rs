//! The authorization endpoint: which requests are accepted (RFC 6749, section 4.1.1; RFC 9700).

use http::StatusCode;

use crate::approvals;
use crate::authorization_request::{AuthorizationRequest, ReturnPath, requested_scopes};
use crate::clients::document::{self, DocumentError};
use crate::clients::{Client, ClientSummary, redirect_uri, registration};
use crate::consent;
use crate::exchange::Exchange;
use crate::interruption::Interruption;
use crate::oauth_error::OAuthError;
use crate::pending::{self, LoginPurpose};
use crate::web::cookies::VALUE_BYTES;
use crate::web::params::Params;
use crate::web::response::Reply;

/// The maximum length of `state`, in bytes.
const STATE_BYTES: usize = 1_024;

/// Responds to a request of a browser that a client has sent here.
pub(crate) async fn respond(exchange: &Exchange<'_>) -> Result<Reply, Interruption> {
    let params = exchange.query()?;
    let request = validate(exchange, &params).await?;
    // A client may want the user to be asked again.
    let prompts = params.get("prompt")?.unwrap_or_default();
    let is_asked_again = prompts.split(' ').any(|prompt| prompt == "consent");
    let approved = approvals::find(exchange, &request).filter(|_| !is_asked_again);
    match approved {
        Some(user) => {
            let purpose = LoginPurpose::Client {
                request: Box::new(request),
                remember: false,
                approved_by: Some(user),
            };
            pending::begin(exchange, purpose).await
        }
        None => consent::show(exchange, &request),
    }
}

/// Shows an error to the user, because the client cannot be told: its redirect URI is not validated.
fn page(text: &'static str) -> Interruption {
    Interruption::Page(
        StatusCode::BAD_REQUEST,
        "This link does not work",
        text.into(),
    )
}

async fn validate(
    exchange: &Exchange<'_>,
    params: &Params,
) -> Result<AuthorizationRequest, Interruption> {
    let id = params.get("client_id")?;
    let id = id.ok_or_else(|| page("The program that sent you here did not say which it is."))?;
    let client = find_client(exchange, id).await?;
    let redirect = params.get("redirect_uri")?;
    let redirect = redirect.ok_or_else(|| page("The link has no `redirect_uri`."))?;
    let mut registered = client.redirect_uris.iter();
    if !registered.any(|registered| redirect_uri::matches(registered, redirect)) {
        let text = "The program that sent you here wants you to be sent to an address that it has \
                    not registered.";
        return Err(page(text));
    }
    let back = ReturnPath {
        uri: redirect.to_owned(),
        // A `state` that is repeated is not sent back.
        state: params.get("state").ok().flatten().map(str::to_owned),
    };
    let request = wanted(exchange, params, client.about, &back);
    request.map_err(|error| Interruption::Client {
        back,
        error,
        is_known: false,
    })
}

/// Returns the client with an id. Its document is loaded for each request, so that the redirect is
/// compared with what the document says now.
async fn find_client(exchange: &Exchange<'_>, id: &str) -> Result<Client, Interruption> {
    if !document::is_document(id) {
        let client = registration::find(&exchange.vault, id);
        let text = "The program that sent you here is not known. Remove this server from it, and add \
                    it again.";
        return client.ok_or_else(|| page(text));
    }
    exchange.login.documents.load(id).await.map_err(|error| {
        tracing::info!(
            client = %mcp_types::peer_text::PeerText(&mcp_fetch::url::shown(id)),
            error = %mcp_types::peer_text::Chain(&error),
            "a client is not accepted"
        );
        // The error may quote the host at the URL, so users see only what kind of error it is.
        let (status, text) = match error {
            DocumentError::Busy => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Too many programs are looked up at the moment. Try again later.",
            ),
            _ => (
                StatusCode::BAD_REQUEST,
                "The program that sent you here cannot be verified.",
            ),
        };
        Interruption::Page(status, "This link does not work", text.into())
    })
}

/// Returns the request of a client that is known.
fn wanted(
    exchange: &Exchange<'_>,
    params: &Params,
    client: ClientSummary,
    back: &ReturnPath,
) -> Result<AuthorizationRequest, OAuthError> {
    let invalid = |text: &'static str| OAuthError::new("invalid_request", text);
    for (name, code) in [
        ("request", "request_not_supported"),
        ("request_uri", "request_uri_not_supported"),
    ] {
        if params.get(name)?.is_some() {
            return Err(OAuthError::new(code, format!("`{name}` is not supported")));
        }
    }
    match params.get("response_type")? {
        Some("code") => {}
        None => return Err(invalid("`response_type` is missing")),
        Some(_) => {
            let text = "`response_type` is not `code`";
            return Err(OAuthError::new("unsupported_response_type", text));
        }
    }
    if !matches!(params.get("response_mode")?, None | Some("query")) {
        return Err(invalid("`response_mode` is not `query`"));
    }
    let is_legal = |state: &str| state.len() <= STATE_BYTES && is_printable(state);
    if !params.get("state")?.is_none_or(is_legal) {
        let text = "`state` is too long, or has characters other than visible ASCII";
        return Err(invalid(text));
    }
    // Without a method it would be `plain`, which does not protect (RFC 9700, section 2.1.1).
    if params.get("code_challenge_method")? != Some("S256") {
        return Err(invalid("`code_challenge_method` is not `S256`"));
    }
    let challenge = params.get("code_challenge")?;
    let challenge = challenge.filter(|challenge| is_digest(challenge));
    let challenge = challenge.ok_or_else(|| invalid("`code_challenge` is missing or invalid"))?;
    exchange.check_resource(params)?;
    let key_thumbprint = params.get("dpop_jkt")?;
    if key_thumbprint.is_some_and(|thumbprint| !is_digest(thumbprint)) {
        return Err(invalid("`dpop_jkt` is not a thumbprint"));
    }
    let prompts = params.get("prompt")?.unwrap_or_default();
    if prompts.split(' ').any(|prompt| prompt == "none") {
        let text = "the user has to be asked";
        return Err(OAuthError::new("login_required", text));
    }
    let scopes = requested_scopes(params.get("scope")?.unwrap_or_default());
    let malformed = || OAuthError::new("invalid_scope", "`scope` is too long or malformed");
    let request = AuthorizationRequest {
        client,
        back: back.clone(),
        challenge: challenge.to_owned(),
        scopes: scopes.ok_or_else(malformed)?,
        key_thumbprint: key_thumbprint.map(str::to_owned),
    };
    // It has to fit into a cookie, with what is added to it.
    let size = serde_json::to_string(&request).map_or(usize::MAX, |text| text.len());
    if size.saturating_add(700) > VALUE_BYTES / 4 * 3 {
        return Err(invalid("the parameters are too long in total"));
    }
    Ok(request)
}

fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns `true` for a SHA-256 digest as base64url.
fn is_digest(text: &str) -> bool {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    text.len() == 43 && text.bytes().all(is_legal)
}
