//! [`RequestMeta`]: the members of `_meta` by which requests of modern revisions describe the
//! client.

use mcp_types::json::{self, Map, Object};
use mcp_types::meta::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL};
use mcp_types::revision::VersionError;
use mcp_types::{
    ClientCapabilities, Implementation, LoggingLevel, RequestMetaObject, RequestParams, Revision,
};
use serde_json::value::RawValue;

use super::capabilities::{ROOTS, SAMPLING, has_capability, has_log_messages};
use super::params::META;

/// The members for each revision without a handshake.
pub(crate) struct RequestMeta(Vec<(Revision, Map<Box<RawValue>>)>);

impl RequestMeta {
    /// Encodes the description of a client for each of the revisions that can express it.
    ///
    /// # Errors
    ///
    /// None of the revisions can express it. The error is that of the first one.
    pub(crate) fn new(
        revisions: impl Iterator<Item = Revision>,
        info: &Implementation,
        capabilities: &ClientCapabilities,
        log_level: Option<LoggingLevel>,
    ) -> Result<Self, VersionError> {
        let mut known = Vec::new();
        let mut first_error = None;
        for revision in revisions {
            match members(revision, info, capabilities.clone(), log_level) {
                Ok(members) => known.push((revision, members)),
                Err(error) => {
                    tracing::debug!(%revision, %error, "cannot describe the client");
                    first_error.get_or_insert(error);
                }
            }
        }
        match first_error {
            Some(error) if known.is_empty() => Err(error),
            _ => Ok(Self(known)),
        }
    }

    /// Returns the `_meta` that params of the newest revision require. Its members are replaced when
    /// a request is sent.
    pub(crate) fn placeholder() -> RequestMetaObject {
        RequestMetaObject::new(Revision::LATEST.as_str(), ClientCapabilities::new())
    }

    /// Returns the members for a revision; `None` if its requests do not describe the client, or
    /// cannot.
    pub(crate) fn of(&self, revision: Revision) -> Option<&Map<Box<RawValue>>> {
        let (_, members) = self.0.iter().find(|(known, _)| *known == revision)?;
        Some(members)
    }
}

/// Returns the members for one request, with a part of the description replaced.
pub(crate) fn changed(
    client: &Map<Box<RawValue>>,
    revision: Revision,
    info: Option<&Implementation>,
    capabilities: Option<&ClientCapabilities>,
    log_level: Option<LoggingLevel>,
) -> Result<Map<Box<RawValue>>, VersionError> {
    let mut described = client.clone();
    if info.is_some() || capabilities.is_some() {
        let none = Implementation::new("", "");
        let changed = members(
            revision,
            info.unwrap_or(&none),
            capabilities.cloned().unwrap_or_default(),
            None,
        )?;
        let names = [
            (CLIENT_INFO, info.is_some()),
            (CLIENT_CAPABILITIES, capabilities.is_some()),
        ];
        for (name, _) in names.into_iter().filter(|(_, is_changed)| *is_changed) {
            if let Some(value) = changed.get(name) {
                described.insert(name, value.clone());
            }
        }
    }
    if let Some(level) = log_level.filter(|_| has_log_messages(revision)) {
        described.insert(LOG_LEVEL, json::to_raw(&level)?);
    }
    Ok(described)
}

fn members(
    revision: Revision,
    info: &Implementation,
    capabilities: ClientCapabilities,
    log_level: Option<LoggingLevel>,
) -> Result<Map<Box<RawValue>>, VersionError> {
    let mut members = meta(revision, info, capabilities)?;
    if let Some(text) = members.get(CLIENT_CAPABILITIES) {
        let mut declared: Object = json::from_str(text.get())?;
        for name in [ROOTS, SAMPLING] {
            if !has_capability(revision, name) {
                declared.remove(name);
            }
        }
        members.insert(CLIENT_CAPABILITIES, json::to_raw(&declared)?);
    }
    if let Some(level) = log_level.filter(|_| has_log_messages(revision)) {
        members.insert(LOG_LEVEL, json::to_raw(&level)?);
    }
    Ok(members)
}

/// Returns `_meta` in the form of a revision. It is encoded as a part of params, because only these
/// have a form for each revision.
fn meta(
    revision: Revision,
    info: &Implementation,
    capabilities: ClientCapabilities,
) -> Result<Map<Box<RawValue>>, VersionError> {
    let meta = RequestMetaObject::new(revision.as_str(), capabilities).client_info(info.clone());
    let params = revision.encode_text(RequestParams::new(meta))?;
    let mut params: Map<Box<RawValue>> = serde_json::from_str(&params)?;
    match params.remove(META) {
        Some(meta) => Ok(serde_json::from_str(meta.get())?),
        None => Ok(Map::new()),
    }
}

/// Returns the name and version of a client in the form of the newest revision with a handshake.
/// The first revision without one has the same form, and is one that has it in params.
pub(crate) fn legacy_info(info: &Implementation) -> Result<Box<RawValue>, VersionError> {
    let meta = meta(Revision::V2026_07_28, info, ClientCapabilities::new())?;
    let info = meta.get(CLIENT_INFO).map(|info| (**info).to_owned());
    info.map_or_else(|| Ok(json::to_raw(&Object::new())?), Ok)
}
