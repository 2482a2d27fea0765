//! Access tokens for the own routes of an application in axum: `token_layer` verifies them, and
//! `extract` has the extractors for what it attached to the request.

pub(crate) mod extract;
pub(crate) mod token_layer;
