//! [`Website`]: checks whether a website is trusted. Websites are never opened here.

use mcp_client::Client;
use mcp_fetch::{Origin, UrlFault};

use super::policy::IconPolicy;

/// Checks the website in the description of the server; `None` if it has none.
///
/// # Errors
///
/// See [`IconPolicy::website`].
#[must_use]
pub fn website(client: &Client, policy: &IconPolicy) -> Option<Result<Website, UrlFault>> {
    let website = client.server_info()?.website_url?;
    Some(policy.website(&website, client.url().as_deref()))
}

/// The relation of a website to the server that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Website {
    /// It is at the origin of the server.
    Own {
        /// The URL.
        url: String,
    },
    /// It is on a host that the program allows.
    Trusted {
        /// The URL.
        url: String,
    },
    /// It is on another host. Show the host to the user before the website is opened.
    Elsewhere {
        /// The URL.
        url: String,
        /// The host, in lower case.
        host: String,
    },
}

impl IconPolicy {
    /// Checks a website that the server at this URL names. A server that is a process has no URL.
    ///
    /// ```
    /// use mcp_fetch::UrlFault;
    /// use mcp_host::icons::{IconPolicy, Website};
    ///
    /// let policy = IconPolicy::new().allow_host("docs.example.com");
    /// let server = Some("https://example.com/mcp");
    /// let url = "https://docs.example.com/tools".to_owned();
    /// assert_eq!(policy.website(&url, server), Ok(Website::Trusted { url }));
    /// let script = policy.website("javascript:alert(1)", server);
    /// assert_eq!(script, Err(UrlFault::Scheme("javascript".to_owned())));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`UrlFault`] if the website must not be opened: it is not `https` (except at the
    /// origin of a server over plain `http`), contains a user name, or is ambiguous.
    pub fn website(&self, url: &str, server: Option<&str>) -> Result<Website, UrlFault> {
        let origin = Origin::parse(url)?;
        let url = url.to_owned();
        if server
            .and_then(|server| Origin::parse(server).ok())
            .as_ref()
            == Some(&origin)
        {
            return Ok(Website::Own { url });
        }
        if !origin.secure {
            return Err(UrlFault::Scheme("http".to_owned()));
        }
        if origin.is_among(&self.hosts) {
            return Ok(Website::Trusted { url });
        }
        let host = origin.host;
        Ok(Website::Elsewhere { url, host })
    }
}
