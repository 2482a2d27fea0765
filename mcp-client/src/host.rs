//! What a host of a language model needs beside its clients.
//!
//! Uses only the public API of the crate, so that it can become a crate of its own.

pub(crate) mod model_tools;
