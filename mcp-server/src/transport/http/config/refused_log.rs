//! [`RefusedLog`]: logs requests that were rejected because of their `Host` or `Origin`.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_types::peer_text::PeerText;

use crate::util::lock::lock;

/// The minimum time between two warnings about the same setting, because a peer can send any number
/// of such requests.
const INTERVAL: Duration = Duration::from_secs(1);

/// Writes warnings that name the setting that would allow the request. Clones share the rate limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct RefusedLog(Arc<Rates>);

#[derive(Debug, Default)]
struct Rates {
    host: Mutex<Rate>,
    origin: Mutex<Rate>,
}

#[derive(Debug, Default)]
struct Rate {
    warned: Option<Instant>,
    /// The number of requests since then without a warning.
    suppressed: u64,
}

impl RefusedLog {
    /// Logs a `Host` that is not allowed.
    pub(crate) fn host(&self, host: &str) {
        let host = PeerText(host);
        if let Some(suppressed) = warn(&self.0.host) {
            tracing::warn!(
                %host,
                suppressed,
                "request rejected: add this `Host` to `HttpConfig::allow_hosts` to allow it"
            );
        } else {
            tracing::debug!(%host, "request rejected: this `Host` is not allowed");
        }
    }

    /// Logs an `Origin` that is not allowed.
    pub(crate) fn origin(&self, origin: &str) {
        let origin = PeerText(origin);
        if let Some(suppressed) = warn(&self.0.origin) {
            tracing::warn!(
                %origin,
                suppressed,
                "request rejected: add this `Origin` to `HttpConfig::allow_origins` to allow it"
            );
        } else {
            tracing::debug!(%origin, "request rejected: this `Origin` is not allowed");
        }
    }
}

/// If a warning is due, returns the number of requests without a warning since the last one.
fn warn(rate: &Mutex<Rate>) -> Option<u64> {
    let now = Instant::now();
    let mut rate = lock(&rate);
    let recent = rate
        .warned
        .is_some_and(|warned| now.saturating_duration_since(warned) < INTERVAL);
    if recent {
        rate.suppressed = rate.suppressed.saturating_add(1);
        return None;
    }
    rate.warned = Some(now);
    Some(std::mem::take(&mut rate.suppressed))
}
