//! [`LoadIcon`]: an icon on its way.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use mcp_types::Icon;

use super::error::IconError;
use super::format::ImageFormat;
use super::policy::IconPolicy;
use crate::client::Client;

/// An image of a known format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// What it is, by its bytes.
    pub format: ImageFormat,
    /// Its bytes. That they begin as the format asks for has been looked at, and nothing else.
    pub bytes: Vec<u8>,
}

/// An icon that is loaded when this is awaited.
#[derive(Debug)]
#[must_use = "nothing is loaded until it is awaited"]
pub struct LoadIcon {
    client: Client,
    icon: Icon,
    policy: IconPolicy,
}

impl Client {
    /// Loads an icon: that of the server, of a tool, resource or prompt. One that is a `data:` URI
    /// is there at once; one that is an `https` URL asks for the feature `tls`, and goes by the
    /// [`FetchPolicy`](crate::ClientBuilder) of the client over a connection of its own, without
    /// authorization and cookies.
    ///
    /// Its bytes have to be of an image format that is known, and of the one that the URI, the
    /// answer and [`Icon::mime_type`] name, as far as they name any.
    pub fn icon(&self, icon: &Icon) -> LoadIcon {
        LoadIcon {
            client: self.clone(),
            icon: icon.clone(),
            policy: IconPolicy::new(),
        }
    }
}

impl LoadIcon {
    /// Another policy than the default one.
    pub fn policy(mut self, policy: IconPolicy) -> Self {
        self.policy = policy;
        self
    }

    async fn load(self) -> Result<Image, IconError> {
        let said = self.icon.mime_type.as_deref();
        if let Some(image) = self.policy.embedded(&self.icon.src, said)? {
            return Ok(image);
        }
        let server = self.client.core().link.url();
        self.policy.lies(&self.icon.src, server.as_deref())?;
        self.remote(server.as_deref()).await
    }

    #[cfg(not(feature = "tls"))]
    async fn remote(&self, _: Option<&str>) -> Result<Image, IconError> {
        std::future::ready(Err(IconError::NoTls)).await
    }

    #[cfg(feature = "tls")]
    async fn remote(&self, server: Option<&str>) -> Result<Image, IconError> {
        use http::StatusCode;

        use crate::protocol::fetch::{FetchError, Get, Got, content_type, plain};

        let accept = if self.policy.svg {
            "image/png, image/jpeg, image/webp, image/gif, image/svg+xml"
        } else {
            "image/png, image/jpeg, image/webp, image/gif"
        };
        let policy = self.client.core().fetch.for_icons(self.policy.bytes);
        let get = Get {
            policy: &policy,
            url: &self.icon.src,
            accept,
            rest: None,
            follows: &|_, to| self.policy.trusts(to, server),
        };
        let Got {
            status,
            headers,
            mut body,
            ..
        } = get.send().await?;
        if status != StatusCode::OK {
            return Err(FetchError::Status { status }.into());
        }
        plain(&headers)?;
        let mut bytes = Vec::new();
        while let Some(chunk) = body.chunk().await? {
            bytes.extend_from_slice(&chunk);
        }
        let sent = content_type(&headers);
        let said = self.icon.mime_type.as_deref();
        self.policy.image(bytes, [Some(sent.as_str()), said])
    }
}

impl IntoFuture for LoadIcon {
    type Output = Result<Image, IconError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.load())
    }
}
