//! [`Vault`]: seals values, and keeps them in the store of the server.

use std::time::Duration;

use mcp_server::{Condition, KeyGroup, Put, PutOutcome, SharedState};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::clock::now;
use crate::fault::Fault;

/// The keys and the store of a server, for one [`Login`](crate::Login).
///
/// Purposes and keys contain the realm, so that two logins with the same keys and the same store, for
/// example of two endpoints in one program, accept nothing of each other.
#[derive(Clone)]
pub(crate) struct Vault<'a> {
    shared: SharedState,
    realm: &'a str,
}

/// The values of one kind of one user: the kind, the subject of the user, and their maximum number.
#[derive(Clone, Copy)]
pub(crate) struct OfUser<'a>(
    pub(crate) &'static str,
    pub(crate) &'a str,
    pub(crate) usize,
);

/// A value of the store, with the version by which it is replaced.
pub(crate) struct Versioned<T> {
    pub(crate) value: T,
    pub(crate) version: u64,
}

impl<'a> Vault<'a> {
    /// `realm` is a short text of printable ASCII characters that differs for each login.
    pub(crate) fn new(shared: SharedState, realm: &'a str) -> Self {
        Self { shared, realm }
    }

    fn name(&self, name: &str) -> String {
        format!("login:{}:{name}", self.realm)
    }

    fn group_name(&self, OfUser(kind, subject, _): OfUser<'_>) -> String {
        self.name(&format!("{kind}:{}", mcp_oauth::sha256(subject.as_bytes())))
    }

    /// Seals a value for a purpose: nobody else can read, change or create the text.
    pub(crate) fn seal<T: Serialize>(&self, purpose: &str, value: &T) -> Result<String, Fault> {
        let text = zeroize::Zeroizing::new(serde_json::to_string(value).map_err(Fault::Encode)?);
        Ok(self.shared.seal(&self.name(purpose), &text)?)
    }

    /// Opens a sealed value. `None` if the text was not sealed for this purpose, or with a key that is
    /// not known any more.
    pub(crate) fn unseal<T: DeserializeOwned>(&self, purpose: &str, sealed: &str) -> Option<T> {
        let text = self.shared.unseal(&self.name(purpose), sealed).ok()?;
        let text = zeroize::Zeroizing::new(text);
        serde_json::from_str(&text).ok()
    }

    /// Seals a value that is accepted for a time.
    pub(crate) fn seal_for<T: Serialize>(
        &self,
        time: Duration,
        purpose: &str,
        value: &T,
    ) -> Result<String, Fault> {
        self.seal(purpose, &(value, now().saturating_add(time.as_secs())))
    }

    /// Opens a value that was sealed for a time.
    pub(crate) fn unseal_in_time<T: DeserializeOwned>(
        &self,
        purpose: &str,
        sealed: &str,
    ) -> Option<T> {
        let (value, until): (T, u64) = self.unseal(purpose, sealed)?;
        (until >= now()).then_some(value)
    }

    /// Returns the value of a key. `None` if there is none, or if it cannot be opened.
    ///
    /// A value is sealed for its key, so that whoever can write to the store cannot exchange values.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        key: &str,
    ) -> Result<Option<Versioned<T>>, Fault> {
        let Some(found) = self.shared.get(&self.name(key)).await? else {
            return Ok(None);
        };
        let text = std::str::from_utf8(&found.value).ok();
        let value = text.and_then(|text| self.unseal(&format!("stored:{key}"), text));
        Ok(value.map(|value| Versioned {
            value,
            version: found.version,
        }))
    }

    /// Writes a value if the condition holds, and the user does not have too many.
    pub(crate) async fn put<T: Serialize>(
        &self,
        key: &str,
        value: &T,
        time_to_live: Duration,
        condition: Condition,
        of: Option<OfUser<'_>>,
    ) -> Result<PutOutcome, Fault> {
        let sealed = self.seal(&format!("stored:{key}"), value)?;
        let name = of.map(|of| self.group_name(of)).unwrap_or_default();
        let put = Put {
            key: &self.name(key),
            value: sealed.as_bytes(),
            time_to_live: time_to_live.max(Duration::from_secs(1)),
            condition,
            group: of.map(|OfUser(.., most)| KeyGroup { name: &name, most }),
        };
        Ok(self.shared.put(put).await?)
    }

    /// Removes a value. Returns `false` if there was none.
    pub(crate) async fn remove(&self, key: &str) -> Result<bool, Fault> {
        Ok(self.shared.remove(&self.name(key)).await?)
    }

    /// Returns the keys of values, those that expire first in front.
    pub(crate) async fn keys(&self, of: OfUser<'_>) -> Result<Vec<String>, Fault> {
        let OfUser(.., most) = of;
        let keys = self.shared.keys(&self.group_name(of), most).await?;
        let prefix = self.name("");
        let own = keys.into_iter();
        Ok(own
            .filter_map(|key| key.strip_prefix(&prefix).map(str::to_owned))
            .collect())
    }
}
