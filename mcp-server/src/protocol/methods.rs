//! Names of the methods that dispatch and transports treat in a special way.

pub(crate) const INITIALIZE: &str = "initialize";
pub(crate) const INITIALIZED: &str = "notifications/initialized";
pub(crate) const PING: &str = "ping";
pub(crate) const CANCELLED: &str = "notifications/cancelled";
pub(crate) const LISTEN: &str = "subscriptions/listen";
