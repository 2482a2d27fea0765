//! What an upstream gets to know of the client of a request.

use mcp_server::types::json::{self, Map, Object, Value};
use mcp_server::types::{ClientCapabilities, LoggingLevel};
use mcp_server::{AnyRequest, Context, FromContext as _, HandlerError, Principal};
use serde_json::value::RawValue;

use crate::upstream::connection::{LinkKey, Owner};
use crate::upstream::pool::Wanted;

/// The capabilities that are passed on: those for questions.
const QUESTIONS: [&str; 3] = ["elicitation", "roots", "sampling"];

/// The extension that needs nothing of the gateway but the URIs of its resources.
const APPS: &str = "io.modelcontextprotocol/ui";

/// The beginning of the members of `_meta` that describe the sender.
const OF_SENDER: &str = "io.modelcontextprotocol/";

/// The client of a request.
pub(crate) struct Caller {
    pub(crate) capabilities: ClientCapabilities,
    key: LinkKey,
    may_be_asked: bool,
    /// The lowest level of log messages that the request asks for, or that the session has set.
    pub(crate) log_level: Option<LoggingLevel>,
}

impl Caller {
    pub(crate) async fn of(
        cx: &Context,
        request: Option<&AnyRequest>,
    ) -> Result<Self, HandlerError> {
        let declared = json::to_value(cx.peer().capabilities())?;
        let mut passed = Object::new();
        for name in QUESTIONS {
            if let Some(capability) = declared.get(name) {
                passed.insert(name, capability.clone());
            }
        }
        let may_be_asked = !passed.is_empty();
        if let Some(settings) = declared.get("extensions").and_then(|all| all.get(APPS)) {
            let extensions = Object::from([(APPS, settings.clone())]);
            passed.insert("extensions", Value::Object(extensions));
        }
        let capabilities = json::to_string(&passed)?;
        let owner = match (cx.session(), Option::<Principal>::from_context(cx).await?) {
            (Some(session), _) => Owner::Session(session.key().to_owned()),
            (None, Some(Principal(name))) => Owner::Principal(name),
            (None, None) => Owner::Anonymous,
        };
        let declared = json::from_value(Value::Object(passed));
        Ok(Self {
            capabilities: declared.map_err(|error| HandlerError::internal(error.to_string()))?,
            key: LinkKey {
                owner,
                capabilities,
            },
            may_be_asked,
            log_level: request.and_then(log_level),
        })
    }

    /// Returns what connection the request needs. `is_modern` is whether the upstream is of a
    /// revision without sessions.
    pub(crate) fn wanted(&self, cx: &Context, is_modern: bool) -> Wanted {
        let session = cx.session();
        // Sessions have no request to which a message belongs, so calls of one may share a
        // connection. Questions of modern upstreams are results.
        let asks = self.may_be_asked && !is_modern;
        Wanted {
            key: self.key.clone(),
            is_exclusive: session.is_none() && (asks || self.log_level.is_some()),
            session,
            capabilities: self.capabilities.clone(),
        }
    }

    /// Returns what distinguishes callers in a cache.
    pub(crate) fn cache_key(&self) -> &LinkKey {
        &self.key
    }
}

fn log_level(request: &AnyRequest) -> Option<LoggingLevel> {
    let members = request.members().ok()?;
    let meta: Map<Box<RawValue>> = json::from_str(members.get("_meta")?.get()).ok()?;
    json::from_str(meta.get("io.modelcontextprotocol/logLevel")?.get()).ok()
}

/// Returns the params for an upstream: without what describes the client, and without the token
/// for progress.
pub(crate) fn passed_params(request: &AnyRequest) -> Result<Map<Box<RawValue>>, HandlerError> {
    let invalid = |error: &dyn std::fmt::Display| HandlerError::invalid_params(error.to_string());
    let mut params = request.members().map_err(|error| invalid(&error))?;
    if let Some(meta) = params.remove("_meta") {
        let mut meta: Map<Box<RawValue>> =
            json::from_str(meta.get()).map_err(|error| invalid(&error))?;
        meta.retain(|name, _| name != "progressToken" && !name.starts_with(OF_SENDER));
        if !meta.is_empty() {
            params.insert("_meta", json::to_raw(&meta)?);
        }
    }
    Ok(params)
}
