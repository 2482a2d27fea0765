//! [`Observer`]: writes down what a client does.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use mcp_types::peer_text::PeerDisplay;
use serde_json::{Value, json};

use super::observed::Statement;
use crate::failure::Failure;
use crate::output::print_message;

/// The maximum number of cursors and versions that are remembered.
const REMEMBERED: usize = 100_000;

/// The maximum size of what is written to the report, in bytes.
const REPORT: usize = 256 << 20;

/// What a client has requested, and what it was given.
pub(super) struct Observer {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    report: Option<File>,
    /// The size of what was written to the report, in bytes.
    size: usize,
    /// Cursors, each with the params of its list.
    cursors: HashSet<u64>,
    /// Versions, each with its resource.
    versions: HashSet<u64>,
}

impl Observer {
    /// Opens the report, to which lines are appended.
    pub(super) fn new(report: Option<&Path>) -> Result<Self, Failure> {
        let open = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.map_err(|source| Failure::File {
                path: path.to_owned(),
                source,
            })
        };
        let state = State {
            report: report.map(open).transpose()?,
            ..State::default()
        };
        Ok(Self {
            state: Mutex::new(state),
        })
    }

    /// Notes a request of the protocol, and what it violates.
    pub(super) fn request(&self, method: &str, params: &Value) {
        let uri = params["uri"].as_str().unwrap_or_default();
        let mut noted = json!({ "request": method });
        for member in ["uri", "version", "cursor", "filter"] {
            if !params[member].is_null() {
                noted[member] = params[member].clone();
            }
        }
        self.line(&noted);
        if method == "resources/list" {
            if super::content::is_document(uri) {
                self.violation(Statement::Members, &format!("`{uri}` is a document"));
            }
            if let Some(cursor) = params["cursor"].as_str()
                && !self.knows(|state| is_known(&state.cursors, of(cursor, &list(params))))
            {
                self.violation(Statement::Cursor, "this list had no such cursor");
            }
        }
        if method == "resources/get"
            && let Some(version) = params["version"].as_str()
            && !self.knows(|state| is_known(&state.versions, of(version, uri)))
        {
            self.violation(Statement::Version, &format!("`{version}` of `{uri}`"));
        }
    }

    /// Remembers a version that a notification has.
    pub(super) fn version(&self, uri: &str, version: &str) {
        remember(&mut self.lock().versions, of(version, uri));
    }

    /// Remembers the cursors and versions of a result.
    pub(super) fn result(&self, params: &Value, result: &Value) {
        let mut state = self.lock();
        if let Some(cursor) = result["nextCursor"].as_str() {
            remember(&mut state.cursors, of(cursor, &list(params)));
        }
        let lists = ["resources", "contents"].map(|member| result[member].as_array());
        let listed = lists.into_iter().flatten().flatten();
        for resource in listed.chain([&result["resource"]]) {
            if let Some(version) = resource["version"].as_str() {
                let uri = resource["uri"].as_str().unwrap_or_default();
                remember(&mut state.versions, of(version, uri));
            }
        }
    }

    /// Notes a request over HTTP that is not of the protocol.
    pub(super) fn fetch(&self, method: &str, path: &str, headers: &[&str]) {
        self.line(&json!({ "fetch": method, "path": path, "headers": headers }));
    }

    /// Notes that the client violates a statement.
    pub(super) fn violation(&self, statement: Statement, text: &str) {
        let (id, words) = (statement.id(), statement.text());
        self.line(&json!({ "violation": id, "statement": words, "text": text }));
        print_message(&format!("violation: {id}: {words}: {}", PeerDisplay(text)));
    }

    fn line(&self, line: &Value) {
        let mut state = self.lock();
        let size = state.size;
        let Some(report) = &mut state.report else {
            return;
        };
        let line = format!("{line}\n");
        let written = if size + line.len() > REPORT {
            Err(io::Error::other("it would be larger than 256 MiB"))
        } else {
            report.write_all(line.as_bytes())
        };
        state.size += line.len();
        if let Err(error) = written {
            state.report = None;
            print_message(&format!("the report ends here: {error}"));
        }
    }

    fn knows(&self, question: impl FnOnce(&State) -> bool) -> bool {
        question(&self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a hash of a cursor or a version with that for which it is.
fn of(value: &str, what: &str) -> u64 {
    // Without a random key: a client that makes two of them equal only hides its own faults.
    let mut hasher = DefaultHasher::new();
    (value, what).hash(&mut hasher);
    hasher.finish()
}

fn remember(known: &mut HashSet<u64>, value: u64) {
    if known.len() < REMEMBERED {
        known.insert(value);
    }
}

/// Returns `true` if a value was given to a client, or may have been, because no more are remembered.
fn is_known(known: &HashSet<u64>, value: u64) -> bool {
    known.contains(&value) || known.len() >= REMEMBERED
}

/// Returns the params of a list without the cursor.
fn list(params: &Value) -> String {
    format!("{} {}", params["uri"], params["filter"])
}
