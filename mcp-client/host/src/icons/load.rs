//! [`LoadIcon`]: loads an icon.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use http::header::ACCEPT;
use http::{HeaderValue, StatusCode};
use mcp_client::Client;
use mcp_fetch::{FetchError, FetchPolicy, FetchRequest};
use mcp_types::Icon;

use super::error::IconError;
use super::image::Image;
use super::policy::IconPolicy;

/// Loads an icon of the server, a tool, a resource or a prompt. A `data:` URI is decoded; an `https`
/// URL is loaded over a separate connection, without authorization and cookies, if the
/// [`FetchPolicy`] of the client allows it. Hosts and sizes are those of the [`IconPolicy`], also if the
/// other policy [allows only some hosts](FetchPolicy::only_allowed).
///
/// The bytes must be an image of a known format, which must be the one that the URI, the HTTP
/// response and [`Icon::mime_type`] declare, if they declare one.
pub fn load(client: &Client, icon: &Icon) -> LoadIcon {
    let fetch_policy = client.fetch_policy().clone();
    LoadIcon::new(icon.clone(), client.url(), fetch_policy)
}

/// An icon that is loaded when this is awaited.
#[derive(Debug)]
#[must_use = "nothing is loaded until it is awaited"]
pub struct LoadIcon {
    icon: Icon,
    /// The URL of the server, if it has one.
    server: Option<String>,
    fetch_policy: FetchPolicy,
    policy: IconPolicy,
}

impl LoadIcon {
    /// Loads an icon that a server at this URL names. A server that is a process has no URL.
    pub fn new(icon: Icon, server: Option<String>, fetch_policy: FetchPolicy) -> Self {
        Self {
            icon,
            server,
            fetch_policy,
            policy: IconPolicy::new(),
        }
    }

    /// Sets the policy, instead of the default one.
    pub fn policy(mut self, policy: IconPolicy) -> Self {
        self.policy = policy;
        self
    }

    async fn load(self) -> Result<Image, IconError> {
        let declared = self.icon.mime_type.as_deref();
        if let Some(image) = self.policy.embedded(&self.icon.src, declared)? {
            return Ok(image);
        }
        let server = self.server.as_deref();
        self.policy.check_url(&self.icon.src, server)?;
        self.remote(server).await
    }

    async fn remote(&self, server: Option<&str>) -> Result<Image, IconError> {
        let accept = if self.policy.svg {
            "image/png, image/jpeg, image/webp, image/gif, image/svg+xml"
        } else {
            "image/png, image/jpeg, image/webp, image/gif"
        };
        // Hosts are a matter of the policy for icons.
        let fetch = self.fetch_policy.clone().only_allowed(false);
        let fetch = fetch.size(self.policy.bytes as u64);
        let mut response = FetchRequest::get(&fetch, &self.icon.src)
            .header(ACCEPT, HeaderValue::from_static(accept))
            .follow(&|_, to| self.policy.trusts(to, server))
            .send()
            .await?;
        let status = response.status;
        if status != StatusCode::OK {
            return Err(FetchError::Status { status }.into());
        }
        response.check_encoding()?;
        let bytes = response.body.read_all().await?;
        let sent = response.content_type();
        let declared = self.icon.mime_type.as_deref();
        self.policy.image(bytes, [Some(sent.as_str()), declared])
    }
}

impl IntoFuture for LoadIcon {
    type Output = Result<Image, IconError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.load())
    }
}
