//! Access tokens: the endpoint as a resource server of OAuth 2.1.

mod challenges;
mod setup;
mod tokens;
