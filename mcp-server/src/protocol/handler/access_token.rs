//! [`AccessToken`]: what a verified access token says.

use std::sync::Arc;
use std::time::SystemTime;

use mcp_types::json::Object;

use crate::protocol::caller::{Extensions, Principal};
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::rejection::Challenge;
use crate::protocol::handler::extract::FromContext;
use crate::util::partial_debug::partial_debug;

/// What a verified access token says. It does not contain the token itself.
///
/// Every request over HTTP that an endpoint [authenticates](crate::Authenticate) has one: handlers
/// extract it, guards and [`Context::extension`] see it, and its [`principal`](Self::principal) is the
/// [`Principal`] of the request.
///
/// ```
/// use mcp_server::{AccessToken, Server};
///
/// async fn whoami(token: AccessToken) -> String {
///     let subject = token.subject.as_deref().unwrap_or("nobody");
///     format!("{subject} of {}", token.issuer)
/// }
///
/// let server = Server::builder("demo", "1.0.0")
///     .tool("whoami", "Tells who sent the request", whoami)
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct AccessToken {
    /// The authorization server that issued the token.
    pub issuer: String,
    /// The user on whose behalf the client acts. Unique for the issuer.
    pub subject: Option<String>,
    /// The client to which the token was issued.
    pub client_id: Option<String>,
    /// What the token permits.
    pub scopes: Vec<String>,
    /// The resources for which the token was issued. `OAuth` of `mcp-server-oauth` rejects a token
    /// without the resource of the server.
    pub audience: Vec<String>,
    /// When the token expires. Streams of responses end at this time; an
    /// [`Authenticate`](crate::Authenticate) rejects a token that has expired.
    pub expires_at: Option<SystemTime>,
    /// The SHA-256 thumbprint of the key to which the token is bound (RFC 9449, `cnf.jkt`).
    /// `OAuth` of `mcp-server-oauth` requires a proof of possession of this key.
    pub key_thumbprint: Option<String>,
    /// All claims of the token, or all members of the response to its introspection.
    pub claims: Object,
}

impl AccessToken {
    /// Creates the description of a token of an issuer.
    #[must_use]
    pub fn new(issuer: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            subject: None,
            client_id: None,
            scopes: Vec::new(),
            audience: Vec::new(),
            expires_at: None,
            key_thumbprint: None,
            claims: Object::new(),
        }
    }

    /// Sets the user.
    #[must_use]
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Sets the client.
    #[must_use]
    pub fn client_id(mut self, client_id: impl Into<String>) -> Self {
        self.client_id = Some(client_id.into());
        self
    }

    /// Sets what the token permits.
    #[must_use]
    pub fn scopes<T: Into<String>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the resources for which the token was issued.
    #[must_use]
    pub fn audience<T: Into<String>>(mut self, audience: impl IntoIterator<Item = T>) -> Self {
        self.audience = audience.into_iter().map(Into::into).collect();
        self
    }

    /// Sets when the token expires.
    #[must_use]
    pub fn expires_at(mut self, time: SystemTime) -> Self {
        self.expires_at = Some(time);
        self
    }

    /// Binds the token to a key, by the SHA-256 thumbprint of the key.
    #[must_use]
    pub fn key_thumbprint(mut self, thumbprint: impl Into<String>) -> Self {
        self.key_thumbprint = Some(thumbprint.into());
        self
    }

    /// Sets the claims.
    #[must_use]
    pub fn claims(mut self, claims: Object) -> Self {
        self.claims = claims;
        self
    }

    /// Returns the name of the caller: the issuer and the subject, or the client if the token has
    /// no subject. It stays the same when the client renews its token. `None` if the token has
    /// neither, or if the issuer contains a space.
    #[must_use]
    pub fn principal(&self) -> Option<Principal> {
        if self.issuer.contains(' ') {
            return None;
        }
        // The issuer contains no space, so no two callers have the same name.
        let issuer = &self.issuer;
        let name = match (&self.subject, &self.client_id) {
            (Some(subject), _) => format!("{issuer}{SUBJECT}{subject}"),
            (None, Some(client)) => format!("{issuer}{CLIENT}{client}"),
            (None, None) => return None,
        };
        Some(Principal(name))
    }
}

/// Separates the issuer and the subject in the name of a principal.
const SUBJECT: &str = " sub ";
/// Separates the issuer and the client in the name of a principal.
const CLIENT: &str = " client ";

impl Principal {
    /// Returns the user whom the access token of this principal names: its subject, which is unique
    /// for the [`issuer`](Self::issuer). `None` for a client without a user, and for a principal
    /// that no access token gave.
    ///
    /// ```
    /// use mcp_server::{AccessToken, Principal};
    ///
    /// let token = AccessToken::new("https://auth.example.com").subject("ada");
    /// let principal = token.principal().expect("the token has a subject");
    /// assert_eq!(principal.subject(), Some("ada"));
    /// assert_eq!(principal.issuer(), Some("https://auth.example.com"));
    ///
    /// let from_middleware = Principal("ada".to_owned());
    /// assert_eq!(from_middleware.subject(), None);
    /// ```
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        let (_, rest) = self.parts()?;
        rest.strip_prefix(SUBJECT)
    }

    /// Returns the authorization server that issued the access token of this principal. `None` for
    /// a principal that no access token gave.
    #[must_use]
    pub fn issuer(&self) -> Option<&str> {
        let (issuer, rest) = self.parts()?;
        let is_of_token = rest.starts_with(SUBJECT) || rest.starts_with(CLIENT);
        is_of_token.then_some(issuer)
    }

    /// Splits the name after the issuer, which contains no space.
    fn parts(&self) -> Option<(&str, &str)> {
        self.0.split_at_checked(self.0.find(' ')?)
    }
}

/// The token, and the principal that it names.
impl From<AccessToken> for Extensions {
    fn from(token: AccessToken) -> Self {
        let mut extensions = Self::new();
        if let Some(principal) = token.principal() {
            extensions.insert(principal);
        }
        extensions.insert(token);
        extensions
    }
}

partial_debug!(
    /// The claims may contain personal data, so only their names are written.
    AccessToken, |it|
    issuer: it.issuer,
    subject: it.subject,
    client_id: it.client_id,
    scopes: it.scopes,
    audience: it.audience,
    expires_at: it.expires_at,
    claims: it.claims.keys().collect::<Vec<_>>()
);

/// Requests without a verified token are refused, see [`HandlerError::forbidden`].
impl FromContext for AccessToken {
    const USES_CONTEXT: bool = false;

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        let token = cx.extension::<Self>().cloned();
        token.ok_or_else(|| HandlerError::forbidden("the request has no access token"))
    }
}

impl FromContext for Option<AccessToken> {
    const USES_CONTEXT: bool = false;

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        Ok(cx.extension().cloned())
    }
}

/// How an endpoint decides about scopes. Attached to its requests as `Arc<dyn ScopePolicy>`.
pub(crate) trait ScopePolicy: Send + Sync {
    /// Returns the scopes that all requests require.
    fn required(&self) -> &[String];

    /// Returns `true` if a token permits what a scope permits.
    fn permits(&self, token: &AccessToken, scope: &str) -> bool;

    /// Adds parameters to the challenge for a caller whose token lacks a scope.
    fn complete(&self, challenge: Challenge) -> Challenge;
}

/// Completes the challenge for a caller whose token lacks a scope.
pub(crate) fn completed(
    mut challenge: Challenge,
    policy: Option<&dyn ScopePolicy>,
    token: Option<&AccessToken>,
) -> Challenge {
    if token.is_some_and(|token| token.key_thumbprint.is_some()) {
        challenge = challenge.with_proof_of_possession();
    }
    match policy {
        Some(policy) => policy.complete(challenge),
        None => challenge,
    }
}

/// Joins scopes with spaces, each of them once.
pub(crate) fn joined<'a>(scopes: impl IntoIterator<Item = &'a String>) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for scope in scopes {
        if !seen.contains(&scope.as_str()) {
            seen.push(scope);
        }
    }
    seen.join(" ")
}

/// The scopes that the definition of the operation requires. Attached to the context of its
/// handler.
struct OperationScopes(Vec<String>);

impl Context {
    /// Checks that the access token of the caller has scopes which depend on the request, for
    /// example on the arguments of a tool. For scopes that do not depend on it, see
    /// [`ToolDef::scopes`](crate::ToolDef::scopes).
    ///
    /// ```
    /// use mcp_server::{Context, HandlerError, Server};
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Delete {
    ///     path: String,
    /// }
    ///
    /// async fn delete(args: Delete, cx: Context) -> Result<&'static str, HandlerError> {
    ///     let mut scopes = vec!["files:write"];
    ///     if args.path.starts_with("/shared/") {
    ///         scopes.push("files:shared");
    ///     }
    ///     cx.require_scopes(scopes)?;
    ///     Ok("deleted")
    /// }
    ///
    /// let server = Server::builder("files", "1.0.0")
    ///     .tool("delete", "Deletes a file", delete)
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`HandlerError::insufficient_scope`] if the token lacks one of them, or if the request has
    /// no access token. The challenge names all scopes that the operation requires, so that the
    /// client can ask the user for all of them at once. Therefore require them in one call. Over
    /// HTTP the status is 403 only if the response has not begun, so check scopes before progress
    /// is sent.
    pub fn require_scopes<T: Into<String>>(
        &self,
        scopes: impl IntoIterator<Item = T>,
    ) -> Result<(), HandlerError> {
        let mut all: Vec<String> = Vec::new();
        if let Some(policy) = self.extension::<Arc<dyn ScopePolicy>>() {
            all.extend_from_slice(policy.required());
        }
        if let Some(OperationScopes(scopes)) = self.value() {
            all.extend_from_slice(scopes);
        }
        let first = all.len();
        all.extend(scopes.into_iter().map(Into::into));
        let required = all.get(first..).unwrap_or_default();
        if required.iter().all(|scope| self.has_scope(scope)) {
            return Ok(());
        }
        Err(HandlerError::insufficient_scope(&joined(&all)))
    }

    /// Returns `true` if the request has an access token that permits what a scope permits.
    #[must_use]
    pub fn has_scope(&self, scope: &str) -> bool {
        let Some(token) = self.extension::<AccessToken>() else {
            return false;
        };
        match self.extension::<Arc<dyn ScopePolicy>>() {
            Some(policy) => policy.permits(token, scope),
            None => token.scopes.iter().any(|granted| granted == scope),
        }
    }

    /// Returns this context with the scopes that the definition of the operation requires.
    pub(crate) fn with_operation_scopes(&self, scopes: Vec<String>) -> Self {
        self.with_value(OperationScopes(scopes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principals_of_users_and_clients_differ() {
        let token = AccessToken::new("https://a.example");
        let names = [
            token.clone().subject("x").principal(),
            token.clone().client_id("x").principal(),
            token.clone().subject("client x").principal(),
            AccessToken::new("https://b.example")
                .subject("x")
                .principal(),
        ];
        for (at, name) in names.iter().enumerate() {
            assert!(name.is_some());
            assert!(!names[at + 1..].contains(name), "{name:?}");
        }
        assert_eq!(token.principal(), None);
        // It would be the name of a user at another issuer.
        let spaced = AccessToken::new("https://a.example sub").subject("x");
        assert_eq!(spaced.principal(), None);
        assert_eq!(AccessToken::new("a sub b").subject("c").principal(), None);
    }

    #[test]
    fn principal_of_a_token_has_its_issuer_and_subject() {
        let token = AccessToken::new("https://a.example");
        let parts = |principal: Option<Principal>| {
            let principal = principal.expect("a principal");
            let text = |text: Option<&str>| text.map(str::to_owned);
            (text(principal.issuer()), text(principal.subject()))
        };
        let issuer = Some("https://a.example".to_owned());
        for subject in ["x", "", "a client b", " sub ", "x sub y"] {
            let of_user = parts(token.clone().subject(subject).principal());
            assert_eq!(of_user, (issuer.clone(), Some(subject.to_owned())));
            let of_client = parts(token.clone().client_id(subject).principal());
            assert_eq!(of_client, (issuer.clone(), None));
        }
        for name in ["", "ada", "ada sub", "Ada Lovelace", " subject"] {
            let of_program = parts(Some(Principal(name.to_owned())));
            assert_eq!(of_program, (None, None), "{name}");
        }
    }

    #[test]
    fn debug_does_not_contain_values_of_claims() {
        let claims = Object::from([("email", mcp_types::json::Value::from("ada@example.com"))]);
        let text = format!("{:?}", AccessToken::new("https://a.example").claims(claims));
        assert!(text.contains("email") && !text.contains("ada"), "{text}");
    }
}
