//! [`Remembered`]: the tasks that `mcp call --background` has begun.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use mcp_client_oauth::{FileStore, StoreError, StoreKey, TokenStore};
use serde::{Deserialize, Serialize};

use crate::args::{Server, Source};
use crate::authorization::folder;
use crate::failure::Failure;

/// The number of tasks that are remembered. The oldest ones are forgotten.
const TASKS: usize = 200;

/// A task, and the server that has it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Remembered {
    pub(crate) id: String,
    pub(crate) tool: String,
    /// The URL of the server; empty if it is a program.
    pub(crate) url: String,
    /// The program of the server, with its arguments.
    pub(crate) program: Vec<String>,
    /// The server by its name in a file, instead of the URL or the program, which may have secrets
    /// in the values of variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
    /// Seconds since 1970.
    pub(crate) created: u64,
    /// When the server forgets the task, unless it keeps it for ever.
    pub(crate) expires: Option<u64>,
}

impl Remembered {
    pub(crate) fn new(id: &str, tool: &str, server: &Server, ttl: Option<Duration>) -> Self {
        let created = now();
        let is_named = server.source.is_some();
        let is_url = server.program.is_empty() && !is_named;
        let program = server.program.iter().filter(|_| !is_named);
        let text = |word: &OsString| word.to_string_lossy().into_owned();
        let url = server.words.first().filter(|_| is_url);
        Self {
            id: id.to_owned(),
            tool: tool.to_owned(),
            url: url.cloned().unwrap_or_default(),
            program: program.map(text).collect(),
            source: server.source.clone(),
            created,
            expires: ttl.map(|ttl| created.saturating_add(ttl.as_secs())),
        }
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

/// Returns the store in the folder of the program, which only the user can read, and the key under
/// which all tasks are stored.
fn store() -> Result<(FileStore, StoreKey), Failure> {
    let key = StoreKey::Server {
        server: "tasks".to_owned(),
        user: String::new(),
    };
    Ok((FileStore::new(folder()?.join("tasks")), key))
}

/// Returns the tasks that have not expired, the oldest one first.
pub(crate) async fn all() -> Result<Vec<Remembered>, Failure> {
    let (store, key) = store()?;
    load(&store, &key).await
}

async fn load(store: &FileStore, key: &StoreKey) -> Result<Vec<Remembered>, Failure> {
    let text = store.load(key).await.map_err(failed)?;
    let text = text.as_ref().map_or("[]", |text| text.expose());
    let mut all: Vec<Remembered> =
        serde_json::from_str(text).map_err(|error| failed(error.into()))?;
    let now = now();
    all.retain(|task| task.expires.is_none_or(|expires| expires > now));
    Ok(all)
}

/// Changes the tasks, while no other process does.
pub(crate) async fn change(change: impl FnOnce(&mut Vec<Remembered>)) -> Result<(), Failure> {
    let (store, key) = store()?;
    let _lock = store.lock(&key).await.map_err(failed)?;
    let mut all = load(&store, &key).await?;
    change(&mut all);
    let surplus = all.len().saturating_sub(TASKS);
    all.drain(..surplus);
    let text = serde_json::to_string(&all).map_err(|error| failed(error.into()))?;
    store.save(&key, &text.into()).await.map_err(failed)
}

fn failed(source: StoreError) -> Failure {
    let path = folder().unwrap_or_else(|_| PathBuf::new()).join("tasks");
    let source = std::io::Error::other(source);
    Failure::File { path, source }
}
