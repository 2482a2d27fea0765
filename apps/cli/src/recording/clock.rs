//! [`Clock`]: the times in a recording.

use std::num::NonZeroU8;
use std::time::Instant;

use time::OffsetDateTime;
use time::format_description::well_known::Iso8601;
use time::format_description::well_known::iso8601::{Config, EncodedConfig, TimePrecision};

const MILLISECONDS: EncodedConfig = Config::DEFAULT
    .set_time_precision(TimePrecision::Second {
        decimal_digits: NonZeroU8::new(3),
    })
    .encode();

/// Measures the time since the start of a recording.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    started: Instant,
    date: OffsetDateTime,
}

/// A moment of a recording.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    /// The time in UTC, as in RFC 3339, with milliseconds.
    pub(crate) time: String,
    /// Milliseconds since the start, with three decimal places.
    pub(crate) ms: f64,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            started: Instant::now(),
            date: OffsetDateTime::now_utc(),
        }
    }

    pub(crate) fn now(&self) -> Moment {
        let elapsed = self.started.elapsed();
        let time = (self.date + elapsed).format(&Iso8601::<MILLISECONDS>);
        Moment {
            // Years beyond 9999 have no such form.
            time: time.unwrap_or_default(),
            #[expect(clippy::cast_precision_loss, reason = "exact for centuries")]
            ms: elapsed.as_micros() as f64 / 1000.0,
        }
    }
}
