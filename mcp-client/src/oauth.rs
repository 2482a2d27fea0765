//! Authorization with OAuth, as the specification describes it.
//!
//! [`OAuth`] implements [`Authorize`](crate::Authorize): it finds the authorization server of a
//! server, registers the client there, sends the user to it, and keeps the tokens fresh. The page
//! [`guide::authorization`](crate::guide::authorization) shows how to use it.

mod builder;
mod client;
mod config;
mod discovery;
mod error;
mod handle;
mod net;
mod renewal;
mod secret;
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
pub use renewal::login::PendingLogin;
pub use secret::Secret;
pub use status::TokenStatus;
#[cfg(feature = "keyring")]
pub use store::KeyringStore;
pub use store::{FileStore, MemoryStore, StoreError, StoreFuture, StoreKey, StoreLock, TokenStore};
pub use user_agent::{
    AuthorizationUrl, Headless, Loopback, Manual, RedirectReceiver, RedirectRequest, UserAgent,
    UserAgentError, UserAgentFuture,
};
