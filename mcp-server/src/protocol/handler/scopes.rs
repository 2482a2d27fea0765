//! Scopes: what an operation requires, and whether the access token of the caller permits it.

use std::sync::Arc;

use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::rejection::Challenge;
use crate::protocol::handler::access_token::AccessToken;

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
