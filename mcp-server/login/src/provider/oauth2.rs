//! [`OAuth2`]: providers with plain OAuth 2.0, as a table of URLs and a function.

use http::StatusCode;
use mcp_oauth::Secret;
use mcp_types::json::Value;

use crate::provider::error::ProviderError;
use crate::provider::net::Net;
use crate::provider::urls::ProviderUrls;
use crate::user::User;

/// The maximum number of documents of a user.
const DOCUMENTS: usize = 8;

type ReadUser = dyn Fn(&[Value]) -> Option<User> + Send + Sync;

/// A provider with plain OAuth 2.0.
pub(crate) struct OAuth2 {
    pub(crate) urls: ProviderUrls,
    pub(crate) read_user: Box<ReadUser>,
}

impl OAuth2 {
    /// Returns the user to whom an access token for these scopes belongs.
    pub(crate) async fn user(
        &self,
        net: &Net,
        scopes: &[String],
        token: &Secret,
    ) -> Result<User, ProviderError> {
        let mut documents = Vec::new();
        for (at, (url, scope)) in self.urls.user.iter().take(DOCUMENTS).enumerate() {
            if scope.as_ref().is_some_and(|scope| !scopes.contains(scope)) {
                documents.push(Value::Null);
                continue;
            }
            let absent = [StatusCode::FORBIDDEN, StatusCode::NOT_FOUND];
            documents.push(match net.get("the user", url, Some(token)).await {
                Err(ProviderError::Status(_, status)) if at > 0 && absent.contains(&status) => {
                    Value::Null
                }
                document => document?,
            });
        }
        let user = (self.read_user)(&documents);
        user.ok_or(ProviderError::User(
            "a document of the user is not as expected",
        ))
    }
}
