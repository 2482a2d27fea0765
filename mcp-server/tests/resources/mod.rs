//! The promises of `docs/resources.md`, on byte streams and sockets.

mod authorization;
mod blocks;
mod canonical;
mod client;
mod collections;
mod hidden;
mod links;
mod lists;
mod metadata;
mod one_representation;
mod own_handlers;
mod rules;
mod secrets;
mod sqlite;
mod subject;
mod uris;
mod versions;
