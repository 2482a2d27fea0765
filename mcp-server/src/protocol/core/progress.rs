//! Progress of a request: [`Context::progress`].

use mcp_types::{Notification, ProgressNotification, ProgressNotificationParams};

use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

impl Context {
    /// Sends a progress notification if the request has a progress token. Otherwise does nothing.
    ///
    /// A handler may call this as often as it likes: the notification is skipped if `progress` is
    /// not greater than before, or if the last notification is more recent than
    /// [`Limits::progress_interval`](field@crate::Limits::progress_interval) and `progress` has not
    /// reached `total`.
    ///
    /// # Errors
    ///
    /// If a value is not a JSON number (NaN or infinite).
    pub async fn progress(
        &self,
        progress: impl ProgressNumber,
        total: impl ProgressTotal,
        message: impl ProgressMessage,
    ) -> Result<(), HandlerError> {
        let Some(token) = &self.state.progress_token else {
            return Ok(());
        };
        let (progress, total) = (progress.into_f64(), total.into_total());
        if !progress.is_finite() || total.is_some_and(|total| !total.is_finite()) {
            return Err(HandlerError::internal(
                "expected finite numbers for `progress` and `total`",
            ));
        }
        let is_final = total.is_some_and(|total| progress >= total);
        let interval = self.core().limits.progress_interval;
        if !self.state.progress.admit(progress, is_final, interval) {
            return Ok(());
        }
        let mut params = ProgressNotificationParams::new(token.clone(), progress);
        params.total = total.map(Into::into);
        params.message = message.into_message();
        self.notify(ProgressNotification::METHOD, params).await
    }
}

/// A number for [`Context::progress`]: any integer or float.
pub trait ProgressNumber {
    /// Converts the number. Integers above 2^53 are rounded.
    fn into_f64(self) -> f64;
}

/// The total for [`Context::progress`]: a number, or `None` if it is not known.
pub trait ProgressTotal {
    /// Converts the total.
    fn into_total(self) -> Option<f64>;
}

impl ProgressTotal for Option<f64> {
    fn into_total(self) -> Option<f64> {
        self
    }
}

macro_rules! numbers {
    ($convert:expr; $($number:ty)*) => {$(
        impl ProgressNumber for $number {
            fn into_f64(self) -> f64 {
                $convert(self)
            }
        }

        impl ProgressTotal for $number {
            fn into_total(self) -> Option<f64> {
                Some(self.into_f64())
            }
        }
    )*};
}

numbers! { f64::from; i8 i16 i32 u8 u16 u32 f32 f64 }
numbers! { rounded; i64 isize u64 usize }

/// Converts an integer. It is shown to people: digits that a float does not have are of no use.
#[expect(clippy::cast_precision_loss, reason = "large numbers are rounded")]
fn rounded(number: impl TryInto<i128>) -> f64 {
    number.try_into().map_or(f64::NAN, |number| number as f64)
}

/// The text for [`Context::progress`]: a `&str`, a `String`, or `None` for no text.
pub trait ProgressMessage {
    /// Converts the text.
    fn into_message(self) -> Option<String>;
}

impl ProgressMessage for &str {
    fn into_message(self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl ProgressMessage for &String {
    fn into_message(self) -> Option<String> {
        Some(self.clone())
    }
}

impl ProgressMessage for String {
    fn into_message(self) -> Option<String> {
        Some(self)
    }
}

impl ProgressMessage for Option<&str> {
    fn into_message(self) -> Option<String> {
        self.map(str::to_owned)
    }
}
