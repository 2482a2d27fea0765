//! Spans and events for a subscriber of `tracing`.

mod failures;
mod hostile;
mod peer;
mod refused;
mod setup;
mod spans;
