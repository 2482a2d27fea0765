//! [`ToolHeaders`]: remembers which arguments of tools are repeated in headers.
//!
//! From revision 2026-07-28, page "Streamable HTTP", section "Custom Headers from Tool Parameters".

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use http::{HeaderName, HeaderValue};
use mcp_types::Tool;
use mcp_types::error::Segment;
use mcp_types::headers::{HeaderParam, encode_value, header_params};
use mcp_types::json::{self, Object};
use mcp_types::peer_text::{PeerDisplay, PeerText};

use crate::protocol::error::HttpError;

/// The maximum number of remembered tools.
const TOOLS: usize = 4096;
/// The maximum size of their names and of the names of their arguments, in bytes.
const BYTES: usize = 4 << 20;

/// The header parameters of the listed tools.
#[derive(Default)]
pub(super) struct ToolHeaders {
    known: RwLock<Tools>,
}

/// A bounded table. A new tool replaces those that were listed first.
#[derive(Default)]
struct Tools {
    by_name: HashMap<Arc<str>, RememberedTool>,
    /// The tools in the order in which they were listed last.
    by_age: BTreeMap<u64, Arc<str>>,
    /// The age of the next tool.
    next: u64,
    bytes: usize,
}

struct RememberedTool {
    params: HeaderParamList,
    age: u64,
}

impl Tools {
    fn remove(&mut self, tool: &str) {
        if let Some(listed) = self.by_name.remove(tool) {
            self.by_age.remove(&listed.age);
            self.bytes -= size(tool, &listed.params);
        }
    }

    /// Adds a tool that is not in the table. Returns `false` if it is larger than the whole table
    /// may be.
    fn add(&mut self, tool: &str, params: HeaderParamList) -> bool {
        let bytes = size(tool, &params);
        if bytes > BYTES {
            return false;
        }
        while self.by_name.len() >= TOOLS || self.bytes > BYTES - bytes {
            let Some((_, first)) = self.by_age.pop_first() else {
                break;
            };
            tracing::debug!(tool = %PeerText(&first), "the header parameters of a tool are dropped: too many tools");
            self.remove(&first);
        }
        let tool: Arc<str> = tool.into();
        let age = self.next;
        self.next += 1;
        self.bytes += bytes;
        self.by_age.insert(age, Arc::clone(&tool));
        self.by_name.insert(tool, RememberedTool { params, age });
        true
    }
}

/// Returns the approximate memory of a tool.
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

/// The header parameters of a tool.
pub(super) type HeaderParamList = Arc<[HeaderParam]>;

impl ToolHeaders {
    pub(super) fn of(&self, tool: &str) -> Option<HeaderParamList> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let listed = known.by_name.get(tool)?;
        Some(Arc::clone(&listed.params))
    }

    /// Returns the headers for a call.
    pub(super) fn headers(
        &self,
        tool: &str,
        arguments: Option<&str>,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, HttpError> {
        let (Some(known), Some(arguments)) = (self.of(tool), arguments) else {
            return Ok(Vec::new());
        };
        let Ok(arguments) = json::from_str::<Object>(arguments) else {
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

    /// Remembers the header parameters of listed tools. Removes tools whose `x-mcp-header`
    /// annotations are invalid.
    pub(super) fn learn(&self, tools: &mut Vec<Tool>) {
        tools.retain_mut(|tool| {
            let schema = &mut tool.input_schema.extra;
            // Moved out for a moment, because `header_params` expects an object.
            let members = Object::from(std::mem::take(schema));
            let params = header_params(&members);
            *schema = members.into();
            let params = params.inspect_err(|reason| {
                let (tool, reason) = (PeerText(&tool.name), PeerDisplay(reason));
                tracing::warn!(%tool, %reason, "left out of the list of tools: invalid `x-mcp-header`");
            });
            let is_valid = params.is_ok();
            self.remember(&tool.name, params.unwrap_or_default());
            is_valid
        });
    }

    fn remember(&self, tool: &str, params: Vec<HeaderParam>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.remove(tool);
        if !params.is_empty() && !known.add(tool, params.into()) {
            drop(known);
            let tool = PeerText(tool);
            tracing::warn!(%tool, "the header parameters of a tool are too large to be remembered");
        }
    }
}
