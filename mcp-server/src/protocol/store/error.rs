//! [`StoreError`] and [`StoredError`], and the future of a store's methods.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// The future that a store's methods return. Boxed, so that a store can be a trait object.
///
/// It may be dropped at any time: the store then has made the change or not, but not half of it.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// The error of a store. No operation that a request waits for takes longer than
/// [`Limits::store_time`](field@crate::Limits::store_time).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store cannot be reached, or reports an error. The cause must contain neither passwords
    /// nor values, because it is logged.
    #[error("the store failed")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
    /// The store did not answer in time. Whether it made the change is unknown.
    #[error("the store did not answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// A stored value cannot be read: it is malformed, or a newer release of this crate wrote it in
    /// a form that this one does not know.
    #[error("a stored value cannot be read")]
    Unreadable(#[source] Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// Creates the error of a store that cannot be reached, or that reports an error.
    pub fn failed(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(cause.into())
    }

    /// Creates the error of a value that cannot be read.
    pub fn unreadable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unreadable(cause.into())
    }
}

/// Why a stored value cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredError {
    /// The store failed. The cause is not part of the text, which a client may read.
    #[error("{CANNOT_BE_REACHED}")]
    Store(#[source] StoreError),
    /// The value is too large.
    #[error("the value has {bytes} bytes: expected at most {limit}")]
    TooLarge {
        /// The size of the value as JSON.
        bytes: usize,
        /// The maximum size.
        limit: usize,
    },
    /// The user has too many values.
    #[error("the user has {0} stored values already")]
    TooMany(usize),
    /// Other requests of the user change the value all the time.
    #[error("the value changes too often: retry later")]
    Contended,
    /// The value cannot be encoded, or a stored one cannot be decoded.
    #[error("the value does not have the expected form")]
    Json(#[from] serde_json::Error),
}

/// Returns the text for a client if an error, or one of its sources, is that of a store which may work
/// again soon. It says nothing of the program.
pub(crate) fn retry_text(error: &(dyn Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(stored @ (StoredError::Store(_) | StoredError::Contended)) =
            error.downcast_ref()
        {
            return Some(stored.to_string());
        }
        if let Some(StoreError::Failed(_) | StoreError::TimedOut(_)) = error.downcast_ref() {
            return Some(CANNOT_BE_REACHED.to_owned());
        }
        next = error.source();
    }
    None
}

/// What clients read of the error of a store.
pub(crate) const CANNOT_BE_REACHED: &str = "the store of the server cannot be reached: retry later";
