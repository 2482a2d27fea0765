//! Legacy sessions over HTTP (revisions 2025-03-26 to 2025-11-25).

pub(crate) mod cluster;
pub(crate) mod ending;
pub(crate) mod get;
pub(crate) mod handle;
pub(crate) mod post;
pub(crate) mod post_batch;
pub(crate) mod record;
pub(crate) mod requests;
pub(crate) mod response;
pub(crate) mod shared;
pub(crate) mod sse_event;
pub(crate) mod stream;
pub(crate) mod stream_buffer;
pub(crate) mod stream_pump;
pub(crate) mod stream_reader;
pub(crate) mod stream_record;
pub(crate) mod table;
