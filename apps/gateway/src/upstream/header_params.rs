//! [`HeaderParams`]: the arguments of tools that clients repeat in headers of HTTP requests.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use mcp_server::types::HEADER_MISMATCH;
use mcp_server::types::headers::{ANNOTATION, HeaderParam, header_params};
use mcp_server::types::json::{self, Map, Object};
use mcp_server::{Context, HandlerError};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The maximum size of the remembered schemas, in bytes. When it is reached, all are forgotten.
const BYTES: usize = 4 << 20;

/// The arguments of the listed tools that clients repeat in headers. A tool that was never listed
/// has none here: its headers are not compared.
#[derive(Default)]
pub(crate) struct HeaderParams(RwLock<KnownTools>);

#[derive(Default)]
struct KnownTools {
    /// By the names that the upstream uses.
    by_tool: HashMap<String, Tool>,
    bytes: usize,
}

struct Tool {
    params: Vec<HeaderParam>,
    /// The size of its name and schema.
    bytes: usize,
}

impl KnownTools {
    fn remove(&mut self, name: &str) {
        if let Some(tool) = self.by_tool.remove(name) {
            self.bytes -= tool.bytes;
        }
    }

    fn add(&mut self, name: String, tool: Tool) {
        self.remove(&name);
        if self.bytes + tool.bytes > BYTES {
            *self = Self::default();
        }
        self.bytes += tool.bytes;
        self.by_tool.insert(name, tool);
    }
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<Listed<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'a> {
    name: String,
    #[serde(borrow)]
    input_schema: &'a RawValue,
}

impl HeaderParams {
    /// Remembers the tools of a page of an upstream's list.
    pub(crate) fn remember(&self, page: &RawValue) {
        let is_empty = || {
            let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
            known.by_tool.is_empty()
        };
        // Few servers have such tools, and their lists are long.
        if !page.get().contains(ANNOTATION) && is_empty() {
            return;
        }
        let Ok(page) = serde_json::from_str::<Page<'_>>(page.get()) else {
            return;
        };
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for tool in page.tools {
            let schema: Option<Object> = json::from_str(tool.input_schema.get()).ok();
            // A tool with invalid parameters is none that clients call.
            let params = schema.and_then(|schema| header_params(&schema).ok());
            let bytes = tool.name.len() + tool.input_schema.get().len();
            match params {
                Some(params) if !params.is_empty() => known.add(tool.name, Tool { params, bytes }),
                _ => known.remove(&tool.name),
            }
        }
    }

    /// Compares the arguments of a call with the headers of its HTTP request, if it arrived over
    /// HTTP and its revision repeats arguments there.
    pub(crate) fn check(
        &self,
        tool: &str,
        params: &Map<Box<RawValue>>,
        cx: &Context,
    ) -> Result<(), HandlerError> {
        let Some(parts) = cx.extension::<http::request::Parts>() else {
            return Ok(());
        };
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(tool) = known.by_tool.get(tool) else {
            return Ok(());
        };
        if cx.session().is_some() {
            return Ok(());
        }
        let arguments = params.get("arguments");
        let arguments = arguments.map(|text| json::from_str::<Object>(text.get()));
        // Of a member that occurs twice, the upstream may use another one than what is compared here.
        let arguments = arguments
            .transpose()
            .map_err(|error| HandlerError::invalid_params(format!("$.arguments: {error}")))?;
        for param in &tool.params {
            let values = parts.headers.get_all(param.header()).into_iter();
            let values = values.map(http::HeaderValue::as_bytes);
            param
                .matches(values, arguments.as_ref())
                .map_err(|error| HandlerError::protocol(HEADER_MISMATCH, error.to_string()))?;
        }
        Ok(())
    }
}
