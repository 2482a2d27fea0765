//! [`Record`]: the state of a legacy session in a store, for the other processes of the endpoint.

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_types::{ClientCapabilities, Implementation, Revision, json};
use serde::{Deserialize, Serialize};

use crate::protocol::quota::peer_key::PeerKey;
use crate::protocol::session::Session;
use crate::protocol::store::{FormatVersion, StoreError};
use crate::util::millis;

/// The version of the format. New members that older releases may ignore keep the version.
const VERSION: u32 = 1;

/// The stored state of a session, as JSON text.
#[derive(Serialize, Deserialize)]
pub(crate) struct Record {
    version: u32,
    /// The group of the peer that created the session, which limits its sessions. Absent if the
    /// peer cannot be told from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<String>,
    /// Absent if the session belongs to no principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) principal: Option<String>,
    /// The process that created the session. Absent as soon as another process has a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<String>,
    revision: String,
    client_info: Implementation,
    capabilities: ClientCapabilities,
    level: u8,
    resources: Vec<String>,
    /// The time of the latest use, in milliseconds since 1970.
    used: u64,
    /// Members of newer releases, which a change keeps.
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

/// Creates the record of a new session of a peer, at the process with this id.
pub(crate) fn record(session: &Session, peer: &PeerKey, process: &str) -> Record {
    Record {
        version: VERSION,
        group: peer.text().map(|peer| format!("sessions:{peer}")),
        principal: session.principal.as_deref().map(Into::into),
        process: Some(process.to_owned()),
        revision: session.revision.as_str().to_owned(),
        client_info: session.client_info.clone(),
        capabilities: session.capabilities.clone(),
        level: session.level(),
        resources: session.subscriptions(),
        used: millis::now(),
        rest: BTreeMap::new(),
    }
}

/// Decodes the value of a session.
pub(crate) fn read(value: &[u8]) -> Result<Record, StoreError> {
    let text = std::str::from_utf8(value).map_err(StoreError::unreadable)?;
    let FormatVersion { version } = serde_json::from_str(text).map_err(StoreError::unreadable)?;
    if version != VERSION {
        return Err(StoreError::unreadable(format!(
            "the session has version {version} of the format, expected {VERSION}"
        )));
    }
    json::from_str(text).map_err(StoreError::unreadable)
}

/// Creates a copy of a session that another process created.
pub(crate) fn restore(id: &str, record: Record) -> Result<Session, StoreError> {
    let revision: Revision = record.revision.parse().map_err(StoreError::unreadable)?;
    let level = record.level;
    let text = |text: Result<String, _>| text.map_or(0, |text| text.len());
    let peer_bytes =
        text(json::to_string(&record.client_info)) + text(json::to_string(&record.capabilities));
    let session = Session::new(
        Some(id.into()),
        record.principal.map(Into::into),
        revision,
        peer_bytes,
        record.client_info,
        record.capabilities,
    );
    session.set_severity(level);
    // The server's requests get ids from a random start, because their responses may arrive at
    // another process, where they must not match the ids of its own requests.
    let mut first = [0; 8];
    getrandom::fill(&mut first).map_err(|error| StoreError::failed(error.to_string()))?;
    let first = u64::from_le_bytes(first) >> 16;
    session.pending.begin_at(first.cast_signed());
    for uri in &record.resources {
        session.subscribe(uri, usize::MAX);
    }
    Ok(session)
}

/// What the keys of sessions in a store begin with.
const PREFIX: &str = "session:";

/// Returns the key of a session in a store.
pub(crate) fn key(id: &str) -> String {
    format!("{PREFIX}{id}")
}

/// Returns the id of the session with this key.
pub(crate) fn id(key: &str) -> Option<&str> {
    key.strip_prefix(PREFIX)
}

impl Record {
    /// Returns the time since any process marked the session as used.
    pub(crate) fn idle(&self) -> Duration {
        Duration::from_millis(millis::now().saturating_sub(self.used))
    }

    /// Applies a change of a process, and marks the session as used now.
    pub(crate) fn change(&mut self, delta: &SessionDelta, process: &str) {
        self.process.take_if(|only| only != process);
        // Clocks differ, and may be set back.
        self.used = self.used.max(millis::now());
        self.level = delta.level.unwrap_or(self.level);
        self.resources.retain(|uri| !delta.removed.contains(uri));
        let known = delta
            .added
            .iter()
            .filter(|uri| !self.resources.contains(uri));
        let new: Vec<String> = known.cloned().collect();
        self.resources.extend(new);
    }

    /// Brings a copy of the session up to date.
    pub(crate) fn apply(&self, session: &Session) {
        session.set_severity(self.level);
        session.set_subscriptions(&self.resources);
    }

    /// Encodes the record for a store.
    pub(crate) fn value(&self) -> Result<Vec<u8>, StoreError> {
        let text = json::to_string(self).map_err(StoreError::unreadable)?;
        Ok(text.into_bytes())
    }
}

/// A change of a session. Several processes may change a session at once, so each sends only its
/// own changes.
#[derive(Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionDelta {
    #[serde(default)]
    level: Option<u8>,
    #[serde(default)]
    added: Vec<String>,
    #[serde(default)]
    removed: Vec<String>,
}

impl SessionDelta {
    /// Decodes a change that another process sent.
    pub(crate) fn read(value: &[u8]) -> Result<Self, StoreError> {
        serde_json::from_slice(value).map_err(StoreError::unreadable)
    }

    /// Encodes the change for other processes.
    pub(crate) fn value(&self) -> Vec<u8> {
        // Encoding a number and strings does not fail.
        json::to_string(self).unwrap_or_default().into_bytes()
    }

    /// Applies the change to a copy of the session.
    pub(crate) fn apply(&self, session: &Session) {
        if let Some(level) = self.level {
            session.set_severity(level);
        }
        for uri in &self.removed {
            session.unsubscribe(uri);
        }
        for uri in &self.added {
            session.subscribe(uri, usize::MAX);
        }
    }
}

/// The changeable state of a session at an earlier time.
pub(crate) struct SessionSnapshot {
    level: u8,
    resources: Vec<String>,
}

impl SessionSnapshot {
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            level: session.level(),
            resources: session.subscriptions(),
        }
    }

    /// Takes back changes that were made since then.
    pub(crate) fn undo(&self, delta: &SessionDelta, session: &Session) {
        SessionDelta {
            level: delta.level.map(|_| self.level),
            added: delta.removed.clone(),
            removed: delta.added.clone(),
        }
        .apply(session);
    }

    /// Returns the changes since then.
    pub(crate) fn delta(&self, session: &Session) -> SessionDelta {
        let now = Self::of(session);
        let only = |these: &[String], others: &[String]| {
            let only = these.iter().filter(|uri| !others.contains(uri));
            only.cloned().collect()
        };
        SessionDelta {
            level: (now.level != self.level).then_some(now.level),
            added: only(&now.resources, &self.resources),
            removed: only(&self.resources, &now.resources),
        }
    }
}
