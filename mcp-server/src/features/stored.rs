//! [`Stored`]: values that the server keeps for a user between requests.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::sleep;

use crate::protocol::caller::Principal;
use crate::protocol::core::{Context, Core};
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::extract::FromContext;
use crate::protocol::quota::peer_key::principal_text;
use crate::protocol::store::{Condition, KeyGroup, Put, PutOutcome, StoredError};

/// How often an update is tried again because another request has written at the same time.
const ATTEMPTS: u32 = 32;
/// The maximum length of a key of a store.
const KEY_BYTES: usize = 1024;
/// The maximum length of a name.
const NAME_BYTES: usize = 64;

/// A type whose values [`Stored`] keeps. Encoded as JSON; a later release of the program must be
/// able to read what an earlier one wrote.
pub trait StoredValue: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name under which each user has a value: 1 to 64 letters, digits, `-`, `_` and `.`. No
    /// two types of a server may have the same.
    const NAME: &'static str;

    /// The time after the last write for which a value is kept: a day, unless set here.
    const TIME_TO_LIVE: Duration = Duration::from_secs(24 * 60 * 60);
}

/// Extracts access to the value that the server keeps for the user who sends the request, under
/// [`StoredValue::NAME`], in the [store](crate::ServerBuilder::store) of the server: requests of
/// revision 2026-07-28 belong to no session, and the next one may arrive at another process.
///
/// The user is the [`Principal`]. Requests over HTTP without one are
/// [refused](HandlerError::forbidden). Over a pair of byte streams, a request without a principal
/// belongs to the user of this process: a program that accepts such connections of several users
/// has to attach their principals.
///
/// Extraction reads nothing; each method is one operation of the store, [`update`](Self::update)
/// two. A user has at most [`Limits::stored_values`](field@crate::Limits::stored_values) values of
/// at most [`Limits::stored_bytes`](field@crate::Limits::stored_bytes) bytes.
///
/// ```
/// use mcp_server::{HandlerError, Server, Stored, StoredValue};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Default, Serialize, Deserialize)]
/// struct Cart(Vec<String>);
///
/// impl StoredValue for Cart {
///     const NAME: &'static str = "cart";
/// }
///
/// async fn add(cart: Stored<Cart>) -> Result<String, HandlerError> {
///     let cart = cart.update(|cart| {
///         let Cart(mut items) = cart.unwrap_or_default();
///         items.push("apple".to_owned());
///         Cart(items)
///     });
///     Ok(format!("{} items", cart.await?.0.len()))
/// }
///
/// let server = Server::builder("shop", "1.0.0").tool("add", "Adds an apple", add).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
pub struct Stored<T> {
    core: Arc<Core>,
    key: String,
    group: String,
    value: PhantomData<fn() -> T>,
}

impl<T: StoredValue> Stored<T> {
    /// Returns the value, or `None` if the user has no value of this name.
    ///
    /// # Errors
    ///
    /// [`StoredError::Store`], and [`StoredError::Json`] for a value of another form.
    pub async fn get(&self) -> Result<Option<T>, StoredError> {
        let found = self.core.stores.get(&self.key).await?;
        let value = found.map(|found| serde_json::from_slice(&found.value));
        Ok(value.transpose()?)
    }

    /// Writes the value, whatever it was before.
    ///
    /// # Errors
    ///
    /// All of [`StoredError`] but [`Contended`](StoredError::Contended).
    pub async fn set(&self, value: &T) -> Result<(), StoredError> {
        self.put(value, Condition::Any).await.map(|_| ())
    }

    /// Changes the value: calls a function with the current one, writes what it returns, and
    /// returns that. If another request has written in between, the function is called again with
    /// the newer value, so that no change is lost.
    ///
    /// # Errors
    ///
    /// All of [`StoredError`].
    pub async fn update(
        &self,
        mut change: impl FnMut(Option<T>) -> T + Send,
    ) -> Result<T, StoredError> {
        for attempt in 0..ATTEMPTS {
            let (old, condition) = match self.core.stores.get(&self.key).await? {
                Some(found) => {
                    let old = serde_json::from_slice(&found.value)?;
                    (Some(old), Condition::Version(found.version))
                }
                None => (None, Condition::Absent),
            };
            let new = change(old);
            if self.put(&new, condition).await? {
                return Ok(new);
            }
            sleep(pause(attempt)).await;
        }
        Err(StoredError::Contended)
    }

    /// Removes the value. Returns `false` if there was none.
    ///
    /// # Errors
    ///
    /// [`StoredError::Store`].
    pub async fn remove(&self) -> Result<bool, StoredError> {
        Ok(self.core.stores.remove(&self.key).await?)
    }

    /// Writes a value. Returns `false` if the condition does not hold.
    async fn put(&self, value: &T, condition: Condition) -> Result<bool, StoredError> {
        let value = serde_json::to_vec(value)?;
        let limits = &self.core.limits;
        let (limit, most) = (limits.stored_bytes, limits.stored_values);
        if value.len() > limit {
            let bytes = value.len();
            return Err(StoredError::TooLarge { bytes, limit });
        }
        let put = Put {
            key: &self.key,
            value: &value,
            time_to_live: T::TIME_TO_LIVE,
            condition,
            group: Some(KeyGroup {
                name: &self.group,
                most,
            }),
        };
        match self.core.stores.put(put).await? {
            PutOutcome::Written(_) => Ok(true),
            PutOutcome::Conflict => Ok(false),
            PutOutcome::GroupFull => Err(StoredError::TooMany(most)),
        }
    }
}

impl<T: StoredValue> FromContext for Stored<T> {
    const USES_CONTEXT: bool = false;

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        const {
            assert!(
                is_name(T::NAME),
                "the name of a stored value is not allowed"
            )
        }
        let user = match cx.extension::<Principal>() {
            Some(principal) => principal_text(&principal.0),
            None if is_http(cx) => {
                return Err(HandlerError::forbidden(
                    "the request has no authenticated principal",
                ));
            }
            None => String::from("local"),
        };
        let key = format!("stored:{}:{user}", T::NAME);
        if key.len() > KEY_BYTES {
            return Err(HandlerError::internal(
                "the name of the principal is too long for the store",
            ));
        }
        Ok(Self {
            core: Arc::clone(cx.core()),
            key,
            group: format!("stored:{user}"),
            value: PhantomData,
        })
    }
}

/// Returns a random pause after an attempt, so that concurrent updates do not meet again: up to
/// 2 ms at first, and up to 128 ms later.
fn pause(attempt: u32) -> Duration {
    let random = RandomState::new().build_hasher().finish();
    Duration::from_micros(random % (2_000 << attempt.min(6)))
}

/// Returns `true` for a request over HTTP.
fn is_http(cx: &Context) -> bool {
    #[cfg(feature = "http")]
    return cx.state.extensions.parts().is_some();
    #[cfg(not(feature = "http"))]
    {
        let _ = cx;
        false
    }
}

const fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'-' | b'_' | b'.')) {
            return false;
        }
        at += 1;
    }
    !bytes.is_empty() && bytes.len() <= NAME_BYTES
}
