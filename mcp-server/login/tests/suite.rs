//! Logins over real sockets: a server, a scripted provider, browsers and clients.

mod browser;
mod client;
mod clients;
mod codes;
mod consent;
mod dpop;
mod flows;
mod logins;
mod metadata;
mod own_client;
mod pages;
mod processes;
mod provider;
mod provider_tokens;
mod providers;
mod redirects;
mod requests;
mod sessions;
mod setup;
mod shared;
mod slow_store;
