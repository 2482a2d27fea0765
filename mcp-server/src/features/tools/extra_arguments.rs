//! [`ExtraArguments`]: what a tool does with arguments that it does not have.

use mcp_types::Tool;
use mcp_types::error::{DecodeError, Rule};
use mcp_types::json::{Object, Value};

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

/// The settings for arguments that a tool does not have. They are ignored if `true`.
#[derive(Default)]
pub(crate) struct ExtraArguments {
    pub(crate) of_tool: Option<bool>,
    pub(crate) of_server: Option<bool>,
    /// `true` if the schema does not permit them.
    are_rejected: bool,
}

impl ExtraArguments {
    /// Adapts the schema of the arguments to the setting. The schema may be the program's own.
    pub(crate) fn adapt_schema(&mut self, input: &mut Object, takes_nothing: bool) {
        let properties = input.get("properties").and_then(Value::as_object);
        let has_properties = takes_nothing || properties.is_some_and(|known| !known.is_empty());
        let mut rejects = takes_nothing;
        match self.of_tool.or(self.of_server) {
            Some(true) if takes_nothing => {
                input.remove(KEYWORD);
            }
            Some(false) if has_properties && !ELSEWHERE.iter().any(|it| input.contains_key(it)) => {
                input.insert(KEYWORD, false);
                rejects = true;
            }
            _ => {}
        }
        let is_closed = input.get(KEYWORD).and_then(Value::as_bool) == Some(false);
        self.are_rejected = rejects && is_closed;
    }

    /// Rejects arguments that the schema does not have, if they are not ignored.
    pub(crate) fn check(&self, arguments: &Object, tool: &Tool) -> Result<(), DecodeError> {
        let properties = tool.input_schema.extra.get("properties");
        let properties = properties.and_then(Value::as_object);
        let is_known = |name: &str| properties.is_some_and(|known| known.contains_key(name));
        let mut names = arguments.keys();
        match names.find(|name| self.are_rejected && !is_known(name)) {
            Some(name) => {
                let error = DecodeError::data("the tool has no such argument")
                    .with_rule(Rule::UnknownMember, [name.to_owned()]);
                Err(error.inside_member(name.to_owned()))
            }
            None => Ok(()),
        }
    }
}
