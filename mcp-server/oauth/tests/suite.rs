//! Access tokens: the endpoint as a resource server of OAuth 2.1.

mod callers;
mod challenges;
mod documents;
mod dpop;
mod holder;
mod introspection;
mod issuer;
mod keys;
mod scopes;
mod secrets;
mod setup;
mod shares;
mod tokens;
mod urls;
