//! [`ToolHeaders`]: the arguments of tools that headers repeat.
//!
//! From revision 2026-07-28, page "Streamable HTTP", section "Custom Headers from Tool Parameters".

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use http::{HeaderName, HeaderValue};
use mcp_types::error::Segment;
use mcp_types::headers::{HeaderParam, encode_value, header_params};
use mcp_types::json::{self, Object, Value};
use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::rpc::{self, Message};
use serde_json::value::RawValue;

use crate::protocol::error::HttpError;

/// As many tools with such arguments are known.
const TOOLS: usize = 4096;
/// And bytes of their names, and of the names of the arguments.
const BYTES: usize = 4 << 20;

/// What the lists of tools said so far.
#[derive(Default)]
pub(super) struct ToolHeaders {
    known: RwLock<Tools>,
}

#[derive(Default)]
struct Tools {
    by_name: HashMap<String, HeaderParamList>,
    bytes: usize,
}

impl Tools {
    fn remove(&mut self, tool: &str) {
        if let Some(params) = self.by_name.remove(tool) {
            self.bytes -= size(tool, &params);
        }
    }

    /// Adds a tool, if there is room.
    fn add(&mut self, tool: &str, params: HeaderParamList) -> bool {
        let after = self.bytes.saturating_add(size(tool, &params));
        let fits = self.by_name.len() < TOOLS && after <= BYTES;
        if fits {
            self.bytes = after;
            self.by_name.insert(tool.to_owned(), params);
        }
        fits
    }
}

/// About as many bytes as a tool takes.
fn size(tool: &str, params: &[HeaderParam]) -> usize {
    let of = |param: &HeaderParam| {
        let steps = param.path().segments().iter();
        let path = steps.map(|step| match step {
            Segment::Member(name) => size_of::<Segment>() + name.len(),
            Segment::Index(_) => size_of::<Segment>(),
        });
        size_of::<HeaderParam>() + param.name().len() + param.header().len() + path.sum::<usize>()
    };
    tool.len() + params.iter().map(of).sum::<usize>()
}

/// The marked parameters of a tool.
pub(super) type HeaderParamList = Arc<[HeaderParam]>;

impl ToolHeaders {
    pub(super) fn of(&self, tool: &str) -> Option<HeaderParamList> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.by_name.get(tool).cloned()
    }

    /// The headers for a call.
    pub(super) fn headers(
        &self,
        tool: &str,
        arguments: Option<&RawValue>,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, HttpError> {
        let (Some(known), Some(arguments)) = (self.of(tool), arguments) else {
            return Ok(Vec::new());
        };
        let Ok(arguments) = json::from_str::<Object>(arguments.get()) else {
            return Ok(Vec::new());
        };
        let mut headers = Vec::with_capacity(known.len());
        for param in known.iter() {
            let Some(value) = param.value_in(&arguments).map_err(HttpError::Param)? else {
                continue;
            };
            let fault = || HttpError::Header {
                name: param.header().to_owned(),
            };
            let name = HeaderName::try_from(param.header()).map_err(|_| fault())?;
            let value = HeaderValue::try_from(&*encode_value(&value)).map_err(|_| fault())?;
            headers.push((name, value));
        }
        Ok(headers)
    }

    /// Reads an answer to `tools/list`, and gives it back without the tools that break the rules.
    pub(super) fn learn<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let Ok(Message::Result { id, result, .. }) = rpc::parse(text) else {
            return Cow::Borrowed(text);
        };
        let Ok(mut result) = json::from_str::<Object>(result.get()) else {
            return Cow::Borrowed(text);
        };
        let Some(tools) = result.get_mut("tools").and_then(Value::as_array_mut) else {
            return Cow::Borrowed(text);
        };
        let before = tools.len();
        tools.retain(|tool| self.tool(tool));
        if tools.len() == before {
            return Cow::Borrowed(text);
        }
        let mut kept = Vec::with_capacity(text.len());
        match rpc::write_result(&mut kept, &id, &result) {
            Ok(()) => Cow::Owned(kept),
            Err(_) => Cow::Borrowed(text),
        }
    }

    /// Takes note of a tool; `false` where it breaks the rules.
    fn tool(&self, tool: &Value) -> bool {
        let name = tool.get("name").and_then(Value::as_str);
        let schema = tool.get("inputSchema").and_then(Value::as_object);
        // What else may be wrong with it is for others to say.
        let (Some(name), Some(schema)) = (name, schema) else {
            return true;
        };
        match header_params(schema) {
            Ok(params) => {
                self.note(name, params);
                true
            }
            Err(reason) => {
                let (tool, reason) = (PeerText(name), PeerDisplay(&reason));
                tracing::warn!(%tool, %reason, "left out of the list of tools");
                self.note(name, Vec::new());
                false
            }
        }
    }

    fn note(&self, tool: &str, params: Vec<HeaderParam>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.remove(tool);
        if !params.is_empty() && !known.add(tool, params.into()) {
            drop(known);
            let tool = PeerText(tool);
            tracing::warn!(%tool, "too many tools whose arguments are repeated in headers");
        }
    }
}
