//! Tools, resources, prompts, completions and lists, as peers of both eras see them on a byte
//! stream.

#[path = "features/access.rs"]
mod access;
#[path = "features/arguments.rs"]
mod arguments;
#[path = "features/completions.rs"]
mod completions;
#[path = "features/costs.rs"]
mod costs;
#[path = "features/definitions.rs"]
mod definitions;
#[path = "features/dialects.rs"]
mod dialects;
#[cfg(feature = "draft")]
#[path = "features/draft.rs"]
mod draft;
#[path = "features/handlers.rs"]
mod handlers;
#[path = "features/lists.rs"]
mod lists;
#[path = "features/metrics.rs"]
mod metrics;
#[path = "features/middleware.rs"]
mod middleware;
#[cfg(feature = "http")]
#[path = "features/opentelemetry.rs"]
mod opentelemetry;
#[path = "features/own_handlers.rs"]
mod own_handlers;
#[path = "features/peer.rs"]
mod peer;
#[path = "features/prompts.rs"]
mod prompts;
#[path = "features/resources.rs"]
mod resources;
#[path = "features/tools.rs"]
mod tools;
#[path = "features/uris.rs"]
mod uris;
