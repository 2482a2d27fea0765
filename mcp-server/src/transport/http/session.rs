//! Legacy sessions over HTTP (revisions 2025-03-26 to 2025-11-25).
//!
//! The `table` has the sessions of this process, each with a `handle`, and `ending` removes them.
//! `post_batch` runs the requests of one POST, whose messages form a `stream`. A `stream_pump` moves
//! them from its buffer to the event store, and a `stream_reader` sends them to the client.

pub(crate) mod ending;
pub(crate) mod handle;
pub(crate) mod post_batch;
pub(crate) mod record;
pub(crate) mod shared;
pub(crate) mod stream;
pub(crate) mod stream_pump;
pub(crate) mod stream_reader;
pub(crate) mod stream_record;
pub(crate) mod table;
