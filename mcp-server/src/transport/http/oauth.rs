//! The endpoint as a resource server of OAuth 2.1.
//!
//! `builder` checks the settings of a `config`, with an `oauth_error` if they are invalid.
//! `authorize` decides about each request: it reads the token (`credentials`), asks the verifiers,
//! and checks the `dpop` proof of a token that is bound to a key, which `replay` remembers. A
//! `token_refusal` is the response if the token is not accepted. `metadata` serves the document by
//! which clients find the authorization server.
//!
//! `issuer_verifiers` creates the verifiers of an `issuer`. They are a `jwt_verifier` with its
//! `key_cache`, `introspection`, `static_tokens`, and those of the program (`verifier`). `claims`
//! reads what a token says. `issuer_metadata` is loaded from an `issuer` by `fetch`, with the
//! `https_client` or the client of the program.

pub(crate) mod authorize;
pub(crate) mod builder;
pub(crate) mod claims;
pub(crate) mod config;
pub(crate) mod credentials;
pub(crate) mod dpop;
pub(crate) mod fetch;
pub(crate) mod https_client;
pub(crate) mod introspection;
pub(crate) mod issuer;
pub(crate) mod issuer_metadata;
pub(crate) mod issuer_verifiers;
pub(crate) mod jwt_verifier;
pub(crate) mod key_cache;
pub(crate) mod metadata;
pub(crate) mod oauth_error;
pub(crate) mod replay;
pub(crate) mod secure_url;
pub(crate) mod static_tokens;
pub(crate) mod token_refusal;
pub(crate) mod verifier;
