//! Connect to a protected server: logins, machines, organisations, and where tokens are kept.
//!
//! With the feature `oauth`. A server that requires authorization answers with 401 and names its
//! authorization server. [`OAuth`](crate::oauth::OAuth) does the rest, as the specification
//! describes it: it registers the client, sends the user there, and repeats the request with the
//! token.
//!
//! ```no_run
//! use mcp_client::oauth::{FileStore, Loopback, OAuth};
//! use mcp_client::{Client, Http};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let agent = Loopback::new(|url| {
//!     eprintln!("Open this address in a browser to log in:\n{}", url.as_str());
//!     Ok(())
//! });
//! let oauth = OAuth::authorization_code(agent)
//!     .client_name("Demo")
//!     .store(FileStore::new("/home/ada/.local/share/demo/tokens"))
//!     .build()?;
//!
//! let server = Http::new("https://example.com/mcp").auth(oauth);
//! let client = Client::builder("demo", "1.0.0").connect(server).await?;
//! # drop(client);
//! # Ok(())
//! # }
//! ```
//!
//! The timeout of the call pauses while the user logs in
//! ([`Limits::authorize_time`](crate::Limits)). To log in at another time, call
//! [`OAuth::login`](crate::oauth::OAuth::login) before connecting. If the server later demands
//! further scopes for a tool, the user is asked once more, for all scopes together; a program can
//! ask the user first ([`confirm_step_up`](crate::oauth::OAuthBuilder::confirm_step_up)).
//!
//! The program `mcp` has the same: `mcp login URL`, `mcp logout URL` and `mcp auth status`. It asks
//! at the terminal before a login for further scopes; elsewhere, `mcp login URL --scope SCOPE`
//! requests them.
//!
//! # Where the user is sent
//!
//! | user agent | for |
//! | --- | --- |
//! | [`Loopback`](crate::oauth::Loopback) | programs on the machine of the user: the redirect goes to a port of 127.0.0.1 |
//! | [`Manual`](crate::oauth::Manual) | programs on another machine: the user pastes the URL of the redirect |
//! | [`Headless`](crate::oauth::Headless) | tests, and services that the authorization server recognizes |
//! | [`OAuth::begin`](crate::oauth::OAuth::begin), [`OAuth::finish`](crate::oauth::OAuth::finish) | web programs, whose own pages receive the redirect |
//! | your own [`UserAgent`](crate::oauth::UserAgent) | everything else, such as a scheme of a mobile app |
//!
//! [`Loopback`](crate::oauth::Loopback) has a redirect URI for each issuer, so that an
//! authorization server cannot pass the code of another one to the client (RFC 9700, section 4.4).
//! A web program should have one for each server, too. It keeps the login in the session of its
//! user until the redirect arrives:
//!
//! ```no_run
//! use mcp_client::oauth::{OAuth, PendingLogin, Secret};
//!
//! # async fn run(redirect: &str) -> Result<(), Box<dyn std::error::Error>> {
//! // One for each user.
//! let oauth = OAuth::stored_tokens().user("ada").build()?;
//! let login = oauth.begin("https://example.com/mcp", "https://app.example.com/callback").await?;
//! let send_the_browser_to = login.url();
//! let in_the_session: Secret = login.to_secret();
//!
//! // Later, with the URL of the redirect. A login is used once: remove it from the session first.
//! let login = PendingLogin::from_secret(&in_the_session)?;
//! oauth.finish(login, redirect).await?;
//! # drop(send_the_browser_to);
//! # Ok(())
//! # }
//! ```
//!
//! # Which client
//!
//! The client is, in this order: one that is [registered in advance](crate::oauth::OAuthClient),
//! which belongs to one issuer: the one that the program
//! [names](crate::oauth::OAuthClient::issuer), or, for a client without a secret, the one of its
//! first use, which is stored; the [metadata
//! document](crate::oauth::OAuthBuilder::client_metadata_document) of the client, if the
//! authorization server supports such documents; or a client that is registered dynamically.
//! Registrations are stored for each issuer, and never used at another one: if a server moves to
//! another authorization server, the client registers there.
//!
//! # Without a user
//!
//! ```
//! use mcp_client::oauth::{Enterprise, OAuth, OAuthClient, Secret};
//!
//! # fn run(id_token: Secret) -> Result<(), Box<dyn std::error::Error>> {
//! // A service with a secret. `OAuthClient::key` signs with a private key instead.
//! let service = OAuthClient::new("my-service")
//!     .issuer("https://auth.example.com")
//!     .secret("from the environment");
//! let by_itself = OAuth::client_credentials(service.clone()).build()?;
//!
//! // A workload, by the identity token of its platform.
//! let by_platform = OAuth::workload(service.clone(), |_request| async {
//!     let token = tokio::fs::read_to_string("/var/run/secrets/token").await?;
//!     Ok(Secret::new(token.trim()))
//! })
//! .build()?;
//!
//! // The server names the authorization server, and could name another one: the issuer makes sure that
//! // secrets and assertions are sent to no other.
//!
//! // A user who has logged in at the identity provider of an organisation.
//! let at_provider = OAuthClient::new("my-app");
//! let provider = Enterprise::new("https://login.example.com/token", at_provider, move |_request| {
//!     let id_token = id_token.clone();
//!     async move { Ok(id_token) }
//! });
//! let by_organisation = OAuth::enterprise(provider, service).build()?;
//! # Ok(())
//! # }
//! ```
//!
//! # Where tokens are kept
//!
//! By default in memory. A [`FileStore`](crate::oauth::FileStore) keeps them in files that only the
//! user can read; with the feature `keyring`, a `KeyringStore` encrypts these files with a key from
//! the keyring of the system. Folders that others can change and files that others can read are
//! refused, and a damaged file counts as missing. Implement
//! [`TokenStore`](crate::oauth::TokenStore) for a database. Tokens are refreshed shortly before
//! they expire, once for all calls and all processes that share a store. A logout in one process
//! ends the refreshing in all of them.
//!
//! Secrets are overwritten in memory when they are dropped, and are in no error, log or `Debug`
//! output. Memory of the HTTP library, such as its buffers, is not overwritten.
//!
//! # What is refused
//!
//! - metadata for another server than that of the client, and metadata of another issuer. Only the
//!   document at the root of the server's origin may describe a resource that contains the server,
//!   and [not even that one](crate::oauth::OAuthBuilder::strict_resource) if the program says so.
//!   Issuers without a path may differ by a slash at the end;
//! - an authorization server that does not announce PKCE with S256, unless the program
//!   [knows better](crate::oauth::OAuthBuilder::assume_pkce);
//! - a client with a secret, a key or an assertion whose issuer is not named;
//! - a redirect with another `state` or `iss` than that of the login, before anything else in it is
//!   read;
//! - URLs in metadata that are not `https`, or lead to private addresses. Both are allowed if the
//!   server itself is on this machine, and private networks if the server is in one. What counts is
//!   an address or `localhost` in the URL of the server, or the address of a connection over which
//!   the server has proved its name with its certificate; the answer of a resolver is not enough;
//! - tokens for a server at a plain `http` URL on another machine;
//! - documents of more than 256 KiB, answers that take longer than 30 seconds, redirects to other
//!   origins, and any redirect of a request with secrets. A [`FetchPolicy`](crate::FetchPolicy)
//!   changes these limits;
//! - more than three attempts in a row to get a token that the server accepts, and more than six
//!   logins within 10 minutes that the server causes and the program did not ask for (60 without a
//!   user). After a failure, the next attempt follows after 1 second at the earliest, and after
//!   twice as long with each further failure, up to 64 seconds; until then, requests that need a
//!   token fail with the same error.
//!
//! An [`OAuthError`](crate::oauth::OAuthError) says which step failed, at which URL, what the
//! server said, and what helps. It is the source of
//! [`HttpError::Authorize`](crate::HttpError::Authorize).
//!
//! Servers of revision 2025-03-26 have no metadata of their own. They are supported if the program
//! [asks for it](crate::oauth::OAuthBuilder::legacy_servers).
