//! [`Servers`]: where the requests of an operation go.

use mcp_server::types::json::Value;

use super::api::OpenApi;
use super::base::{Base, is_absolute, server_url};
use super::error::OpenApiError;
use super::operation::Found;

/// The maximum number of servers that are looked at in one list.
const SERVERS: usize = 16;

/// The servers of a document, and those of the program.
pub(super) struct Servers {
    /// The URL of the API.
    pub(super) base: Base,
    /// Set if the program set the URL: then requests go to no other origin, unless it is allowed.
    is_set: bool,
    /// The origin that the document has in place of the one of the API, and the path of its URL.
    document: Option<Base>,
    path: String,
    /// The other servers in the list of the document.
    listed: Vec<Base>,
    /// The origins that the program allowed.
    allowed: Vec<Base>,
}

/// Where the requests of an operation go.
pub(super) struct Target {
    pub(super) base: Base,
    /// Set if the requests get what authorizes them.
    pub(super) is_trusted: bool,
    pub(super) note: Option<String>,
}

impl Target {
    fn at(base: Base) -> Self {
        Self {
            base,
            is_trusted: true,
            note: None,
        }
    }
}

impl Servers {
    pub(super) fn read(api: &OpenApi) -> Result<Self, OpenApiError> {
        let servers = api.document.root.get("servers").and_then(Value::as_array);
        let servers = servers.into_iter().flatten().take(SERVERS);
        let mut urls = servers.map(|server| server_url(server, &api.variables));
        let first = urls.next();
        let absolute = |url: &Result<Option<String>, _>| {
            let url = url.as_ref().ok()?.as_deref()?;
            Base::parse(url).ok()
        };
        let document = first.as_ref().and_then(absolute);
        let path = match &first {
            Some(Ok(Some(url))) if url.starts_with('/') && !url.starts_with("//") => {
                url.trim_end_matches('/').to_owned()
            }
            _ => document
                .as_ref()
                .map(|it| it.path.clone())
                .unwrap_or_default(),
        };
        let listed = urls.filter_map(|url| absolute(&url)).collect();
        let base = if let Some(url) = &api.base_url {
            Base::parse(url)?
        } else {
            let url = first.transpose()?.flatten();
            let url = url.filter(|url| is_absolute(url));
            Base::parse(&url.ok_or(OpenApiError::NoServer)?)?
        };
        let allowed = api.allowed.iter().map(|url| Base::parse(url));
        Ok(Self {
            base,
            is_set: api.base_url.is_some(),
            document,
            path,
            listed,
            allowed: allowed.collect::<Result<_, _>>()?,
        })
    }

    /// Returns `true` if requests may need TLS.
    pub(super) fn has_tls(&self) -> bool {
        let others = self.listed.iter().chain(&self.allowed);
        std::iter::once(&self.base)
            .chain(others)
            .any(|it| it.scheme == http::uri::Scheme::HTTPS)
    }

    /// Returns where the requests of an operation go, which may have servers of its own, or its path.
    ///
    /// # Errors
    ///
    /// Why there can be no tool.
    pub(super) fn target(&self, api: &OpenApi, found: &Found<'_>) -> Result<Target, String> {
        let own = [found.value, found.item].map(|it| it.get("servers")?.as_array());
        let own = own
            .into_iter()
            .flatten()
            .find(|servers| !servers.is_empty());
        let mut reason = None;
        let mut other = None;
        for server in own.into_iter().flatten().take(SERVERS) {
            let url = server_url(server, &api.variables).map_err(|error| error.to_string());
            let target = url.and_then(|url| self.locate(&url.unwrap_or_default()));
            match target {
                Ok(target) if target.note.is_none() => return Ok(target),
                Ok(target) => other = other.or(Some(target)),
                Err(error) => reason = reason.or(Some(error)),
            }
        }
        match (other, reason) {
            (Some(target), _) => Ok(target),
            (None, Some(reason)) => Err(reason),
            (None, None) => Ok(Target::at(self.base.clone())),
        }
    }

    /// Returns where requests go that the document sends to this URL.
    fn locate(&self, url: &str) -> Result<Target, String> {
        let home = self.document.as_ref().unwrap_or(&self.base);
        let full = match url.strip_prefix("//") {
            Some(rest) => format!("{}://{rest}", home.scheme),
            None if url.starts_with('/') => format!("{}://{}{url}", home.scheme, home.authority),
            None if is_absolute(url) => url.to_owned(),
            None => {
                return Err(
                    "its URL in `servers` is not absolute, and does not begin with `/`".to_owned(),
                );
            }
        };
        let own = Base::parse(&full).map_err(|error| error.to_string())?;
        if own.has_origin_of(home) {
            return Ok(Target::at(self.rebased(own)));
        }
        if own.has_origin_of(&self.base) || self.allowed.iter().any(|it| it.has_origin_of(&own)) {
            return Ok(Target::at(own));
        }
        let host = &own.authority;
        if self.is_set {
            return Ok(Target {
                base: self.base.clone(),
                is_trusted: true,
                note: Some(format!(
                    "its server `{host}` is not used but the URL of the API: \
                     see `OpenApi::allow_origin`"
                )),
            });
        }
        if !self.listed.iter().any(|it| it.has_origin_of(&own)) {
            return Err(format!(
                "it belongs to another server, `{host}`: see `OpenApi::allow_origin`"
            ));
        }
        Ok(Target {
            note: Some(format!(
                "its server `{host}` gets no authorization: see `OpenApi::allow_origin`"
            )),
            base: own,
            is_trusted: false,
        })
    }

    /// Returns the URL at the API that the program set, for one at the server of the document. What the
    /// program's URL has before the path of the document stays.
    fn rebased(&self, own: Base) -> Base {
        let within = own.path.strip_prefix(&*self.path);
        let within = within.filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let path = match (within, self.base.path.strip_suffix(&*self.path)) {
            (Some(rest), _) => format!("{}{rest}", self.base.path),
            (None, Some(before)) => format!("{before}{}", own.path),
            (None, None) => own.path,
        };
        Base {
            path,
            ..self.base.clone()
        }
    }
}
