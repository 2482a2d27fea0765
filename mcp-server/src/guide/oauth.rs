//! Protect a server: access tokens, scopes, and proofs of possession.
//!
//! With the feature `oauth`, an HTTP endpoint is a resource server of OAuth 2.1, as the page
//! "Authorization" of the specification describes it. It needs two URLs: its own, by which clients
//! reach it, and that of the authorization server, which knows the users and issues the tokens.
//!
//! ```no_run
//! use mcp_server::{
//!     AccessToken, Context, HandlerError, Http, HttpConfig, OAuth, ResourceDef, Server, ToolDef,
//! };
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Delete {
//!     path: String,
//! }
//!
//! async fn delete(args: Delete, token: AccessToken, cx: Context) -> Result<String, HandlerError> {
//!     let shared = args.path.starts_with("shared/").then_some("files:shared");
//!     cx.require_scopes(["files:write"].into_iter().chain(shared))?;
//!     let user = token.subject.unwrap_or_default();
//!     Ok(format!("deleted {} for {user}", args.path))
//! }
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder("files", "1.0.0")
//!     .add_tool(ToolDef::new("write").scopes(["files:write"]).handler(async || "written"))
//!     .tool("delete", "Deletes a file", delete)
//!     .add_resource(ResourceDef::text("files://motd", "motd", "Hi!").scopes(["files:read"]))
//!     .build()?;
//!
//! let oauth = OAuth::builder("https://mcp.example.com/mcp")
//!     .issuer("https://auth.example.com")
//!     .required_scopes(["files:read"])
//!     .implied_scopes(|granted, required| granted == "files:write" && required == "files:read")
//!     .build()?;
//!
//! let config = HttpConfig::new().allow_hosts(["mcp.example.com"]);
//! server.serve(Http::at("0.0.0.0:8080").config(config).oauth(oauth)).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Nothing else is needed: every request without a valid token is refused, and the refusal tells
//! the client where to get one. The example `protected` is a complete server. A server that is
//! mounted in axum uses the same [`HttpConfig::oauth`](crate::HttpConfig::oauth), see
//! [`OAuth`](crate::OAuth).
//!
//! # Which tokens are accepted
//!
//! A token is sent in the header `Authorization`, with every request. It is checked before the body
//! is read, for all methods and paths, except for the metadata described below and the paths of
//! [health, readiness and metrics](crate::HttpConfig::health_path).
//!
//! | tokens | verified by |
//! | --- | --- |
//! | JWT of an [`issuer`](crate::OAuthBuilder::issuer) | a signature with a public key of the issuer. Algorithms without a public key are never accepted. |
//! | other tokens of an issuer with [`introspection`](crate::Issuer::introspection) | a request to the issuer (RFC 7662). Its result is kept for 30 seconds. If several issuers are asked, each needs a [prefix](crate::Issuer::introspection_prefix) of its tokens. |
//! | tokens of another kind | a [`TokenVerifier`](crate::TokenVerifier) of the program |
//! | fixed tokens, in tests | [`StaticTokens`](crate::StaticTokens) |
//!
//! In each case, the server checks the issuer, the time of expiry, and that the token was issued
//! for this server: its audience (`aud`) has to contain the URL that `OAuth::builder` was given, in
//! this or an equivalent spelling: the case of the host, the default port and the slash of an empty
//! path make no difference. If the issuer writes something else into its tokens, allow that by
//! [`audience`](crate::OAuthBuilder::audience). Clocks may differ by a minute.
//!
//! The keys of an issuer are loaded from the URL in its metadata, refreshed every 10 minutes, and
//! loaded again if a token names an unknown key, at most every
//! [15 seconds](crate::Issuer::key_interval). URLs must be `https`, or `http` on this machine;
//! redirects are not followed, responses are limited in size and time. While an issuer does not
//! respond, known keys are used for up to an hour. If a token cannot be verified because of it, the
//! status is 503, and the reason is logged. One address can have
//! [8 requests](field@crate::Limits::verifications_per_peer) whose tokens are being verified.
//!
//! # What clients learn
//!
//! | request | status | `WWW-Authenticate` |
//! | --- | --- | --- |
//! | without a token, or with another scheme | 401 | `Bearer resource_metadata="...", scope="files:read"` |
//! | token expired, forged, or for another server | 401 | `Bearer error="invalid_token", error_description="...", ...` |
//! | header malformed or repeated, token in the query of the URL | 400 | `Bearer error="invalid_request", ...` |
//! | token lacks a scope | 403 | `Bearer error="insufficient_scope", scope="files:write", resource_metadata="..."` |
//!
//! `resource_metadata` is the URL of a document (RFC 9728) that names the authorization servers.
//! The server answers at both of its [paths](crate::OAuth::metadata_paths), to everybody and to
//! pages of all origins. The document comes from the configuration, never from headers of the
//! request.
//!
//! # Scopes
//!
//! [`required_scopes`](crate::OAuthBuilder::required_scopes) apply to all requests.
//! [`ToolDef::scopes`](crate::ToolDef::scopes) and the same method of resources, templates, prompts
//! and [groups](crate::Group::scopes) apply to one definition, and
//! [`Context::require_scopes`](crate::Context::require_scopes) to what the handler knows only when
//! it runs. A refusal names the scopes of the operation all at once, so that the client has to ask
//! the user only once. The handler does not run before the scopes of its definition are there, so
//! an operation that may need more leaves all of them to one call of `require_scopes`, as `delete`
//! above does. Call `require_scopes` before the handler sends progress or messages: after that, the
//! status of the response cannot be 403 any more, and most clients do not look for the scopes.
//!
//! Lists contain all definitions, unless
//! [`list_permitted_only`](crate::OAuthBuilder::list_permitted_only) is set.
//!
//! A definition with scopes is refused wherever there is no token: over an endpoint without
//! `OAuth`, and over standard input and output. There, the user who starts the process decides;
//! attach a token that permits what this user may do:
//!
//! ```
//! use mcp_server::{AccessToken, Stdio};
//!
//! let local = AccessToken::new("local").subject("me").scopes(["files:read", "files:write"]);
//! let stdio = Stdio::new().extension(local);
//! # drop(stdio);
//! ```
//!
//! [URLs of resources](super::urls) work without a token. A resource with scopes can be read by its
//! URL only if [`HttpUrls::claims`](crate::HttpUrls::claims) attaches an `AccessToken`.
//!
//! # Who calls
//!
//! Handlers extract the [`AccessToken`](crate::AccessToken) and the
//! [`Principal`](crate::Principal). The principal consists of the issuer and the subject of the
//! token, or the client if there is no subject. It stays the same when a client renews its token,
//! so sessions, streams, cursors and state survive that; for other principals they do not exist.
//! Streams end when the token expires, or [after an hour](crate::OAuthBuilder::stream_time) if it
//! does not say when: the client resumes them, or sends its request again, with a new one.
//!
//! Never pass the token of a client on to another server. A server that calls others needs tokens
//! of its own for them.
//!
//! # Proofs of possession
//!
//! A token can be bound to a key of the client (DPoP, RFC 9449), so that no other client can use
//! it. Such tokens are always accepted, and only with a fresh proof: for this token, method and
//! URL, not older than 5 minutes, at most one minute in the future, and never the same one twice.
//! [`require_dpop`](crate::OAuthBuilder::require_dpop) refuses other tokens, and
//! [`dpop_nonces`](crate::OAuthBuilder::dpop_nonces) demands a nonce of the server in each proof.
//! Each process remembers the proofs of 1,000 requests a second
//! ([`dpop_rate`](crate::OAuthBuilder::dpop_rate)), a sixteenth of them for one principal; beyond
//! that, clients get 429.
