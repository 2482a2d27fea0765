//! [`RefusedLog`]: requests that were refused for their `Host` or `Origin`, in the log.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mcp_types::peer_text::PeerText;

/// The least time between two warnings about the same setting: a peer can send any number of such
/// requests.
const INTERVAL: Duration = Duration::from_secs(1);

/// Writes warnings that name the setting which would let the request in. Clones share their rate.
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
    /// Requests since then that were no warning.
    suppressed: u64,
}

impl RefusedLog {
    /// Notes a `Host` that is not allowed.
    pub(crate) fn host(&self, host: &str) {
        let host = PeerText(host);
        if let Some(suppressed) = warn(&self.0.host) {
            tracing::warn!(
                %host,
                suppressed,
                "request refused: this `Host` is not allowed by `HttpConfig::allow_hosts`"
            );
        } else {
            tracing::debug!(%host, "request refused: this `Host` is not allowed");
        }
    }

    /// Notes an `Origin` that is not allowed.
    pub(crate) fn origin(&self, origin: &str) {
        let origin = PeerText(origin);
        if let Some(suppressed) = warn(&self.0.origin) {
            tracing::warn!(
                %origin,
                suppressed,
                "request refused: this `Origin` is not allowed by `HttpConfig::allow_origins`"
            );
        } else {
            tracing::debug!(%origin, "request refused: this `Origin` is not allowed");
        }
    }
}

/// Whether it is time for a warning: how many requests were none since the last one.
fn warn(rate: &Mutex<Rate>) -> Option<u64> {
    let now = Instant::now();
    let mut rate = rate.lock().unwrap_or_else(PoisonError::into_inner);
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
