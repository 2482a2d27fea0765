//! [`Website`]: whether a website is to be trusted. None is ever opened here.

use super::policy::IconPolicy;
use crate::util::origin::{Origin, UrlFault};

/// Where a website lies, as seen from the server that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Website {
    /// At the server's own origin.
    Own {
        /// Its URL.
        url: String,
    },
    /// On a host that the program trusts.
    Trusted {
        /// Its URL.
        url: String,
    },
    /// Somewhere else: show the user where, before it is opened.
    Elsewhere {
        /// Its URL.
        url: String,
        /// The host, in lower case.
        host: String,
    },
}

impl IconPolicy {
    /// Judges a website that the server at this URL names. A server that is a process has none.
    ///
    /// ```
    /// use mcp_client::UrlFault;
    /// use mcp_client::icons::{IconPolicy, Website};
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
    /// Where it is not to be opened at all: it is not `https` (or at the very origin of a server
    /// over plain `http`), names a user, or cannot be read in one way only.
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
