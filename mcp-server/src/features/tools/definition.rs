//! [`ToolDef`]: the definition of a tool.

use std::sync::Arc;

#[cfg(feature = "json-schema")]
use mcp_guard::schema_validator::{Invalid, Validator};
use mcp_types::error::DecodeError;
use mcp_types::headers::HeaderParam;
use mcp_types::json::Object;
#[cfg(feature = "json-schema")]
use mcp_types::json::Value;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::{CallToolResult, ListToolsResult, Tool, ToolAnnotations, ToolInputSchema, json};

use crate::features::access::{Access, access_getters, access_setters, listing_setters};
use crate::features::arguments::{Arguments, derived_schema};
use crate::features::catalog::{Definition, list_item};
use crate::features::definition_error::{DefinitionError, check_icons, check_name};
use crate::features::schema;
use crate::features::tools::extra_arguments::ExtraArguments;
use crate::features::tools::result::IntoToolResult;
use crate::protocol::changes::Change;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::{Handler, HandlerFuture, boxed};
use crate::protocol::metrics::operations::OperationCounter;
#[cfg(any(feature = "apps", feature = "tasks"))]
use crate::util::type_map::TypeMap;

/// A running handler of a tool.
pub(crate) type ToolFuture = HandlerFuture<CallToolResult>;

type ToolHandler = Box<dyn Fn(Object, Context) -> Result<ToolFuture, DecodeError> + Send + Sync>;

/// The definition of a tool with all its properties.
///
/// ```
/// use mcp_server::types::{Icon, ToolAnnotations};
/// use mcp_server::{Server, ToolDef};
///
/// let clock = ToolDef::new("clock")
///     .title("Clock")
///     .description("Tells the time")
///     .annotations(ToolAnnotations::new().read_only_hint(true))
///     .icon(Icon::new("https://example.com/clock.png"))
///     .handler(async || "noon");
/// let server = Server::builder("demo", "1.0.0").add_tool(clock).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[must_use = "a definition does nothing until it is added"]
pub struct ToolDef {
    pub(crate) tool: Tool,
    input: Option<Object>,
    output: Option<Object>,
    handler: Option<ToolHandler>,
    access: Access,
    pub(crate) error: Option<DefinitionError>,
    pub(crate) header_params: Vec<HeaderParam>,
    /// Counts the calls.
    pub(crate) counter: Arc<OperationCounter>,
    /// Whether the arguments of an enum are listed as one object.
    one_object: bool,
    extra_arguments: ExtraArguments,
    /// `true` if the handler takes no arguments.
    takes_nothing: bool,
    #[cfg(feature = "json-schema")]
    validators: Validators,
    /// Changes each result before it is checked.
    #[cfg(feature = "apps")]
    pub(crate) change_result: Option<fn(&mut CallToolResult)>,
    /// What extensions store in the definition.
    #[cfg(any(feature = "apps", feature = "tasks"))]
    pub(crate) extensions: TypeMap,
}

#[cfg(feature = "json-schema")]
#[derive(Default)]
struct Validators {
    input: Option<Validator>,
    output: Option<Validator>,
}

impl ToolDef {
    /// Creates the definition of a tool with this name. It needs a [handler](Self::handler).
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            tool: Tool::new(name, ToolInputSchema::new()),
            input: None,
            output: None,
            handler: None,
            access: Access::default(),
            error: None,
            header_params: Vec::new(),
            counter: Arc::default(),
            one_object: false,
            extra_arguments: ExtraArguments::default(),
            takes_nothing: false,
            #[cfg(feature = "json-schema")]
            validators: Validators::default(),
            #[cfg(feature = "apps")]
            change_result: None,
            #[cfg(any(feature = "apps", feature = "tasks"))]
            extensions: TypeMap::default(),
        }
    }

    listing_setters!(tool);

    /// Sets the description of what the tool does, for the model.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.tool.description = Some(description.into());
        self
    }

    /// Sets hints on how the tool behaves.
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.tool.annotations = Some(annotations);
        self
    }

    /// Sets the schema of the arguments, instead of the one that is derived from the handler. Its
    /// type must be `object`, and it must not refer to other documents. The dialect is JSON Schema
    /// 2020-12 unless `$schema` names another one.
    #[cfg(feature = "json-schema")]
    pub fn input_schema(mut self, schema: impl Into<Value>) -> Self {
        match schema.into() {
            Value::Object(schema) => self.input = Some(schema),
            _ => self.error = Some("the schema of arguments must be an object".into()),
        }
        self
    }

    /// Sets the schema of the structured content, instead of the one that is derived from the
    /// handler. Results are validated against it; an invalid one is answered with -32603.
    #[cfg(feature = "json-schema")]
    pub fn output_schema(mut self, schema: impl Into<Value>) -> Self {
        match schema.into() {
            Value::Object(schema) => self.output = Some(schema),
            _ => self.error = Some("the schema of the output must be an object".into()),
        }
        self
    }

    /// Lists the arguments of an enum as one object: with the members of all its variants, of which
    /// those are required that all variants require.
    ///
    /// The schema of an enum has `oneOf` at its root, which some clients
    /// [refuse](crate::guide::offers#what-clients-accept). The type still checks which members
    /// belong to a variant. The enum should have a tag, and each variant named fields.
    ///
    /// ```
    /// use mcp_server::{Server, ToolDef};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// #[serde(tag = "action", rename_all = "lowercase")]
    /// enum Note {
    ///     /// Adds a note.
    ///     Add { text: String },
    ///     /// Deletes a note.
    ///     Delete { id: u64 },
    /// }
    ///
    /// let tool = ToolDef::new("notes").one_object().handler(async |note: Note| match note {
    ///     Note::Add { text } => format!("added {text}"),
    ///     Note::Delete { id } => format!("deleted {id}"),
    /// });
    /// let server = Server::builder("notes", "1.0.0").add_tool(tool).build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    pub fn one_object(mut self) -> Self {
        self.one_object = true;
        self
    }

    /// Sets whether arguments that the tool does not have are ignored (`true`) or rejected, instead
    /// of [the server's setting](crate::ServerBuilder::ignore_extra_arguments), which describes
    /// both.
    pub fn ignore_extra_arguments(mut self, ignore: bool) -> Self {
        self.extra_arguments.of_tool = Some(ignore);
        self
    }

    access_setters!();

    /// Sets the [handler](Handler) that runs when the tool is called. The schema of the arguments
    /// is derived from their type.
    pub fn handler<A, M, H>(mut self, handler: H) -> Self
    where
        A: Arguments,
        H: Handler<A, M>,
        H::Output: IntoToolResult + 'static,
    {
        let derived = match derived_schema::<A>() {
            Ok(derived) => derived,
            Err(error) => {
                self.error = Some(error);
                return self;
            }
        };
        let nothing = derived.is_none();
        self.takes_nothing = nothing;
        self.input
            .get_or_insert_with(|| derived.unwrap_or_else(schema::nothing));
        self.access.require(&handler);
        let handler = boxed(handler, H::Output::into_tool_result);
        self.handler = Some(Box::new(move |arguments, cx| {
            let arguments = if nothing {
                A::from_nothing()?
            } else {
                A::from_object(arguments)?
            };
            Ok(handler(arguments, cx))
        }));
        self.output::<H::Output>()
    }

    /// Sets a handler whose arguments are an [`Object`]: they are validated with the
    /// [schema](Self::input_schema), which must be given, and not decoded.
    ///
    /// ```
    /// use mcp_server::types::json::{Object, Value};
    /// use mcp_server::{Server, ToolDef};
    ///
    /// let schema: Value = serde_json::json!({
    ///     "type": "object",
    ///     "properties": { "city": { "type": "string" } },
    ///     "required": ["city"],
    /// })
    /// .into();
    /// let tool = ToolDef::new("mayor")
    ///     .input_schema(schema)
    ///     .object_handler(|args: Object| async move {
    ///         let city = args.get("city").and_then(Value::as_str).unwrap_or_default();
    ///         format!("The mayor of {city} is out.")
    ///     });
    /// let server = Server::builder("demo", "1.0.0").add_tool(tool).build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    #[cfg(feature = "json-schema")]
    pub fn object_handler<M, H>(mut self, handler: H) -> Self
    where
        H: Handler<Object, M>,
        H::Output: IntoToolResult + 'static,
    {
        self.takes_nothing = false;
        self.access.require(&handler);
        let handler = boxed(handler, H::Output::into_tool_result);
        self.handler = Some(Box::new(move |arguments, cx| Ok(handler(arguments, cx))));
        self.output::<H::Output>()
    }

    fn output<T: IntoToolResult>(mut self) -> Self {
        if self.output.is_none() {
            match T::output_schema() {
                Some(Ok(schema)) => self.output = Some(schema),
                Some(Err(error)) => self.error = Some(error),
                None => {}
            }
        }
        self
    }

    /// Validates the arguments and starts the handler. JSON Schema counts `30.0` as an integer, so
    /// the handler gets it as one.
    pub(crate) fn start(
        &self,
        mut arguments: Object,
        cx: &Context,
    ) -> Result<ToolFuture, ArgumentsError> {
        arguments.normalize_integers();
        #[cfg(feature = "json-schema")]
        if let Some(validator) = &self.validators.input {
            validator.check(&arguments)?;
        }
        self.extra_arguments.check(&arguments, &self.tool)?;
        let Some(handler) = &self.handler else {
            return Err(DecodeError::data("the tool has no handler").into());
        };
        Ok(handler(arguments, self.access.scoped(cx))?)
    }

    /// Checks that the result fits the tool's output schema.
    pub(crate) fn check_result(
        &self,
        #[cfg_attr(
            not(feature = "apps"),
            expect(unused_mut, reason = "only apps change it")
        )]
        mut result: CallToolResult,
    ) -> Result<CallToolResult, HandlerError> {
        #[cfg(feature = "apps")]
        if let Some(change) = self.change_result {
            change(&mut result);
        }
        if self.output.is_none() || result.is_error == Some(true) {
            return Ok(result);
        }
        let error = match &result.structured_content {
            None => Some("there is no structured content".to_owned()),
            #[cfg(feature = "json-schema")]
            Some(content) => self
                .validators
                .output
                .as_ref()
                .and_then(|validator| validator.check(content).err())
                .map(|invalid| invalid.to_string()),
            #[cfg(not(feature = "json-schema"))]
            Some(_) => None,
        };
        let Some(error) = error else {
            return Ok(result);
        };
        let name = &self.tool.name;
        tracing::error!(
            tool = name,
            error = %PeerDisplay(&error),
            "the result of a tool does not fit its output schema"
        );
        Err(HandlerError::internal(format!(
            "the result of `{name}` does not fit the tool's output schema"
        )))
    }

    /// Validates the schemas and completes the tool with them. Called again when a setting of the
    /// server changes them.
    fn complete(&mut self) -> Result<(), DefinitionError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.handler.is_none() {
            return Err("the tool has no handler".into());
        }
        let Some(mut input) = self.input.clone() else {
            return Err("a tool with an object handler needs an input schema".into());
        };
        if self.one_object {
            schema::one_object::one_object(&mut input)?;
        }
        schema::object_at_root(&mut input)?;
        self.extra_arguments
            .adapt_schema(&mut input, self.takes_nothing);
        schema::bounded(&input)?;
        self.header_params =
            mcp_types::headers::header_params(&input).map_err(|error| error.to_string())?;
        if let Some(output) = &self.output {
            schema::bounded(output)?;
        }
        #[cfg(feature = "json-schema")]
        {
            self.validators = Validators {
                input: Some(schema::compile_input(&input)?),
                output: self
                    .output
                    .as_ref()
                    .map(schema::compile_output)
                    .transpose()
                    .map_err(|error| format!("output: {error}"))?,
            };
        }
        self.tool.input_schema = json::from_object(input).map_err(|error| error.to_string())?;
        self.tool.output_schema = self
            .output
            .clone()
            .map(json::from_object)
            .transpose()
            .map_err(|error| error.to_string())?;
        Ok(())
    }
}

/// Why the arguments of a tool call are invalid.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArgumentsError {
    /// They do not fit the schema.
    #[cfg(feature = "json-schema")]
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// They do not fit the type.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

impl Definition for ToolDef {
    const KIND: &'static str = "tool";

    fn key(&self) -> &str {
        &self.tool.name
    }

    fn check(&mut self) -> Result<(), DefinitionError> {
        check_icons(self.tool.icons.as_ref())?;
        self.complete()
    }

    fn set_extra_arguments_default(&mut self, ignore: bool) {
        self.extra_arguments.of_server = Some(ignore);
    }

    fn check_name(&self) -> Result<(), DefinitionError> {
        check_name(&self.tool.name)
    }

    fn warn(&self) {
        warn(&self.tool);
    }

    fn prefix(&mut self, prefix: &str) {
        self.tool.name.insert_str(0, prefix);
    }

    fn change() -> Change {
        Change::Tools
    }

    access_getters!();
}

list_item!(ToolDef, tool: Tool, ListToolsResult);

/// The maximum length of a tool's name that the protocol recommends.
const NAME: usize = 128;

/// Keywords that model providers reject at the root of a tool's schema.
const ROOT: [&str; 6] = ["oneOf", "anyOf", "allOf", "not", "enum", "$ref"];

/// Writes a warning for what some clients refuse.
pub(crate) fn warn(tool: &Tool) {
    let name = &*tool.name;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if name.len() > NAME || !name.bytes().all(is_plain) {
        tracing::warn!(
            tool = name,
            "clients may refuse the name of this tool: it should have at most {NAME} letters, digits, \
             and characters of `_-.`"
        );
    }
    let keyword = ROOT
        .iter()
        .find(|keyword| tool.input_schema.extra.get(keyword).is_some());
    if let Some(keyword) = keyword {
        tracing::warn!(
            tool = name,
            "clients may refuse the schema of this tool, because it has `{keyword}` at its root: \
             `ToolDef::one_object` lists the arguments of an enum as one object"
        );
    }
}
