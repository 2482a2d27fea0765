//! OAuth for clients of the [Model Context Protocol](https://modelcontextprotocol.io).
//!
//! [`OAuth`] implements [`Authorize`](mcp_client::Authorize): it finds the authorization server of a
//! server, registers the client there, sends the user to it, and keeps the tokens fresh. The page
//! [`authorization`](guide::authorization) of the guide shows how to use it.
//!
//! | feature | adds |
//! | --- | --- |
//! | `keyring` | `KeyringStore`, which encrypts tokens with a key from the keyring of the system |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod builder;
mod client;
mod config;
mod discovery;
mod error;
pub mod guide;
mod handle;
mod net;
mod renewal;
mod status;
mod store;
mod token_session;
mod tokens;
mod user_agent;

pub use builder::OAuthBuilder;
pub use client::{ClientAuthMethod, OAuthClient, PrivateKey};
pub use config::{AssertionRequest, Dpop, Enterprise, StepUp};
pub use error::{OAuthError, OAuthFault, OAuthStep};
pub use handle::{Logout, OAuth};
pub use mcp_oauth::Secret;
pub use renewal::login::PendingLogin;
pub use status::TokenStatus;
#[cfg(feature = "keyring")]
pub use store::KeyringStore;
pub use store::{FileStore, MemoryStore, StoreError, StoreFuture, StoreKey, StoreLock, TokenStore};
pub use user_agent::{
    AuthorizationUrl, Headless, Loopback, Manual, RedirectReceiver, RedirectRequest, UserAgent,
    UserAgentError, UserAgentFuture,
};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
