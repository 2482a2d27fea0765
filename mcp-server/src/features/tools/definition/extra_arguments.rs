//! What a tool does with arguments that it does not have.

use mcp_types::error::DecodeError;
use mcp_types::json::{Object, Value};

use super::ToolDef;

/// Keywords by which the properties of an object are declared elsewhere than in `properties`.
const ELSEWHERE: [&str; 8] = [
    "$ref",
    KEYWORD,
    "allOf",
    "anyOf",
    "if",
    "oneOf",
    "patternProperties",
    "unevaluatedProperties",
];

const KEYWORD: &str = "additionalProperties";

/// The settings for arguments that a tool does not have; `true` ignores them.
#[derive(Default)]
pub(super) struct ExtraArguments {
    pub(super) of_tool: Option<bool>,
    pub(super) of_server: Option<bool>,
    /// `true` if the schema does not permit them.
    are_rejected: bool,
}

impl ToolDef {
    /// Sets whether arguments that the tool does not have are ignored (`true`) or rejected, instead of
    /// [the server's setting](crate::ServerBuilder::ignore_extra_arguments), which describes both.
    pub fn ignore_extra_arguments(mut self, ignore: bool) -> Self {
        self.extra_arguments.of_tool = Some(ignore);
        self
    }

    /// Adapts the schema of the arguments to the setting. The schema may be the program's own.
    pub(super) fn adapt_to_extra_arguments(&mut self, input: &mut Object) {
        let extra = &mut self.extra_arguments;
        let has_properties =
            self.takes_nothing || input.get("properties").is_some_and(|it| !is_empty(it));
        let mut rejects = self.takes_nothing;
        match extra.of_tool.or(extra.of_server) {
            Some(true) if self.takes_nothing => {
                input.remove(KEYWORD);
            }
            Some(false) if has_properties && !ELSEWHERE.iter().any(|it| input.contains_key(it)) => {
                input.insert(KEYWORD, false);
                rejects = true;
            }
            _ => {}
        }
        let is_closed = input.get(KEYWORD).and_then(Value::as_bool) == Some(false);
        extra.are_rejected = rejects && is_closed;
    }

    /// Rejects arguments that the tool does not have, if it does not ignore them.
    pub(super) fn check_extra_arguments(&self, arguments: &Object) -> Result<(), DecodeError> {
        let properties = self.tool.input_schema.extra.get("properties");
        let properties = properties.and_then(Value::as_object);
        let is_known = |name: &str| properties.is_some_and(|known| known.contains_key(name));
        let mut names = arguments.keys();
        match names.find(|name| self.extra_arguments.are_rejected && !is_known(name)) {
            Some(name) => {
                let error = DecodeError::data("the tool has no such argument");
                Err(error.inside_member(name.to_owned()))
            }
            None => Ok(()),
        }
    }
}

fn is_empty(properties: &Value) -> bool {
    properties.as_object().is_none_or(Object::is_empty)
}
