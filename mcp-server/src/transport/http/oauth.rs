//! The endpoint as a resource server of OAuth 2.1.
//!
//! `builder` checks the settings of a `config`, with an `oauth_error` if they are invalid.
//! `authorize` decides about each request: it reads the token (`credentials`), asks the verifiers,
//! and checks the `dpop` proof of a token that is bound to a key, which `dpop::replay` remembers. A
//! refusal is the response if the token is not accepted. `metadata` serves the document by
//! which clients find the authorization server.
//!
//! `issuer::verifiers` creates the verifiers of an `issuer`. In `verifier`, they are `jwt` with its
//! `key_cache`, `introspection`, `static_tokens`, and those of the program. `claims` reads what a
//! token says. `issuer_metadata` is loaded from an `issuer` by `fetch`, with the `https_client` or
//! the client of the program.

pub(crate) mod authorize;
pub(crate) mod builder;
pub(crate) mod config;
pub(crate) mod credentials;
pub(crate) mod dpop;
pub(crate) mod fetch;
pub(crate) mod issuer;
pub(crate) mod metadata;
pub(crate) mod oauth_error;
pub(crate) mod verifier;
