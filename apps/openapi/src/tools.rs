//! [`OpenApiTools`]: makes tools of the operations.

use std::sync::Arc;

use http::Method;
use mcp_server::types::json::{self, Object, Value};
use mcp_server::types::peer_text::{PeerDisplay, PeerText};
use mcp_server::types::{CallToolResult, ToolAnnotations};
use mcp_server::{Context, Definition, Group, HandlerError, ToolDef};

use super::api::{ApiResponse, Authorize, OpenApi};
use super::base::{Base, without_query};
use super::client::{Sender, TooLong, hyper};
use super::document::Resolver;
use super::error::{Fault, FaultKind, OpenApiError};
use super::names::{beginning, shortened};
use super::operation::{Found, Operation, Operations, operations};
use super::output::Output;
use super::plan::{Plan, Planner, Secrets};
use super::schema::Detail;
use super::servers::{Servers, Target};

/// The longest title and the longest description of a tool, in characters.
const TITLE: usize = 120;
const DESCRIPTION: usize = 1024;

/// The tools of a document.
#[derive(Default)]
#[non_exhaustive]
pub struct OpenApiTools {
    /// A tool for each operation, in the order of the document.
    pub tools: Vec<ToolDef>,
    /// What is wrong with operations: those without a tool, and those whose schemas could not be kept
    /// as they are.
    pub faults: Vec<Fault>,
}

impl std::fmt::Debug for OpenApiTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenApiTools")
            .field("tools", &self.tools.len())
            .field("faults", &self.faults)
            .finish()
    }
}

impl OpenApiTools {
    /// Returns the tools as a group, which can have a prefix and guards, and which
    /// [`ServerBuilder::merge`](mcp_server::ServerBuilder::merge) adds to a server.
    pub fn into_group(self) -> Group {
        self.tools.into_iter().fold(Group::new(), Group::add_tool)
    }
}

impl OpenApi {
    /// Makes the tools.
    ///
    /// # Errors
    ///
    /// If the URL of the API is missing or invalid, or the HTTP client cannot be configured. Faults of
    /// single operations are part of the result.
    pub fn tools(self) -> Result<OpenApiTools, OpenApiError> {
        let servers = Servers::read(&self)?;
        let sender = match &self.sender {
            Some(sender) => Arc::clone(sender),
            None => hyper(servers.has_tls(), self.response_bytes)?,
        };
        let resolver = Resolver::new(&self.document);
        let shared = Arc::new(Shared {
            authorize: self.authorize.clone(),
            sender,
            response_bytes: self.response_bytes,
            time: self.time,
            secrets: Secrets::read(&resolver),
        });
        let Operations { found, faults } = operations(&resolver)?;
        let mut made = OpenApiTools::default();
        for (operation, reason) in faults {
            made.fault(&operation, FaultKind::Skipped, reason);
        }
        // Many operations can share schemas, so their tools can be far larger than the document.
        let mut bytes = 0;
        for found in found.into_iter().filter(|it| self.is_wanted(&it.operation)) {
            let title = found.operation.title();
            let limit = self.schema_bytes.saturating_mul(4);
            if bytes > limit {
                let reason = format!("the tools before it have schemas of more than {limit} bytes");
                made.fault(&title, FaultKind::Skipped, reason);
                continue;
            }
            let is_short = bytes > self.schema_bytes;
            let mut target = match servers.target(&self, &found) {
                Ok(target) => target,
                Err(reason) => {
                    made.fault(&title, FaultKind::Skipped, reason);
                    continue;
                }
            };
            let note = target.note.take();
            let with_schema = self.with_output_schemas;
            match tool(&resolver, found, target, &shared, with_schema, is_short) {
                Ok((tool, notes, size)) => {
                    bytes += size;
                    made.tools.push(tool);
                    for note in note.into_iter().chain(notes) {
                        made.fault(&title, FaultKind::Loosened, note);
                    }
                }
                Err(reason) => made.fault(&title, FaultKind::Skipped, reason),
            }
        }
        Ok(made)
    }
}

impl OpenApiTools {
    fn fault(&mut self, operation: &str, kind: FaultKind, reason: String) {
        self.faults.push(Fault {
            operation: operation.to_owned(),
            kind,
            reason,
        });
    }
}

/// What the tools of a document share.
struct Shared {
    authorize: Option<Authorize>,
    sender: Sender,
    response_bytes: usize,
    time: std::time::Duration,
    secrets: Secrets,
}

/// A tool.
struct Call {
    shared: Arc<Shared>,
    operation: Operation,
    base: Base,
    /// Set if requests are authorized.
    is_trusted: bool,
    plan: Plan,
    output: Output,
}

/// Makes the tool of an operation. Also returns what could not be kept, and the size of its schemas.
fn tool<'a>(
    resolver: &Resolver<'a>,
    found: Found<'a>,
    target: Target,
    shared: &Arc<Shared>,
    with_output_schema: bool,
    is_short: bool,
) -> Result<(ToolDef, Vec<String>, usize), String> {
    let details = if is_short {
        &[Detail::Least][..]
    } else {
        &Detail::ALL
    };
    // The response to `HEAD` has no body, whatever the document says.
    let with_output_schema = with_output_schema && found.operation.method != Method::HEAD;
    let (output, mut notes) = Output::read(resolver, found.value, with_output_schema, details);
    if is_short {
        notes.push("the schemas of all tools are large: its own are shortened".to_owned());
    }
    let mut planned = None;
    let mut reason = String::new();
    for &detail in details {
        let (plan, input, left_out) =
            Planner::new(resolver, detail).plan(&found, &shared.secrets)?;
        let mut checked = ToolDef::new(&*found.operation.name)
            .input_schema(Value::Object(input.clone()))
            .object_handler(async |_: Object| ());
        match checked.check() {
            Ok(()) => {
                notes.extend(left_out);
                planned = Some((plan, input));
                break;
            }
            Err(error) => {
                reason = error.to_string();
                notes.push(format!("the arguments: {reason}"));
            }
        }
    }
    let (plan, input) = planned.ok_or(reason)?;
    let schemas = [Some(&input), output.schema.as_ref()].into_iter().flatten();
    let size = schemas.map(|it| json::to_string(it).map_or(0, |text| text.len()));
    let size = size.sum::<usize>() + plan.size();
    let mut tool = ToolDef::new(&*found.operation.name).input_schema(Value::Object(input));
    if let Some(schema) = &output.schema {
        tool = tool.output_schema(Value::Object(schema.clone()));
    }
    let text = |member: &str| {
        let text = found.value.get(member).and_then(Value::as_str);
        beginning(text.unwrap_or_default(), DESCRIPTION)
    };
    let (summary, description) = (text("summary").trim(), text("description").trim());
    if !summary.is_empty() {
        tool = tool.title(shortened(summary, TITLE));
    }
    let mut whole = match (summary, description) {
        ("", "") => found.operation.title(),
        ("", text) | (text, "") => text.to_owned(),
        (summary, description) if description.starts_with(summary) => description.to_owned(),
        (summary, description) => format!("{summary}\n\n{description}"),
    };
    if found.operation.deprecated {
        whole.insert_str(0, "Deprecated. ");
    }
    tool = tool.description(shortened(&whole, DESCRIPTION));
    if let Some(annotations) = annotations(&found.operation.method) {
        tool = tool.annotations(annotations);
    }
    let call = Arc::new(Call {
        shared: Arc::clone(shared),
        operation: found.operation,
        base: target.base,
        is_trusted: target.is_trusted,
        plan,
        output,
    });
    let tool = tool.object_handler(move |arguments: Object, cx: Context| {
        let call = Arc::clone(&call);
        async move { call.run(arguments, cx).await }
    });
    Ok((tool, notes, size))
}

fn annotations(method: &Method) -> Option<ToolAnnotations> {
    let hints: &[&str] = match method.as_str() {
        "GET" | "HEAD" | "OPTIONS" => &["readOnlyHint"],
        "DELETE" => &["destructiveHint", "idempotentHint"],
        "PUT" => &["idempotentHint"],
        _ => return None,
    };
    // By their names, so that older clients get them although the newest types may lack one.
    let hints = hints.iter().map(|name| (name, Value::from(true)));
    json::from_object(hints.collect()).ok()
}

impl Call {
    async fn run(&self, arguments: Object, cx: Context) -> Result<CallToolResult, HandlerError> {
        let shared = &self.shared;
        let Operation { method, path, .. } = &self.operation;
        let accept = &self.output.accept;
        let request = self
            .plan
            .request(method, &self.base, accept, &shared.secrets, arguments);
        let mut request = request.map_err(HandlerError::tool)?;
        let cookies = request.headers().get(http::header::COOKIE).cloned();
        request.extensions_mut().insert(self.operation.clone());
        // The authorization may add secrets to the URL, which no result shows.
        let url = without_query(&request.uri().to_string()).to_owned();
        let authorize = shared.authorize.as_ref().filter(|_| self.is_trusted);
        if let Some(authorize) = authorize {
            request = authorize(request, cx).await?;
        }
        if !self.base.is_origin_of(request.uri()) {
            return Err(HandlerError::internal(format!(
                "the authorization of `{}` changed the host of the request",
                PeerText(path)
            )));
        }
        // The program sets its own cookie beside those of the arguments.
        if let Some(cookies) = cookies {
            join_cookies(&mut request, &cookies);
        }
        let target = request.uri().path_and_query().map(ToString::to_string);
        let sent = tokio::time::timeout(shared.time, (shared.sender)(request)).await;
        let response: ApiResponse = match sent {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(HandlerError::tool(self.unanswered(&*error, target))),
            Err(_) => {
                let time = shared.time;
                return Err(HandlerError::tool(format!(
                    "the API did not answer within {time:?}"
                )));
            }
        };
        if response.body().len() > shared.response_bytes {
            return Err(HandlerError::tool(self.too_long()));
        }
        Ok(self.output.result(response, &url))
    }

    fn too_long(&self) -> String {
        let limit = self.shared.response_bytes;
        format!("the response of the API has more than {limit} bytes")
    }

    /// Returns why there is no response, with the causes of the error. Clients of programs may write the
    /// URL into their errors: the target of the request is left out.
    fn unanswered(
        &self,
        error: &(dyn std::error::Error + 'static),
        target: Option<String>,
    ) -> String {
        let target = target.filter(|target| target.len() > 1);
        let mut causes = Vec::new();
        let mut next = Some(error);
        while let Some(error) = next.filter(|_| causes.len() < 8) {
            if error.is::<http_body_util::LengthLimitError>() || error.is::<TooLong>() {
                return self.too_long();
            }
            let cause = error.to_string();
            causes.push(match &target {
                Some(target) => cause.replace(&**target, "…"),
                None => cause,
            });
            next = error.source();
        }
        format!(
            "the API cannot be reached: {}",
            PeerDisplay(causes.join(": "))
        )
    }
}

/// Adds the cookies of the arguments to those that the program set instead.
fn join_cookies(request: &mut super::api::ApiRequest, cookies: &http::HeaderValue) {
    let Some(own) = request.headers().get(http::header::COOKIE) else {
        return;
    };
    if own == cookies {
        return;
    }
    let joined = [own.as_bytes(), b"; ", cookies.as_bytes()].concat();
    if let Ok(joined) = http::HeaderValue::from_bytes(&joined) {
        request.headers_mut().insert(http::header::COOKIE, joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schemas_of_all_tools_are_bounded() {
        let mut paths = Object::new();
        for number in 0..50 {
            let operation =
                r##"{ "post": { "requestBody": { "$ref": "#/components/requestBodies/a" } } }"##;
            paths.push(&format!("/{number}"), json::from_str(operation).unwrap());
        }
        let paths = json::to_string(&paths).unwrap();
        let body = format!(
            r#"{{ "content": {{ "application/json": {{ "schema": {{
                "type": "object", "properties": {{ "a": {{ "pattern": "{}" }} }}
            }} }} }} }}"#,
            "x".repeat(900)
        );
        let components = format!(r#"{{ "requestBodies": {{ "a": {body} }} }}"#);
        let document =
            format!(r#"{{ "openapi": "3.1.0", "paths": {paths}, "components": {components} }}"#);
        let mut api = OpenApi::parse(&document)
            .unwrap()
            .base_url("http://localhost");
        api.schema_bytes = 1200;
        let made = api.tools().unwrap();
        // Two with the pattern, and others of some 80 bytes, and as much for their plans, up to 4,800.
        assert!((12..30).contains(&made.tools.len()), "{made:?}");
        assert_eq!(made.faults.len(), 48, "{made:?}");
        assert_eq!(made.faults[0].kind, FaultKind::Loosened);
        assert_eq!(made.faults[47].kind, FaultKind::Skipped);
    }
}
