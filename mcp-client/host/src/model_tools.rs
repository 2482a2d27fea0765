//! [`ModelTools`]: tools of servers for a language model, calls of the model, and their results.

mod call;
mod error;
mod format;
mod inline;
mod names;
mod result;

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use mcp_client::{Call, CallError, Client};
use mcp_types::error::DecodeError;
use mcp_types::json::{self, Value};
use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::{CallToolRequest, Tool};
use serde::Serialize;

use self::inline::inlined;
use self::names::{server_part, tool_names};

pub use call::ModelCall;
pub use error::ModelToolsError;
pub use format::ModelFormat;
pub use result::ModelResult;

/// The default of [`ModelTools::max_text`].
const TEXT_BYTES: usize = 128 << 10;

/// The tools of several servers for a language model: their definitions, the way from a call of the
/// model to its server, and the results in the form of the model's interface.
///
/// ```
/// use mcp_client::types::json::Value;
/// use mcp_client::Client;
/// use mcp_host::{ModelFormat, ModelTools};
///
/// # async fn run(files: Client, web: Client) -> Result<(), Box<dyn std::error::Error>> {
/// # fn ask_the_model(_: &[&Value], _: &[Value]) -> Value { Value::Null }
/// let mut tools = ModelTools::new(ModelFormat::Anthropic);
/// tools.add("files", &files).await?;
/// tools.add("web", &web).await?;
///
/// let mut conversation: Vec<Value> = Vec::new();
/// let response = ask_the_model(&tools.definitions(), &conversation);
/// let calls = tools.calls(&response)?; // `files__read`, for example
/// conversation.extend(tools.answer(&calls).await);
/// # Ok(())
/// # }
/// ```
///
/// The interfaces accept less than the protocol permits:
///
/// - Names consist of at most 64 of the characters `A-Za-z0-9_-`: the name of the server, `__`, and
///   the name of the tool. What does not fit is rewritten and gets a number that depends on nothing
///   but the names, so a tool keeps its name when lists change and programs are restarted. No server
///   can give a tool the name of a tool of another server.
/// - Schemas must not contain references, so definitions are inlined. A type that contains itself
///   becomes a schema that accepts anything at the place where it repeats. So does what is nested
///   in more than 64 levels, or what makes a schema more than 256 KiB larger.
/// - The root of a schema must not be a choice. The properties of all branches are offered instead,
///   and only what all branches require is required.
/// - An array says what its items are, if only that they are anything. A list of schemas in `items`,
///   as older drafts have it, becomes `prefixItems`. A `type` that JSON Schema does not know is left
///   out.
/// - Anthropic's properties have names of at most 64 of the characters `A-Za-z0-9_.-`. Others are
///   left out. A tool that requires one of them is not offered, which the log says.
/// - The description is shortened to what the interface accepts.
///
/// Where a definition is more permissive than the schema of the tool, the server rejects arguments
/// that do not fit, with an error that the model can read. The number of tools is not
/// limited here: OpenAI accepts at most 128.
#[derive(Clone, Debug)]
pub struct ModelTools {
    format: ModelFormat,
    max_text: usize,
    servers: Vec<ServerTools>,
}

/// The tools of a server.
#[derive(Clone, Debug)]
struct ServerTools {
    server: String,
    /// The first part of the names.
    part: String,
    client: Client,
    definitions: Vec<Value>,
    /// The names of the tools, by the names for the model.
    names: HashMap<String, String>,
}

impl ModelTools {
    /// Creates a list without tools.
    #[must_use]
    pub fn new(format: ModelFormat) -> Self {
        Self {
            format,
            max_text: TEXT_BYTES,
            servers: Vec::new(),
        }
    }

    /// Sets the maximum size of the texts of a result: 128 KiB by default. A longer text is cut, and a
    /// note for the model at its end has the number of bytes that were left out.
    #[must_use]
    pub fn max_text(mut self, bytes: usize) -> Self {
        self.max_text = bytes;
        self
    }

    /// Lists the tools of a server, and adds them. The tools that a server of the same name had are
    /// replaced, so call this again when the list has changed, or before each request to the model:
    /// with a [`Cache`](mcp_client::Cache), this sends no request while the list is fresh.
    ///
    /// # Errors
    ///
    /// The list cannot be requested. The tools that were added before are kept.
    pub async fn add(&mut self, server: &str, client: &Client) -> Result<(), CallError> {
        let listed = client.tools().all().await?;
        for fault in &listed.faults {
            let fault = PeerDisplay(fault);
            tracing::warn!(server, %fault, "a tool is not offered to the model");
        }
        self.add_tools(server, client, &listed.items);
        Ok(())
    }

    /// Adds these tools of a server, for programs that do not offer all of them: a host of apps offers
    /// `AppsHost::model_tools`. They replace those that were added before under the same name of a
    /// server. Of tools with the same name, the first is added.
    pub fn add_tools<'a>(
        &mut self,
        server: &str,
        client: &Client,
        tools: impl IntoIterator<Item = &'a Tool>,
    ) {
        let tools: Vec<&Tool> = tools.into_iter().collect();
        let known = self.servers.iter().position(|it| it.server == server);
        let part = match known {
            Some(at) => self.servers[at].part.clone(),
            None => self.unused_part(server),
        };
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        let mut added = ServerTools {
            server: server.to_owned(),
            client: client.clone(),
            definitions: Vec::with_capacity(tools.len()),
            names: HashMap::with_capacity(tools.len()),
            part,
        };
        for (tool, name) in tools.iter().zip(tool_names(&added.part, &names)) {
            let Some(name) = name else {
                let tool = PeerText(&tool.name);
                tracing::warn!(server, %tool, "a tool is listed twice");
                continue;
            };
            let schema = json::to_value(&tool.input_schema).unwrap_or_default();
            let mut schema = inlined(&schema);
            if let Err(property) = self.format.fit(&mut schema) {
                let (tool, property) = (PeerText(&tool.name), PeerText(&property));
                tracing::warn!(server, %tool, %property, "a tool with this property is not offered");
                continue;
            }
            let description = tool.description.as_deref();
            let definition = self.format.definition(&name, description, schema);
            added.definitions.push(definition);
            added.names.insert(name, tool.name.clone());
        }
        match known {
            Some(at) => self.servers[at] = added,
            None => self.servers.push(added),
        }
    }

    /// Returns the first part of the names of a server, which no other server has.
    fn unused_part(&self, server: &str) -> String {
        let mut attempt = 0;
        loop {
            let part = server_part(server, attempt);
            if self.servers.iter().all(|other| other.part != part) {
                return part;
            }
            attempt += 1;
        }
    }

    /// Removes the tools of a server.
    pub fn remove(&mut self, server: &str) {
        self.servers.retain(|it| it.server != server);
    }

    /// Returns the definitions, for `tools` of the request to the model: by server, in the order of
    /// its list.
    #[must_use]
    pub fn definitions(&self) -> Vec<&Value> {
        let all = self.servers.iter().flat_map(|server| &server.definitions);
        all.collect()
    }

    /// Returns the server and the tool that a model means by a name; `None` if it was not offered
    /// this name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<(&str, &str)> {
        let (server, tool) = self.find(name)?;
        Some((&server.server, tool))
    }

    fn find(&self, name: &str) -> Option<(&ServerTools, &str)> {
        let mut servers = self.servers.iter();
        servers.find_map(|server| Some((server, &**server.names.get(name)?)))
    }

    /// Returns the calls in a response of the model: the body of the response, or for Chat Completions
    /// also its message. Calls of other kinds than those of functions are skipped.
    ///
    /// # Errors
    ///
    /// [`ModelToolsError::Response`]: it is not a response of this interface.
    pub fn calls(
        &self,
        response: &(impl Serialize + ?Sized),
    ) -> Result<Vec<ModelCall>, ModelToolsError> {
        let response = json::to_value(response).map_err(|_: DecodeError| {
            let (path, expected) = ("", "JSON");
            ModelToolsError::Response { path, expected }
        })?;
        self.format.calls(&response)
    }

    /// Returns the request to the server of the tool. The program can add a timeout or a handler for
    /// progress before it awaits it, and hands the outcome to [`ModelCall::result`].
    ///
    /// # Errors
    ///
    /// For [`ModelCall::failed`], so that the model can correct itself:
    ///
    /// * [`ModelToolsError::UnknownTool`]: the model invented a name.
    /// * [`ModelToolsError::Arguments`]: the arguments are not an object.
    pub fn request(&self, call: &ModelCall) -> Result<Call<CallToolRequest>, ModelToolsError> {
        let found = self.find(&call.name);
        let (server, tool) = found.ok_or_else(|| ModelToolsError::UnknownTool {
            name: call.name.clone(),
        })?;
        Ok(server.client.call_tool(tool).arguments(call.object()?))
    }

    /// Makes all calls at the same time, and returns the messages with their results for the model.
    /// A call that fails has a result, too. Dropping the future cancels the calls.
    pub async fn answer(&self, calls: &[ModelCall]) -> Vec<Value> {
        let run = |call: ModelCall, request: Call<_>| async move { call.result(request.await) };
        self.answer_with(calls, run).await
    }

    /// Does the same as [`answer`](Self::answer), with a function that makes a call: it can ask the
    /// user before, show progress, and set a timeout.
    ///
    /// ```
    /// # use mcp_client::types::json::Value;
    /// # use mcp_host::{ModelCall, ModelTools};
    /// # async fn may_call(_: &ModelCall) -> bool { true }
    /// # async fn run(tools: ModelTools, calls: Vec<ModelCall>) -> Vec<Value> {
    /// let answers = tools.answer_with(&calls, |call, request| async move {
    ///     if !may_call(&call).await {
    ///         return call.failed("the user did not allow this call");
    ///     }
    ///     call.result(request.on_progress(|report| println!("{report:?}")).await)
    /// });
    /// # answers.await
    /// # }
    /// ```
    pub async fn answer_with<F: Future<Output = ModelResult>>(
        &self,
        calls: &[ModelCall],
        run: impl Fn(ModelCall, Call<CallToolRequest>) -> F,
    ) -> Vec<Value> {
        let results = calls.iter().map(|call| {
            let running = self.request(call).map(|request| run(call.clone(), request));
            async move {
                match running {
                    Ok(running) => running.await,
                    Err(error) => call.failed(error),
                }
            }
        });
        self.messages(&all(results).await)
    }

    /// Returns the messages that tell the model these results. All calls of a response need a result,
    /// in one call of this.
    #[must_use]
    pub fn messages(&self, results: &[ModelResult]) -> Vec<Value> {
        self.format.messages(results, self.max_text)
    }
}

/// Waits for all futures, in this task.
async fn all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<Pin<Box<F>>> = futures.map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    poll_fn(|cx| {
        for (future, output) in running.iter_mut().zip(&mut done) {
            if output.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(cx)
            {
                *output = Some(value);
            }
        }
        if done.iter().all(Option::is_some) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    done.into_iter().flatten().collect()
}
