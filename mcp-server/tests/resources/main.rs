//! The promises of `docs/resources.md`, on byte streams and sockets.

mod authorization;
mod blocks;
mod canonical;
mod client;
#[path = "../trace/collect.rs"]
mod collect;
mod collections;
mod lists;
mod metadata;
mod one_representation;
mod own_handlers;
#[path = "../features/peer.rs"]
mod peer;
mod rules;
mod sqlite;
mod subject;
mod uris;
mod versions;
