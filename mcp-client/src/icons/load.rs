//! [`LoadIcon`]: loads an icon.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use mcp_types::Icon;

use super::error::IconError;
use super::format::Image;
use super::policy::IconPolicy;
#[cfg(feature = "tls")]
use crate::protocol::fetch::FetchPolicy;

/// An icon that is loaded when this is awaited.
#[derive(Debug)]
#[must_use = "nothing is loaded until it is awaited"]
pub struct LoadIcon {
    icon: Icon,
    /// The URL of the server, if it has one.
    server: Option<String>,
    #[cfg(feature = "tls")]
    fetch_policy: FetchPolicy,
    policy: IconPolicy,
}

impl LoadIcon {
    pub(crate) fn new(
        icon: Icon,
        server: Option<String>,
        #[cfg(feature = "tls")] fetch_policy: FetchPolicy,
    ) -> Self {
        Self {
            icon,
            server,
            #[cfg(feature = "tls")]
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

    #[cfg(not(feature = "tls"))]
    async fn remote(&self, _: Option<&str>) -> Result<Image, IconError> {
        std::future::ready(Err(IconError::NoTls)).await
    }

    #[cfg(feature = "tls")]
    async fn remote(&self, server: Option<&str>) -> Result<Image, IconError> {
        use http::header::ACCEPT;
        use http::{HeaderMap, HeaderValue, StatusCode};

        use crate::protocol::fetch::FetchError;
        use crate::protocol::fetch::get::{Get, check_encoding, content_type};

        let accept = if self.policy.svg {
            "image/png, image/jpeg, image/webp, image/gif, image/svg+xml"
        } else {
            "image/png, image/jpeg, image/webp, image/gif"
        };
        let policy = self.fetch_policy.for_icons(self.policy.bytes);
        let mut get = Get {
            policy: &policy,
            url: self.icon.src.clone(),
            headers: HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]),
            follows: &|_, to| self.policy.trusts(to, server),
        };
        let (head, mut body) = get.send().await?.into_parts();
        let status = head.status;
        if status != StatusCode::OK {
            return Err(FetchError::Status { status }.into());
        }
        check_encoding(&head.headers)?;
        let bytes = body.read_all().await?;
        let sent = content_type(&head.headers);
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
