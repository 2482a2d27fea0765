//! Spans and events for a subscriber of `tracing`.

mod failures;
mod hostile;
mod peer;
mod refused;
#[cfg(feature = "asking")]
mod setup;
mod spans;
