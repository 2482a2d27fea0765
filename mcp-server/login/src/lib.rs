#![doc = include_str!("../docs/login.md")]

// `builder` validates the settings of a `login`, with a `login_error` if they are invalid.
// `authenticate` decides about requests with an `access_token`, and lists the paths of `metadata` and of
// the `endpoints`, for which `routes` finds the function that responds to an `exchange`.
//
// A login in a browser: `authorize` validates the `authorization_request` of a client (`clients`),
// `consent` asks the user unless there is one of the `approvals`, `pending` sends the browser to the
// `provider`, `callback` learns who the `user` is and issues a `code`. An `interruption` ends it early.
// `account` is the page with the sessions.
//
// Clients get their tokens of `grants`, for a `session`, with `dpop` if they have a key. The `vault` seals
// and stores everything. `provider_token` is for handlers.

mod access_token;
mod account;
mod approvals;
mod authenticate;
mod authorization_request;
mod authorize;
mod builder;
mod callback;
mod clients;
mod clock;
mod code;
mod consent;
mod dpop;
mod endpoints;
mod exchange;
mod fault;
mod grants;
mod interruption;
mod login;
mod login_error;
mod metadata;
mod oauth_error;
mod pages;
mod pending;
mod provider;
mod provider_token;
mod routes;
mod secret;
mod session;
mod urls;
mod user;
mod vault;
mod web;

pub use self::builder::LoginBuilder;
pub use self::login::Login;
pub use self::login_error::LoginError;
pub use self::provider::{Provider, ProviderUrls};
pub use self::provider_token::ProviderToken;
pub use self::user::User;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
