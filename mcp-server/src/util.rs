//! Small helpers that are independent of the protocol.

pub(crate) mod and_then;
#[cfg(feature = "proposals")]
pub(crate) mod etag;
pub(crate) mod hex;
pub(crate) mod join;
#[cfg(feature = "proposals")]
pub(crate) mod lazy_type_map;
pub(crate) mod lock;
pub(crate) mod millis;
pub(crate) mod partial_debug;
pub(crate) mod progress_throttle;
#[cfg(any(feature = "proposals", feature = "tasks"))]
pub(crate) mod rfc3339;
pub(crate) mod signal;
#[cfg(feature = "http")]
pub(crate) mod terminated;
pub(crate) mod text_values;
pub(crate) mod type_map;
pub(crate) mod uri_set;
pub(crate) mod uri_syntax;
pub(crate) mod utf8_bytes;
#[cfg(feature = "http")]
pub(crate) mod write_gate;
