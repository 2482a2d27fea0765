//! Tools, resources, prompts, completions and lists, as peers of both eras see them on a byte
//! stream.

mod access;
mod arguments;
mod completions;
mod costs;
mod definitions;
mod derived_schemas;
mod dialects;
#[cfg(feature = "draft")]
mod draft;
mod extensions;
mod fallback;
mod handler_texts;
mod handlers;
mod layers;
mod lists;
mod metrics;
mod middleware;
#[cfg(feature = "http")]
mod opentelemetry;
mod own_handlers;
mod prompts;
mod resources;
#[cfg(feature = "http")]
mod subscribers;
mod tools;
mod uris;
