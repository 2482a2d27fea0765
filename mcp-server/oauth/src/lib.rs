#![doc = include_str!("../docs/tokens.md")]

// `builder` checks the settings of a `config`, with an `oauth_error` if they are invalid. `authorize`
// decides about each request: it reads the token, asks the verifiers, and checks the
// `dpop` proof of a token that is bound to a key, which `dpop::replay` remembers.
//
// `issuer::verifiers` creates the verifiers of an `issuer`. In `verifier`, they are `jwt` with its
// `key_cache`, `introspection`, `static_tokens`, and those of the program. `claims` reads what a token
// says. `fetch` loads documents of an issuer with the `https_client` or the client of the program.

mod authorize;
mod builder;
mod config;
mod dpop;
mod fetch;
mod issuer;
mod oauth_error;
mod verifier;

pub use self::builder::OAuthBuilder;
pub use self::config::OAuth;
pub use self::fetch::HttpFetch;
pub use self::issuer::Issuer;
pub use self::oauth_error::OAuthError;
pub use self::verifier::static_tokens::StaticTokens;
pub use self::verifier::{PresentedToken, TokenError, TokenVerifier};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
