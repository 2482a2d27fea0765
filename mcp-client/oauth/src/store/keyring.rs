//! [`KeyringStore`]: files that are encrypted with a key from the keyring of the system.

use std::fmt;
use std::io;
use std::sync::Arc;

use ::keyring::Entry;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use mcp_oauth::Secret;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;
use zeroize::Zeroizing;

use super::file::FileStore;
use super::token_store::{StoreError, StoreFuture, StoreKey, StoreLock, TokenStore};

/// The name of the key in the keyring.
const ACCOUNT: &str = "token store";

/// Keeps tokens in the files of a folder, like a [`FileStore`], but encrypted. The key is in the
/// keyring of the system: Keychain Services on macOS, the Credential Manager on Windows, the Secret
/// Service on other systems.
///
/// The tokens themselves are not in the keyring, because some keyrings limit the size of a secret
/// to less than that of common tokens, and have no locks for several processes.
#[derive(Clone)]
pub struct KeyringStore {
    files: FileStore,
    service: String,
    /// Opens the entry of a service in the keyring.
    entry: fn(&str) -> Result<Entry, StoreError>,
    key: Arc<OnceCell<LessSafeKey>>,
}

impl KeyringStore {
    /// Creates a store in a folder. `service` is the name of the key in the keyring, such as the
    /// name of the program.
    pub fn new(service: impl Into<String>, folder: impl Into<std::path::PathBuf>) -> Self {
        Self {
            files: FileStore::new(folder),
            service: service.into(),
            entry: |service| {
                // The error of `new` does not say why there is no keyring.
                let status = Entry::store_status().as_ref();
                status.map_err(ToString::to_string)?;
                Ok(Entry::new(service, ACCOUNT)?)
            },
            key: Arc::default(),
        }
    }

    async fn key(&self) -> Result<&LessSafeKey, StoreError> {
        let read = || async {
            // Two processes must not create different keys.
            let lock = StoreKey::Server {
                server: String::new(),
                user: String::new(),
            };
            let _lock = self.files.lock(&lock).await?;
            let (service, entry) = (self.service.clone(), self.entry);
            let key = spawn_blocking(move || key_of(&entry(&service)?)).await?;
            let key =
                key.map_err(|error| format!("no key from the keyring of the system: {error}"))?;
            let key = UnboundKey::new(&AES_256_GCM, &key);
            let key = key.map_err(|_| "the key in the keyring has another length")?;
            Ok(LessSafeKey::new(key))
        };
        self.key.get_or_try_init(read).await
    }
}

/// Reads the key from the keyring, or creates it.
fn key_of(entry: &Entry) -> Result<Zeroizing<Vec<u8>>, StoreError> {
    match entry.get_secret() {
        Ok(key) => Ok(Zeroizing::new(key)),
        Err(::keyring::Error::NoEntry) => {
            let mut key = Zeroizing::new(vec![0; AES_256_GCM.key_len()]);
            let filled = SystemRandom::new().fill(&mut key);
            filled.map_err(|_| "the system provides no random bytes")?;
            entry.set_secret(&key)?;
            Ok(key)
        }
        Err(error) => Err(error.into()),
    }
}

/// Encrypts a value for a key of the store: a value cannot be moved to another key.
fn seal(key: &LessSafeKey, name: &StoreKey, value: &Secret) -> Result<Secret, StoreError> {
    let mut nonce = [0; NONCE_LEN];
    let filled = SystemRandom::new().fill(&mut nonce);
    filled.map_err(|_| "the system provides no random bytes")?;
    let mut text = Zeroizing::new(value.expose().as_bytes().to_vec());
    let aad = Aad::from(name.to_string());
    let sealed = key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut *text);
    sealed.map_err(|_| "the value is too long to be encrypted")?;
    let sealed = [nonce.as_slice(), text.as_slice()].concat();
    Ok(Secret::new(BASE64_URL_SAFE_NO_PAD.encode(sealed)))
}

fn open(key: &LessSafeKey, name: &StoreKey, sealed: &Secret) -> Result<Secret, StoreError> {
    let fault = || {
        let text = "a stored value was not encrypted with the key in the keyring";
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    let sealed = BASE64_URL_SAFE_NO_PAD.decode(sealed.expose());
    let sealed = sealed.map_err(|_| fault())?;
    let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>().ok_or_else(fault)?;
    let mut text = Zeroizing::new(text.to_vec());
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let opened = key.open_in_place(nonce, Aad::from(name.to_string()), &mut text);
    let opened = opened.map_err(|_| fault())?;
    let opened = std::str::from_utf8(opened).map_err(|_| fault())?;
    Ok(Secret::new(opened))
}

impl TokenStore for KeyringStore {
    fn load<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, Option<Secret>> {
        Box::pin(async move {
            let Some(sealed) = self.files.load(key).await? else {
                return Ok(None);
            };
            open(self.key().await?, key, &sealed).map(Some)
        })
    }

    fn save<'a>(&'a self, key: &'a StoreKey, value: &'a Secret) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let sealed = seal(self.key().await?, key, value)?;
            self.files.save(key, &sealed).await
        })
    }

    fn remove<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, ()> {
        self.files.remove(key)
    }

    fn keys(&self) -> StoreFuture<'_, Vec<StoreKey>> {
        self.files.keys()
    }

    fn lock<'a>(&'a self, key: &'a StoreKey) -> StoreFuture<'a, StoreLock> {
        self.files.lock(key)
    }
}

impl fmt::Debug for KeyringStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyringStore")
            .field("files", &self.files)
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use keyring_core::api::CredentialStoreApi as _;

    use super::*;

    /// The keyring of the tests.
    fn keyring() -> Arc<keyring_core::mock::Store> {
        static KEYRING: OnceLock<Arc<keyring_core::mock::Store>> = OnceLock::new();
        let new = || keyring_core::mock::Store::new().expect("a keyring");
        Arc::clone(KEYRING.get_or_init(new))
    }

    fn entry(service: &str) -> Result<Entry, StoreError> {
        let inner = keyring().build(service, ACCOUNT, None)?;
        Ok(Entry { inner })
    }

    /// Returns the store that a program opens.
    fn opened(service: &str, folder: &std::path::Path) -> KeyringStore {
        KeyringStore {
            entry,
            ..KeyringStore::new(service, folder)
        }
    }

    #[tokio::test]
    async fn programs_share_the_key_in_the_keyring() {
        let name = format!("mcp-keyring-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let name = StoreKey::Client {
            issuer: "https://a.example".to_owned(),
        };
        let value = Secret::new("{\"refresh_token\":\"x\"}");
        let (one, two) = (opened("shared", &folder), opened("shared", &folder));
        // Both find no key, and only one creates it.
        let (first, second) = tokio::join!(one.save(&name, &value), two.save(&name, &value));
        first.and(second).expect("saved");
        let key = entry("shared").map(|entry| entry.get_secret());
        let key = key.expect("opened").expect("a key");
        assert_eq!(key.len(), AES_256_GCM.key_len());
        for store in [one, two, opened("shared", &folder)] {
            let loaded = store.load(&name).await.expect("loaded");
            assert_eq!(loaded.as_ref(), Some(&value));
            let keys = store.keys().await.expect("read");
            assert_eq!(keys, std::slice::from_ref(&name));
        }
        let files = FileStore::new(&folder).load(&name).await.expect("loaded");
        assert!(!files.expect("a value").expose().contains("refresh_token"));
        // Without the key, the files are of no use.
        let error = opened("other", &folder).load(&name).await;
        let error = error.expect_err("another key").to_string();
        let expected = "a stored value was not encrypted with the key in the keyring";
        assert_eq!(error, expected);
        let damaged = entry("damaged").expect("opened").set_secret(b"short");
        damaged.expect("stored");
        let error = opened("damaged", &folder).save(&name, &value).await;
        let error = error.expect_err("a short key").to_string();
        assert_eq!(error, "the key in the keyring has another length");
        one_keyring_is_locked(&folder, &name).await;
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    /// A keyring that is locked is an error, and is asked again later.
    async fn one_keyring_is_locked(folder: &std::path::Path, name: &StoreKey) {
        let locked = entry("locked").expect("an entry");
        let credential = locked.inner.as_any().downcast_ref();
        let credential: &keyring_core::mock::Cred = credential.expect("of the mock");
        credential.set_error(::keyring::Error::NoStorageAccess("it is locked".into()));
        let store = opened("locked", folder);
        let error = store.save(name, &Secret::new("x")).await;
        let error = error.expect_err("locked").to_string();
        assert!(error.contains("it is locked"), "{error}");
        store.save(name, &Secret::new("x")).await.expect("saved");
    }

    #[test]
    fn sealed_value_opens_only_with_its_key_and_name() {
        let key = |byte| LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &[byte; 32]).expect("32"));
        let name = |issuer: &str| StoreKey::Client {
            issuer: issuer.to_owned(),
        };
        let value = Secret::new("{\"refresh\":\"x\"}");
        let sealed = seal(&key(1), &name("a"), &value).expect("sealed");
        assert!(!sealed.expose().contains("refresh"));
        let again = seal(&key(1), &name("a"), &value).expect("sealed");
        assert_ne!(sealed, again);
        assert_eq!(open(&key(1), &name("a"), &sealed).expect("opened"), value);
        assert!(open(&key(2), &name("a"), &sealed).is_err());
        assert!(open(&key(1), &name("b"), &sealed).is_err());
        assert!(open(&key(1), &name("a"), &Secret::new("AAAA")).is_err());
    }
}
