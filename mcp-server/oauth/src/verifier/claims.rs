//! What the claims of an access token mean, for JWT (RFC 9068) and for responses to introspection
//! (RFC 7662).

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcp_oauth::jwt;
use mcp_server::AccessToken;
use mcp_types::json::{self, Object, Value};

/// The difference between the clocks of servers that is tolerated.
pub(crate) const LEEWAY: Duration = Duration::from_secs(60);

/// The latest time that a claim can name: the year 9999.
const LATEST: f64 = 253_402_300_799.0;

/// Creates the description of a token of an issuer from its claims. Checks what concerns neither
/// the audience nor the expiry.
///
/// # Errors
///
/// A text that says which claim is wrong.
pub(crate) fn access_token(issuer: &str, claims: Object) -> Result<AccessToken, &'static str> {
    if let Some(named) = claims.get("iss")
        && named.as_str() != Some(issuer)
    {
        return Err("the issuer (`iss`) is not the expected one");
    }
    let not_before = time(&claims, "nbf")?;
    if not_before.is_some_and(|time| time > SystemTime::now() + LEEWAY) {
        return Err("the token is not valid yet (`nbf`)");
    }
    let mut token = AccessToken::new(issuer);
    token.expires_at = time(&claims, "exp")?;
    token.subject = text(&claims, "sub")?;
    token.client_id = match text(&claims, "client_id")? {
        Some(client) => Some(client),
        // The name of the claim in tokens of some issuers.
        None => text(&claims, "azp")?,
    };
    token.audience = texts(claims.get("aud")).ok_or("`aud` is not a list of strings")?;
    // Some issuers call the claim `scp`.
    let scopes = claims.get("scope").or_else(|| claims.get("scp"));
    token.scopes = scope_list(scopes).ok_or("`scope` is not a list of strings")?;
    token.key_thumbprint = match claims.get("cnf") {
        None => None,
        Some(confirmation) => {
            let thumbprint = confirmation.get("jkt").and_then(Value::as_str);
            // A token that is bound in another way, such as to a certificate, cannot be checked.
            Some(
                thumbprint
                    .ok_or("the token is bound in an unknown way (`cnf`)")?
                    .to_owned(),
            )
        }
    };
    token.claims = claims;
    Ok(token)
}

/// Returns the issuer that a token names, if it is a JWT. Nothing is verified.
pub(crate) fn unverified_issuer(token: &str) -> Option<String> {
    let mut parts = token.split('.');
    let (_, claims, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || token.len() > jwt::TOKEN_BYTES {
        return None;
    }
    let claims = URL_SAFE_NO_PAD.decode(claims).ok()?;
    let claims: Object = json::from_slice(&claims).ok()?;
    claims.get("iss").and_then(Value::as_str).map(str::to_owned)
}

fn text(claims: &Object, name: &str) -> Result<Option<String>, &'static str> {
    match claims.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err("a claim that names the caller is not a string"),
    }
}

/// Returns a time in seconds since the Unix epoch. It may have a fraction (RFC 7519, section 2).
fn time(claims: &Object, name: &str) -> Result<Option<SystemTime>, &'static str> {
    let wrong = "a claim with a time is not a number of seconds";
    let seconds = match claims.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value.as_f64().ok_or(wrong)?,
    };
    if !(0.0..=LATEST).contains(&seconds) {
        return Err(wrong);
    }
    Ok(Some(
        SystemTime::UNIX_EPOCH + Duration::from_secs_f64(seconds),
    ))
}

/// Returns the strings of a claim that is a string or a list of strings.
fn texts(value: Option<&Value>) -> Option<Vec<String>> {
    match value {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::String(text)) => Some(vec![text.clone()]),
        Some(Value::Array(items)) => {
            let items = items.iter();
            items.map(|item| Some(item.as_str()?.to_owned())).collect()
        }
        Some(_) => None,
    }
}

/// Returns the scopes of a claim: separated by spaces, or a list.
fn scope_list(value: Option<&Value>) -> Option<Vec<String>> {
    let lists = texts(value)?;
    let scopes = lists.iter().flat_map(|list| list.split(' '));
    Some(
        scopes
            .filter(|scope| !scope.is_empty())
            .map(str::to_owned)
            .collect(),
    )
}
