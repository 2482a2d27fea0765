//! [`Search`]: the middleware.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use mcp_server::middleware::{Direction, Middleware, Next, Outcome, Request, Response};
use mcp_server::types::json::{self, Object, Value};
use mcp_server::types::{CallToolResult, Revision, TextContent};
use mcp_server::{Context, HandlerError};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::apps::{AppUse, ByModel};
use super::listing::{Indexes, Listing, Members};
use crate::error::short;

/// The number of tools up to which all are listed, unless a program sets another one.
const THRESHOLD: usize = 40;
/// The number of tools that a search returns, unless the program or the model sets another one.
const RESULTS: usize = 5;
/// The maximum number of tools that a search returns, and their maximum size in bytes.
const MAX_RESULTS: usize = 50;
const MAX_BYTES: usize = 64 << 10;
/// The longest description of what the tools are for, in bytes.
const ABOUT: usize = 2_000;
/// The longest query, in bytes.
const QUERY: usize = 2_000;

/// Lists two tools in place of many: one that searches for tools, and one that calls them.
///
/// [The module](super) has an example.
#[derive(Debug)]
pub struct Search {
    threshold: usize,
    results: usize,
    finder: String,
    caller: String,
    pinned: BTreeSet<String>,
    about: String,
    indexes: Arc<Indexes>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            threshold: THRESHOLD,
            results: RESULTS,
            finder: "search_tools".to_owned(),
            caller: "call_tool".to_owned(),
            pinned: BTreeSet::new(),
            about: String::new(),
            indexes: Arc::default(),
        }
    }
}

impl Search {
    /// Creates the middleware with its default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of tools up to which all tools are listed as usual, 40 by default.
    #[must_use]
    pub fn threshold(mut self, tools: usize) -> Self {
        self.threshold = tools;
        self
    }

    /// Sets how many tools a search returns if the model asks for no other number: 5 by default, at
    /// most 50.
    #[must_use]
    pub fn results(mut self, tools: usize) -> Self {
        self.results = tools.clamp(1, MAX_RESULTS);
        self
    }

    /// Keeps tools listed, by their names. Names of tools that a caller does not see have no effect.
    #[must_use]
    pub fn pin<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.pinned.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets what the tools are for, which models read in the description of the search: the servers
    /// behind a gateway and what each can do, for example. At most 2,000 bytes of it are shown.
    #[must_use]
    pub fn about(mut self, text: impl Into<String>) -> Self {
        self.about = text.into();
        let mut end = ABOUT.min(self.about.len());
        while !self.about.is_char_boundary(end) {
            end -= 1;
        }
        self.about.truncate(end);
        self
    }

    /// Sets the names of the two tools, `search_tools` and `call_tool` by default. Calls of these names
    /// never reach a tool of the server that has the same name, unless through `call_tool`.
    #[must_use]
    pub fn names(mut self, search: impl Into<String>, call: impl Into<String>) -> Self {
        (self.finder, self.caller) = (search.into(), call.into());
        self
    }
}

#[derive(Deserialize)]
struct Head {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    query: String,
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallArguments {
    name: String,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

impl CallArguments {
    /// Returns the name of the tool and its arguments, if there are any. Some models write the arguments
    /// as a text of JSON.
    fn read(self) -> Result<(String, Option<Box<RawValue>>), String> {
        let Some(arguments) = self.arguments else {
            return Ok((self.name, None));
        };
        let arguments = match serde_json::from_str::<String>(arguments.get()) {
            Ok(text) if text.trim().is_empty() => return Ok((self.name, None)),
            Ok(text) => {
                RawValue::from_string(text).map_err(|error| format!("`arguments`: {error}"))?
            }
            Err(_) => arguments,
        };
        if arguments.get().trim_start().starts_with('{') {
            Ok((self.name, Some(arguments)))
        } else {
            Err("`arguments` is not an object".to_owned())
        }
    }
}

impl Middleware for Search {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        if request.direction() == Direction::ToClient {
            return next.run(request).await;
        }
        match request.method() {
            "tools/list" => self.list(request, next).await,
            "tools/call" => match request.param::<String>("name")? {
                Some(name) if name == self.finder => self.search(&request, next).await,
                Some(name) if name == self.caller => self.call_inner(request, next).await,
                _ => next.run(request).await,
            },
            _ => next.run(request).await,
        }
    }
}

impl Search {
    async fn list(&self, request: Request, next: Next) -> Outcome {
        // Only a list that is passed on has cursors.
        if request
            .param::<Value>("cursor")?
            .is_some_and(|cursor| !cursor.is_null())
        {
            return next.run(request).await;
        }
        let (listing, _) = Listing::read(&request, next).await?;
        if listing.tools.len() <= self.threshold {
            return Ok(listing.first);
        }
        let mut tools = Vec::new();
        for tool in &listing.tools {
            let Ok(Head { name }) = serde_json::from_str(tool.get()) else {
                tracing::warn!("a tool without a name is left out");
                continue;
            };
            let is_reserved = name == self.finder || name == self.caller;
            if is_reserved {
                tracing::warn!(
                    tool = name,
                    "a tool has the name of one of the search: see `Search::names`"
                );
            }
            // The client repeats arguments of these in HTTP headers, which it can do only for calls of
            // the tools themselves.
            let is_mirrored = tool.get().contains("\"x-mcp-header\"");
            // Hosts show the app of a tool that the model calls, and apps call theirs.
            let has_app = AppUse::of(tool) != AppUse::None;
            if !is_reserved && (is_mirrored || has_app || self.pinned.contains(&name)) {
                tools.push(tool.clone());
            }
        }
        let cx = request.context();
        tools.push(to_raw_value(&self.search_tool(listing.tools.len(), cx))?);
        tools.push(to_raw_value(&self.call_tool())?);
        let mut members: Members = serde_json::from_str(listing.first.result()?.get())?;
        members.remove("nextCursor");
        members.extend(listing.caching);
        members.insert("tools".to_owned(), to_raw_value(&tools)?);
        Response::from_json(cx, &members)
    }

    fn search_tool(&self, count: usize, cx: &Context) -> serde_json::Value {
        let mut description = format!(
            "This server has {count} tools, most of which are not listed. Finds the tools for a task and \
             returns their descriptions and the schemas of their arguments. Call them with `{}`.",
            self.caller
        );
        if !self.about.is_empty() {
            description.push_str("\n\n");
            description.push_str(&self.about);
        }
        let mut tool = json!({
            "name": self.finder,
            "description": description,
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "Words that describe the task, such as `create calendar event`",
                    },
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_RESULTS,
                        "description": format!("How many tools to return, {} by default", self.results),
                    },
                },
                "required": ["query"],
                "additionalProperties": false,
            },
        });
        // Older revisions have no such member.
        if cx.revision() >= Revision::V2025_03_26 {
            tool["annotations"] = json!({ "readOnlyHint": true });
        }
        tool
    }

    fn call_tool(&self) -> serde_json::Value {
        json!({
            "name": self.caller,
            "description": format!("Calls a tool that `{}` has found.", self.finder),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "The name of the tool" },
                    "arguments": {
                        "type": "object",
                        "description": "The arguments of the tool, as its schema describes them",
                    },
                },
                "required": ["name"],
                "additionalProperties": false,
            },
        })
    }

    async fn search(&self, request: &Request, next: Next) -> Outcome {
        let cx = request.context();
        let arguments: SearchArguments = match arguments_of(request) {
            Ok(arguments) => arguments,
            Err(error) => {
                return failure(cx, &format!("arguments of `{}`: {error}", self.finder));
            }
        };
        if arguments.query.len() > QUERY {
            return failure(cx, &format!("`query`: expected at most {QUERY} bytes"));
        }
        let limit = arguments
            .limit
            .unwrap_or(self.results)
            .clamp(1, MAX_RESULTS);
        let (mut listing, _) = Listing::read(request, next).await?;
        listing
            .tools
            .retain(|tool| AppUse::of(tool) != AppUse::Only);
        let (indexes, tools, query) = (Arc::clone(&self.indexes), listing.tools, arguments.query);
        let searching = move || (indexes.of(&tools).search(&query), tools);
        let (ranked, tools) = tokio::task::spawn_blocking(searching).await?;
        let mut bytes = 0;
        let mut found: Vec<Value> = Vec::new();
        let mut names = HashSet::new();
        let best = ranked.iter().filter_map(|at| {
            let tool = tools.get(*at)?;
            let Head { name } = serde_json::from_str(tool.get()).ok()?;
            Some((name, tool))
        });
        for (name, tool) in best.take(limit) {
            let mut tool: Value = json::from_str(tool.get())?;
            // It is often the largest part, and a call does not need it.
            if let Some(members) = tool.as_object_mut() {
                members.remove("outputSchema");
            }
            bytes += json::to_string(&tool)?.len();
            if bytes > MAX_BYTES && !found.is_empty() {
                break;
            }
            if names.insert(name) {
                found.push(tool);
            }
        }
        let mut result = Object::from([
            ("tools", Value::Array(found)),
            ("matches", (ranked.len() as u64).into()),
        ]);
        if ranked.is_empty() {
            let hint = "No tool has any of these words. Try others.";
            result.insert("hint", hint);
        }
        let text = json::to_string(&result)?;
        let result =
            CallToolResult::new([TextContent::new(text).into()]).structured_content(result);
        Response::new(cx, result)
    }

    /// Calls the inner tool, unless it is one that only apps may call. The list of an earlier request
    /// does not decide: it may be that of another caller, or one without the tools of an upstream.
    async fn call_inner(&self, request: Request, next: Next) -> Outcome {
        let inner = match self.inner_call(request)? {
            Ok(inner) => inner,
            Err(response) => return Ok(response),
        };
        let name = inner.param::<String>("name")?.unwrap_or_default();
        let (listing, next) = Listing::read(&inner, next).await?;
        let mut tools = listing.tools.iter();
        let is_for_apps = |tool: &RawValue| {
            let head = serde_json::from_str::<Head>(tool.get());
            AppUse::of(tool) == AppUse::Only && head.is_ok_and(|head| head.name == name)
        };
        if tools.any(|tool| is_for_apps(tool)) {
            let text = format!("only apps call the tool `{}`", short(&name));
            return failure(inner.context(), &text);
        }
        next.run(inner.with_extension(ByModel)).await
    }

    /// Returns the call of the inner tool: everything but the name and the arguments stays as it is. Or
    /// the response that says what is wrong with the arguments.
    fn inner_call(&self, request: Request) -> Result<Result<Request, Response>, HandlerError> {
        let arguments = arguments_of(&request).map_err(|error| error.to_string());
        let arguments = arguments.and_then(CallArguments::read);
        let (name, inner) = match arguments {
            Ok(arguments) => arguments,
            Err(error) => {
                let text = format!(
                    "arguments of `{}`: {error}; expected `name`, and `arguments` of the tool as an object",
                    self.caller
                );
                return Ok(Err(failure(request.context(), &text)?));
            }
        };
        let mut params: Members = serde_json::from_str(request.params().get())?;
        params.insert("name".to_owned(), to_raw_value(&name)?);
        match inner {
            Some(inner) => params.insert("arguments".to_owned(), inner),
            None => params.remove("arguments"),
        };
        request.with_params(&params).map(Ok)
    }
}

/// Decodes the arguments of a call.
fn arguments_of<T: for<'de> Deserialize<'de>>(request: &Request) -> Result<T, serde_json::Error> {
    #[derive(Deserialize)]
    struct Params<T> {
        arguments: T,
    }
    let params = serde_json::from_str::<Params<T>>(request.params().get());
    params.map(|params| params.arguments)
}

/// Returns the failure of a tool, which the model reads.
fn failure(cx: &Context, text: &str) -> Outcome {
    let result = CallToolResult::new([TextContent::new(text).into()]);
    Response::new(cx, result.is_error(true))
}
