//! [`Exchange`]: a request to one of the pages or endpoints, with what is needed to respond.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http::request::Parts;
use mcp_fetch::Origin;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fault::Fault;
use crate::login::LoginServer;
use crate::oauth_error::OAuthError;
use crate::pages;
use crate::vault::Vault;
use crate::web::cookies::VALUE_BYTES;
use crate::web::params::{Params, ParamsError};
use crate::web::response::{self, Reply};

/// A request to one of the pages or endpoints.
pub(crate) struct Exchange<'a> {
    pub(crate) login: &'a LoginServer,
    pub(crate) vault: Vault<'a>,
    pub(crate) parts: &'a Parts,
    pub(crate) body: Bytes,
    /// The address of the browser or the client, as far as the server knows it.
    pub(crate) address: Option<IpAddr>,
}

impl Exchange<'_> {
    /// Returns the parameters of the form in the body.
    pub(crate) fn form(&self) -> Result<Params, ParamsError> {
        let kind = self.header("content-type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(ParamsError::NoForm);
        }
        Params::parse(&self.body)
    }

    /// Returns the parameters of the query.
    pub(crate) fn query(&self) -> Result<Params, ParamsError> {
        Params::parse(self.parts.uri.query().unwrap_or_default().as_bytes())
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.parts.headers.get(name)?.to_str().ok()
    }

    /// Returns the value of a cookie.
    pub(crate) fn cookie(&self, kind: &str) -> Option<&str> {
        self.login.cookies.get(self.parts, kind)
    }

    /// Returns the header `Set-Cookie` with a sealed value, which is accepted for a time.
    pub(crate) fn seal<T: Serialize>(
        &self,
        kind: &str,
        value: &T,
        time: Duration,
    ) -> Result<String, Fault> {
        let sealed = self.vault.seal_for(time, kind, value)?;
        if sealed.len() > VALUE_BYTES {
            return Err(Fault::Cookie);
        }
        Ok(self.login.cookies.set(kind, &sealed, Some(time)))
    }

    /// Opens the sealed value of a cookie.
    pub(crate) fn open<T: DeserializeOwned>(&self, kind: &str) -> Option<T> {
        self.vault.unseal_in_time(kind, self.cookie(kind)?)
    }

    /// Returns `true` if a form was sent by a page of this server, as far as the browser says it. The
    /// tokens in the forms decide; this rejects the forms of other sites also if a token is known.
    pub(crate) fn is_from_own_page(&self) -> bool {
        let site = self.header("sec-fetch-site");
        let is_own_site = matches!(site, None | Some("same-origin" | "none"));
        // The pages send no referrer, so their forms have the origin `null`.
        let origin = self.header("origin");
        let own = Origin::parse(self.login.urls.origin());
        let is_own_origin =
            origin.is_none_or(|origin| origin == "null" || Origin::parse(origin) == own);
        is_own_site && is_own_origin
    }

    /// Checks the resource indicators of a request (RFC 8707).
    pub(crate) fn check_resource(&self, params: &Params) -> Result<(), OAuthError> {
        let mut all = params.all("resource");
        let is_own = all.all(|resource| self.login.urls.is_resource(resource));
        let other = || OAuthError::new("invalid_target", "`resource` is not this server");
        is_own.then_some(()).ok_or_else(other)
    }

    /// Sends the browser to a URL that was validated, in response to a form by a page, see
    /// [`response::page`].
    pub(crate) fn leave(&self, url: &str) -> Reply {
        if self.parts.method == Method::POST {
            return response::page(http::StatusCode::OK, pages::onward(url));
        }
        response::redirect(url)
    }
}
