//! Stores for servers of the [Model Context Protocol](https://modelcontextprotocol.io) that several
//! processes serve. A [`Store`](mcp_server::Store) has the sessions of older clients, streams that
//! can be resumed, the values and tasks of users, and messages between the processes.
//!
//! | feature | adds |
//! | --- | --- |
//! | `redis` | `Redis`, a store in Redis or Valkey |
//! | `redis-tls` | `redis`, and TLS for its connections, by rustls |
//! | `postgres` | `Postgres`, a store in PostgreSQL, with TLS by rustls |
//!
//! [`testing`] checks a store of your own. A store for one process,
//! [`Memory`](mcp_server::Memory), is a part of `mcp-server`.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "redis")]
mod redis;
pub mod testing;

#[cfg(feature = "postgres")]
pub use self::postgres::error::PostgresError;
#[cfg(feature = "postgres")]
pub use self::postgres::{Postgres, PostgresBuilder};
#[cfg(feature = "redis")]
pub use self::redis::Redis;
#[cfg(feature = "redis")]
pub use self::redis::error::RedisError;
#[cfg(feature = "postgres")]
pub use rustls;

#[cfg(all(doctest, feature = "redis"))]
#[doc = include_str!("../README.md")]
struct Readme;
