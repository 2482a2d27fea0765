//! What a server offers: tools, resources, prompts, completions, subscriptions, and questions to
//! the client. Knows no transport.

pub(crate) mod access;
pub(crate) mod arguments;
pub(crate) mod asking;
pub(crate) mod catalog;
pub(crate) mod completing;
pub(crate) mod completions;
pub(crate) mod definition_error;
pub(crate) mod downgrade;
pub(crate) mod input;
pub(crate) mod list_page;
pub(crate) mod logging;
pub(crate) mod named_params;
pub(crate) mod prompts;
pub(crate) mod resources;
pub(crate) mod schema;
pub(crate) mod stored;
pub(crate) mod subscriptions;
pub(crate) mod tools;
