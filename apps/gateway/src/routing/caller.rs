//! What an upstream gets to know of the client of a request.

use mcp_server::types::json::{self, Map, Object, Value};
use mcp_server::types::meta::{LOG_LEVEL, PREFIX, PROGRESS_TOKEN};
use mcp_server::types::{ClientCapabilities, LoggingLevel, Revision};
use mcp_server::{AnyRequest, Context, HandlerError};
use mcp_wire::capability::{ROOTS, SAMPLING};
use serde_json::value::RawValue;

use super::tasks::TASKS;
use crate::upstream::connection::{LinkKey, LinkRequest};
use crate::upstream::lists::{ListMethod, Query};
use crate::upstream::owner::Owner;
use crate::upstream::pool::Pool;

/// The capabilities by which an upstream may ask the client.
const ASKED: [&str; 3] = ["elicitation", ROOTS, SAMPLING];

/// The other capabilities that an upstream gets to know.
const OTHERS: [&str; 2] = ["experimental", "extensions"];

/// The client of a request.
pub(crate) struct Caller {
    pub(crate) capabilities: ClientCapabilities,
    key: LinkKey,
    may_be_asked: bool,
    /// The lowest level of log messages that the request asks for, or that the session has set.
    pub(crate) log_level: Option<LoggingLevel>,
}

impl Caller {
    pub(crate) fn of(cx: &Context) -> Result<Self, HandlerError> {
        // By their names, as the newest types may lack some of them.
        let mut passed = match json::to_value(cx.peer().capabilities())? {
            Value::Object(members) => members,
            _ => Object::new(),
        };
        passed.retain(|name, _| ASKED.contains(&name) || OTHERS.contains(&name));
        let may_be_asked = ASKED.iter().any(|name| passed.contains_key(name));
        // Sessions have no tasks.
        let extensions = passed.get_mut("extensions").and_then(Value::as_object_mut);
        if let Some(all) = extensions.filter(|_| cx.session().is_some()) {
            all.remove(TASKS);
            if all.is_empty() {
                passed.remove("extensions");
            }
        }
        let owner = Owner::of(cx);
        let capabilities = json::to_string(&passed)?;
        Ok(Self {
            capabilities: json::from_object(passed)?,
            key: LinkKey {
                owner,
                capabilities,
            },
            may_be_asked,
            log_level: None,
        })
    }

    /// Returns what connection a call needs. `is_modern` is whether the upstream is of a revision
    /// without sessions.
    pub(crate) fn wanted(&self, cx: &Context, is_modern: bool) -> LinkRequest {
        let session = cx.session();
        // Sessions have no request to which a message belongs, so calls of one may share a
        // connection. Questions of modern upstreams are results.
        let asks = self.may_be_asked && !is_modern;
        LinkRequest {
            key: self.key.clone(),
            peer: cx.peer_key(),
            is_exclusive: session.is_none() && (asks || self.log_level.is_some()),
            session,
            capabilities: self.capabilities.clone(),
        }
    }

    /// Returns what connection a list or a subscription needs. An upstream of a revision without
    /// sessions cannot tell the sessions of a user apart, so these share a connection, and so do all
    /// sessions of clients that are not authenticated.
    pub(crate) fn wanted_without_call(&self, cx: &Context, pool: &Pool) -> LinkRequest {
        let is_modern = pool.revision().is_some_and(Revision::is_modern);
        let mut wanted = self.wanted(cx, is_modern);
        if is_modern {
            wanted.session = None;
            wanted.key.owner = Owner::user(cx);
        }
        wanted
    }

    /// Returns the request for a list of an upstream.
    pub(crate) fn query(&self, cx: &Context, pool: &Pool, list: ListMethod) -> Query {
        Query {
            wanted: self.wanted_without_call(cx, pool),
            list,
            to: cx.revision(),
        }
    }

    /// Returns `true` if a call may be answered with a task.
    pub(crate) fn accepts_tasks(&self) -> bool {
        let extensions = self.capabilities.extensions.as_ref();
        extensions.is_some_and(|all| all.contains_key(TASKS))
    }
}

/// Returns the params for an upstream: without what describes the client, and without the token
/// for progress. Also returns the level of log messages that the request asks for.
pub(crate) fn passed_params(
    request: &AnyRequest,
) -> Result<(Map<Box<RawValue>>, Option<LoggingLevel>), HandlerError> {
    let invalid = |error: &dyn std::fmt::Display| HandlerError::invalid_params(error.to_string());
    let mut params = request.members().map_err(|error| invalid(&error))?;
    let mut log_level = None;
    if let Some(meta) = params.remove("_meta") {
        let mut meta: Map<Box<RawValue>> =
            json::from_str(meta.get()).map_err(|error| invalid(&error))?;
        let level = meta.get(LOG_LEVEL);
        log_level = level.and_then(|level| json::from_str(level.get()).ok());
        meta.retain(|name, _| name != PROGRESS_TOKEN && !name.starts_with(PREFIX));
        if !meta.is_empty() {
            params.insert("_meta", json::to_raw(&meta)?);
        }
    }
    Ok((params, log_level))
}
