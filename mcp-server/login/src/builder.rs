//! [`LoginBuilder`]: the settings of a [`Login`], and their validation.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_fetch::FetchPolicy;
use mcp_oauth::scopes::Scopes;

use crate::clients::document::DocumentLoader;
use crate::endpoints;
use crate::login::{Allow, Login, LoginServer, UserScopes};
use crate::login_error::LoginError;
use crate::provider::net::Net;
use crate::provider::{Provider, ProviderKind};
use crate::urls::Urls;
use crate::user::User;
use crate::web::cookies::CookieJar;

/// The longest time that can be set.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// The settings of a [`Login`]. Created by [`Login::builder`].
#[must_use = "nothing is configured until `build` is called"]
pub struct LoginBuilder {
    provider: Provider,
    public_url: String,
    resource: Option<String>,
    name: Option<String>,
    allow: Option<Box<Allow>>,
    scopes: Option<Box<UserScopes>>,
    required: Vec<String>,
    supported: Vec<String>,
    access_time: Duration,
    session_time: Duration,
    provider_time: Duration,
    policy: FetchPolicy,
}

impl Login {
    /// Returns a builder for the server with this public URL: scheme, host and port by which browsers and
    /// clients reach it, such as `https://mcp.example.com`. It is the issuer of the tokens, and pages and
    /// endpoints are below it. `http` is possible only with a loopback address.
    pub fn builder(provider: Provider, public_url: impl Into<String>) -> LoginBuilder {
        LoginBuilder {
            provider,
            public_url: public_url.into(),
            resource: None,
            name: None,
            allow: None,
            scopes: None,
            required: Vec::new(),
            supported: Vec::new(),
            access_time: Duration::from_secs(15 * 60),
            session_time: Duration::from_secs(30 * 24 * 60 * 60),
            provider_time: Duration::from_secs(20),
            policy: FetchPolicy::new(),
        }
    }
}

impl LoginBuilder {
    /// Sets the URL of the endpoint that clients use, such as `https://mcp.example.com/mcp`: the resource
    /// for which tokens are issued. Default: the public URL, which includes all URLs below it.
    pub fn resource(mut self, url: impl Into<String>) -> Self {
        self.resource = Some(url.into());
        self
    }

    /// Sets the name of the server that users see. Default: the host of the public URL.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the function that decides who may log in. It is needed, except for
    /// [local users](Provider::local): a provider such as GitHub has accounts of everybody. It is called
    /// after each login, and again with the same user whenever a client refreshes its tokens.
    pub fn allow(mut self, allow: impl Fn(&User) -> bool + Send + Sync + 'static) -> Self {
        self.allow = Some(Box::new(allow));
        self
    }

    /// Sets the function that returns the scopes that a user may have, for example by groups of the
    /// provider. A client gets those of them that it asks for, or all of them if it asks for none. Called
    /// as [`allow`](Self::allow) is. Default: all users may have the scopes of
    /// [`required_scopes`](Self::required_scopes) and [`scopes_supported`](Self::scopes_supported).
    ///
    /// ```
    /// use mcp_login::{Login, Provider};
    ///
    /// let login = Login::builder(Provider::github("id", "secret").scope("read:org"), "https://mcp.example.com")
    ///     .allow(|user| user.is_in("acme"))
    ///     .scopes_supported(["files:read"])
    ///     .scopes(|user| {
    ///         let mut scopes = vec!["files:read".to_owned()];
    ///         if user.is_in("acme/admins") {
    ///             scopes.push("files:write".to_owned());
    ///         }
    ///         scopes
    ///     })
    ///     .build()?;
    /// # drop(login);
    /// # Ok::<(), mcp_login::LoginError>(())
    /// ```
    pub fn scopes(mut self, scopes: impl Fn(&User) -> Vec<String> + Send + Sync + 'static) -> Self {
        self.scopes = Some(Box::new(scopes));
        self
    }

    /// Sets the scopes that every request requires. Default: none.
    pub fn required_scopes<T: Into<String>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.required = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets further scopes in the metadata: those that basic use of the server needs.
    pub fn scopes_supported<T: Into<String>>(
        mut self,
        scopes: impl IntoIterator<Item = T>,
    ) -> Self {
        self.supported = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the time until an access token expires and the client refreshes it. Default: 15 minutes.
    pub fn access_token_time(mut self, time: Duration) -> Self {
        self.access_time = time;
        self
    }

    /// Sets the time until a session ends, and the user has to log in again. Default: 30 days.
    pub fn session_time(mut self, time: Duration) -> Self {
        self.session_time = time;
        self
    }

    /// Sets the maximum time of the requests to the provider for one step of a login. Default: 20
    /// seconds.
    pub fn provider_time(mut self, time: Duration) -> Self {
        self.provider_time = time;
        self
    }

    /// Sets the policy for requests to the provider and to the documents of clients: certificates, a
    /// proxy. Its limits of size are replaced by smaller ones, its time by at most that of
    /// [`provider_time`](Self::provider_time).
    ///
    /// The hosts and private addresses that it allows are those of the provider. Anybody can name the
    /// URL of a document, so documents are loaded only from public addresses, and not at all with
    /// [`only_allowed`](FetchPolicy::only_allowed). The URLs of the provider may have private addresses
    /// also if the URL that the program names has one.
    pub fn fetch_policy(mut self, policy: FetchPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Validates the settings.
    ///
    /// # Errors
    ///
    /// See [`LoginError`].
    pub fn build(self) -> Result<Login, LoginError> {
        let urls = Urls::new(&self.public_url, self.resource.as_deref())?;
        let is_local = check_provider(&self.provider, &urls)?;
        let allow: Box<Allow> = match self.allow {
            Some(allow) => allow,
            None if is_local => Box::new(|_: &User| true),
            None => return Err(LoginError::NobodyAllowed),
        };
        let mut supported = self.required.clone();
        supported.extend(self.supported);
        let checked = Scopes::from_names(&supported);
        let checked = checked.map_err(|error| LoginError::Scope(error.to_string()))?;
        if checked.contains("offline_access") {
            return Err(LoginError::Scope("`offline_access`".to_owned()));
        }
        let time = self.provider_time;
        let second = Duration::from_secs(1);
        for (name, time, least) in [
            ("access_token_time", self.access_time, second),
            ("session_time", self.session_time, second),
            ("provider_time", time, Duration::from_nanos(1)),
        ] {
            if !(least..=LONGEST).contains(&time) {
                return Err(LoginError::Time(name));
            }
        }
        let policy = self.policy.time(time).idle(time);
        let net = self.provider.main_url().map(|url| {
            let net = Net::new(&policy, url, time);
            net.map_err(|fault| LoginError::url("URL of the provider", url, fault.to_string()))
        });
        let net = net.transpose()?;
        let mut provider = self.provider;
        provider.client.redirect_uri = urls.at(endpoints::CALLBACK);
        let realm = format!("{} {}", urls.issuer, urls.resource);
        let mut realm = mcp_oauth::sha256(realm.as_bytes());
        realm.truncate(12);
        let host = urls.origin().split_once("://").map_or("", |(_, host)| host);
        Ok(Login(Arc::new(LoginServer {
            name: self.name.unwrap_or_else(|| host.to_owned()),
            cookies: CookieJar::new(urls.is_secure, &realm),
            realm,
            provider,
            net,
            documents: DocumentLoader::new(&policy, time),
            access_time: self.access_time,
            session_time: self.session_time,
            allow,
            scopes: self.scopes,
            required: self.required,
            supported: checked.iter().map(str::to_owned).collect(),
            urls,
        })))
    }
}

/// Checks the provider. Returns `true` for local users.
fn check_provider(provider: &Provider, urls: &Urls) -> Result<bool, LoginError> {
    let ProviderKind::Local(users) = &provider.kind else {
        if provider.client.id.is_empty() || provider.key.is_empty() {
            return Err(LoginError::Provider(provider.name.clone()));
        }
        return Ok(false);
    };
    if !urls.is_loopback {
        return Err(LoginError::LocalUsers(urls.issuer.clone()));
    }
    let ids: HashSet<&str> = users.iter().map(|user| &*user.id).collect();
    if ids.is_empty() || ids.len() < users.len() || ids.contains("") {
        return Err(LoginError::LocalUserIds);
    }
    Ok(true)
}

impl fmt::Debug for LoginBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginBuilder")
            .field("provider", &self.provider)
            .field("public_url", &self.public_url)
            .field("resource", &self.resource)
            .finish_non_exhaustive()
    }
}
