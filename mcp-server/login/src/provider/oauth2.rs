//! [`OAuth2`]: providers with plain OAuth 2.0, as a table of URLs and a function.

use http::StatusCode;
use mcp_types::json::Value;

use crate::provider::LoginAttempt;
use crate::provider::error::ProviderError;
use crate::provider::net::Net;
use crate::provider::tokens::{ProviderClient, ProviderTokens, SecretPlace};
use crate::user::User;

/// The maximum number of documents of a user.
const DOCUMENTS: usize = 8;

type ReadUser = dyn Fn(&[Value]) -> Option<User> + Send + Sync;

/// A provider with plain OAuth 2.0.
pub(crate) struct OAuth2 {
    pub(crate) urls: ProviderUrls,
    pub(crate) client: ProviderClient,
    read_user: Box<ReadUser>,
}

/// The URLs of a provider with plain OAuth 2.0, see [`Provider::custom`](crate::Provider::custom).
#[derive(Clone, Debug)]
#[must_use = "the URLs do nothing until they are passed to `Provider::custom`"]
pub struct ProviderUrls {
    pub(crate) authorization: String,
    pub(crate) token: String,
    pub(crate) user: Vec<UserUrl>,
    pub(crate) place: SecretPlace,
}

/// The URL of a JSON document that describes the user, whom the access token names.
#[derive(Clone, Debug)]
pub(crate) struct UserUrl {
    url: String,
    scope: Option<String>,
}

impl ProviderUrls {
    /// Creates the table with the URL to which users are sent, and that of the token endpoint.
    pub fn new(authorization: impl Into<String>, token: impl Into<String>) -> Self {
        Self {
            authorization: authorization.into(),
            token: token.into(),
            user: Vec::new(),
            place: SecretPlace::Form,
        }
    }

    /// Adds the URL of a document about the user. The first one must be readable; others may be
    /// missing or forbidden.
    pub fn user(mut self, url: impl Into<String>) -> Self {
        let url = url.into();
        self.user.push(UserUrl { url, scope: None });
        self
    }

    /// Adds the URL of a document that is loaded only if the provider is asked for this
    /// [scope](crate::Provider::scope).
    pub fn user_with_scope(mut self, url: impl Into<String>, scope: impl Into<String>) -> Self {
        self.user.push(UserUrl {
            url: url.into(),
            scope: Some(scope.into()),
        });
        self
    }

    /// Sends the secret in the header `Authorization`, instead of in the form.
    pub fn secret_in_header(mut self) -> Self {
        self.place = SecretPlace::Header;
        self
    }
}

impl OAuth2 {
    pub(crate) fn new(
        urls: ProviderUrls,
        client: ProviderClient,
        read_user: impl Fn(&[Value]) -> Option<User> + Send + Sync + 'static,
    ) -> Self {
        let read_user = Box::new(read_user);
        Self {
            urls,
            client,
            read_user,
        }
    }

    pub(crate) fn authorization_url(&self, attempt: &LoginAttempt<'_>) -> String {
        self.client
            .authorization_url(&self.urls.authorization, attempt, None)
    }

    pub(crate) async fn complete(
        &self,
        net: &Net,
        attempt: &LoginAttempt<'_>,
        code: &str,
    ) -> Result<(User, ProviderTokens), ProviderError> {
        let (endpoint, place) = (&self.urls.token, self.urls.place);
        let tokens = self
            .client
            .exchange(net, endpoint, place, attempt, code)
            .await?
            .tokens;
        let mut documents = Vec::new();
        for (at, url) in self.urls.user.iter().take(DOCUMENTS).enumerate() {
            let is_requested = |scope: &String| self.client.scopes.iter().any(|own| own == scope);
            if !url.scope.as_ref().is_none_or(is_requested) {
                documents.push(Value::Null);
                continue;
            }
            let what = "the user";
            let response = net.get(what, &url.url, Some(&tokens.access)).await?;
            let absent = [StatusCode::FORBIDDEN, StatusCode::NOT_FOUND];
            documents.push(if at > 0 && absent.contains(&response.status) {
                Value::Null
            } else {
                response.document(what)?
            });
        }
        let user = (self.read_user)(&documents);
        let user = user.ok_or(ProviderError::User(
            "a document of the user is not as expected",
        ))?;
        Ok((user, tokens))
    }

    pub(crate) async fn refresh(
        &self,
        net: &Net,
        tokens: &ProviderTokens,
    ) -> Result<ProviderTokens, ProviderError> {
        let (endpoint, place) = (&self.urls.token, self.urls.place);
        let response = self.client.refresh(net, endpoint, place, tokens).await?;
        Ok(response.tokens)
    }
}
