//! [`ModelTools`]: tools in the form in which the interfaces of language models take them.

mod inline;

use std::collections::{HashMap, HashSet};

use mcp_types::Tool;
use mcp_types::json::{self, Object, Value};

use inline::inlined;

/// The maximum length of a tool's name. All interfaces have the same.
const NAME_CHARS: usize = 64;
/// The maximum length of a number that is appended to a name, with its underscore.
const NUMBER_CHARS: usize = 17;

/// The interface of a language model that takes definitions of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelFormat {
    /// `tools` of Anthropic's Messages.
    Anthropic,
    /// `tools` of OpenAI's Chat Completions, which many other models accept as well.
    OpenAiChat,
    /// `tools` of OpenAI's Responses.
    OpenAiResponses,
}

impl ModelFormat {
    /// The maximum length of a description, in characters.
    fn description_chars(self) -> usize {
        match self {
            Self::Anthropic => usize::MAX,
            Self::OpenAiChat | Self::OpenAiResponses => 1024,
        }
    }

    fn definition(self, name: &str, description: Option<&str>, schema: Object) -> Value {
        let mut tool = Object::new();
        let schema_name = match self {
            Self::Anthropic => "input_schema",
            Self::OpenAiChat | Self::OpenAiResponses => "parameters",
        };
        if self == Self::OpenAiResponses {
            tool.push("type", Value::from("function"));
        }
        tool.push("name", Value::from(name));
        if let Some(description) = description {
            let most = self.description_chars();
            tool.push("description", Value::from(truncated(description, most)));
        }
        tool.push(schema_name, Value::Object(schema));
        if self != Self::OpenAiChat {
            return Value::Object(tool);
        }
        let mut function = Object::from([("type", Value::from("function"))]);
        function.push("function", Value::Object(tool));
        Value::Object(function)
    }
}

/// The tools of a server as definitions for a language model, and the way back from the names that
/// the model uses.
///
/// The models accept less than the protocol permits:
///
/// - Names consist of at most 64 of the characters `A-Za-z0-9_-`. Other names are rewritten, and
///   stay different from each other.
/// - Schemas must not contain references, so definitions are inlined. A type that contains itself
///   becomes a schema that accepts anything at the place where it repeats. So does what is nested
///   in more than 64 levels, or what makes a schema more than 256 KiB larger.
/// - The root of a schema must not be a choice. The properties of all branches are offered instead,
///   and only what all branches require is required.
/// - The description is shortened to what the interface accepts.
///
/// Where a definition is more permissive than the schema of the tool, the server rejects arguments
/// that do not fit, with an error that the model can read. The number of tools is not
/// limited here: OpenAI accepts at most 128.
///
/// ```
/// use mcp_client::{ModelFormat, ModelTools};
/// use mcp_client::types::{Tool, ToolInputSchema};
///
/// let tools = [Tool::new("files.read", ToolInputSchema::new()).description("Reads a file")];
/// let offered = ModelTools::new(&tools, ModelFormat::Anthropic);
/// assert_eq!(offered.definitions[0].get("name").and_then(|it| it.as_str()), Some("files_read"));
/// // The model calls `files_read`.
/// assert_eq!(offered.tool("files_read"), Some("files.read"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelTools {
    /// The definitions, in the order of the tools.
    pub definitions: Vec<Value>,
    /// The names of the tools, by the names for the model.
    names: HashMap<String, String>,
}

impl ModelTools {
    /// Converts tools to definitions for a language model.
    #[must_use]
    pub fn new(tools: &[Tool], format: ModelFormat) -> Self {
        let mut converted = Self {
            definitions: Vec::with_capacity(tools.len()),
            names: HashMap::with_capacity(tools.len()),
        };
        // Names that need no change keep it, whatever comes before them.
        let unchanged: HashSet<&str> = tools.iter().map(|tool| &*tool.name).collect();
        let mut numbers = HashMap::new();
        for tool in tools {
            let name = converted.unique_name(&tool.name, &unchanged, &mut numbers);
            let schema = json::to_value(&tool.input_schema).unwrap_or_default();
            let schema = inlined(&schema);
            let description = tool.description.as_deref();
            let definition = format.definition(&name, description, schema);
            converted.definitions.push(definition);
            converted.names.insert(name, tool.name.clone());
        }
        converted
    }

    /// Returns the name of the tool that a model calls by this name; `None` if it was offered none.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&str> {
        self.names.get(name).map(String::as_str)
    }

    /// Returns a name that the models accept, and that no other tool has. `numbers` are the last
    /// ones that were appended to the beginnings of names.
    fn unique_name(
        &self,
        name: &str,
        unchanged: &HashSet<&str>,
        numbers: &mut HashMap<String, u64>,
    ) -> String {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let rewrite = |c: char| if allowed(c) { c } else { '_' };
        let mut base: String = name.chars().take(NAME_CHARS).map(rewrite).collect();
        if base == name && !base.is_empty() {
            return base;
        }
        let is_used = |name: &str| unchanged.contains(name) || self.names.contains_key(name);
        if !base.is_empty() && !is_used(&base) {
            return base;
        }
        // No number is tried twice, so that the time does not depend on the names before.
        base.truncate(NAME_CHARS - NUMBER_CHARS);
        let number = numbers.entry(base.clone()).or_default();
        loop {
            *number += 1;
            let candidate = format!("{base}_{number:x}");
            if !is_used(&candidate) {
                return candidate;
            }
        }
    }
}

/// Shortens a text to a number of characters.
fn truncated(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let kept = text.chars().take(most.saturating_sub(1));
    kept.chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use mcp_types::ToolInputSchema;

    use super::*;

    fn tool(name: &str, schema: &str) -> Tool {
        let schema: ToolInputSchema = json::from_str(schema).expect("a schema");
        Tool::new(name, schema).description("d".repeat(2000))
    }

    /// Returns the schema of a tool for a model, as text.
    fn schema(schema: &str) -> String {
        let tools = ModelTools::new(&[tool("t", schema)], ModelFormat::Anthropic);
        let schema = tools.definitions[0].get("input_schema");
        json::to_string(schema.expect("a schema")).expect("text")
    }

    #[test]
    fn definitions_have_the_form_of_each_interface() {
        let tools = [tool("t", r#"{"type":"object","properties":{"a":{}}}"#)];
        let text = |format| {
            let tools = ModelTools::new(&tools, format);
            json::to_string(&tools.definitions).expect("text")
        };
        let parameters = r#"{"type":"object","properties":{"a":{}}}"#;
        let (long, short) = ("d".repeat(2000), format!("{}\u{2026}", "d".repeat(1023)));
        let named = |text: &str| format!(r#""name":"t","description":"{text}""#);
        assert_eq!(
            text(ModelFormat::Anthropic),
            format!(r#"[{{{},"input_schema":{parameters}}}]"#, named(&long))
        );
        let short = format!(r#"{},"parameters":{parameters}"#, named(&short));
        assert_eq!(
            text(ModelFormat::OpenAiResponses),
            format!(r#"[{{"type":"function",{short}}}]"#)
        );
        assert_eq!(
            text(ModelFormat::OpenAiChat),
            format!(r#"[{{"type":"function","function":{{{short}}}}}]"#)
        );
    }

    #[test]
    fn names_are_accepted_by_models_and_lead_back() {
        let long = "n".repeat(128);
        let names = ["a.b", "a_b", "a/b", "", "\u{e9}", &long, "plain-1"];
        let tools = names.map(|name| tool(name, r#"{"type":"object"}"#));
        let offered = ModelTools::new(&tools, ModelFormat::OpenAiResponses);
        let mut seen = HashSet::new();
        for (name, definition) in names.iter().zip(&offered.definitions) {
            let given = definition
                .get("name")
                .and_then(Value::as_str)
                .expect("a name");
            let is_allowed = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            assert!(
                (1..=64).contains(&given.len()) && given.chars().all(is_allowed),
                "{given}"
            );
            assert!(seen.insert(given));
            assert_eq!(offered.tool(given), Some(*name));
        }
        assert_eq!(offered.tool("a_b"), Some("a_b"));
        assert_eq!(offered.tool("plain-1"), Some("plain-1"));
        assert_eq!(offered.tool("n"), None);
    }

    #[test]
    fn names_that_become_the_same_are_numbered() {
        let names = ["a.b", "a/b", "a:b", "a_b_1"];
        let tools = names.map(|name| tool(name, r#"{"type":"object"}"#));
        let offered = ModelTools::new(&tools, ModelFormat::Anthropic);
        for (given, name) in ["a_b", "a_b_2", "a_b_3", "a_b_1"].iter().zip(names) {
            assert_eq!(offered.tool(given), Some(name));
        }
        let many: Vec<_> = (0..20_000)
            .map(|number| format!("{}{number:05}.", "n".repeat(60)))
            .map(|name| tool(&name, r#"{"type":"object"}"#))
            .collect();
        let offered = ModelTools::new(&many, ModelFormat::Anthropic);
        assert_eq!(offered.names.len(), many.len());
    }

    #[test]
    fn what_references_repeat_is_bounded_whatever_its_kind() {
        let refers = vec![r##"{"$ref":"#/$defs/d"}"##; 2_000].join(",");
        let numbers = vec!["0"; 50_000].join(",");
        let long = "n".repeat(100_000);
        for definition in [
            format!(r#"{{"not":"{long}"}}"#),
            format!(r#"{{"allOf":[{numbers}]}}"#),
            format!(r#"{{"items":[{numbers}]}}"#),
            format!(r#"{{"properties":{{"{long}":{{}}}}}}"#),
        ] {
            let text = schema(&format!(
                r#"{{"type":"object","properties":{{"a":{{"prefixItems":[{refers}]}}}},"$defs":{{"d":{definition}}}}}"#
            ));
            assert!(text.len() < 2 << 20, "{}", text.len());
        }
    }

    #[test]
    fn references_are_inlined_where_schemas_stand() {
        let text = schema(
            r##"{"$schema":"x","type":"object","$defs":{"A b":{"type":"string","title":"A"}},
            "properties":{"x":{"$ref":"#/$defs/A%20b","description":"mine"},
            "y":{"$ref":"#/properties/x"},"$ref":{"default":{"$ref":"#/$defs/A b"}},
            "z":{"items":{"$ref":"https://other"}}}}"##,
        );
        let a = r#"{"type":"string","title":"A","description":"mine"}"#;
        let data = r##"{"default":{"$ref":"#/$defs/A b"}}"##;
        assert_eq!(
            text,
            format!(
                r#"{{"type":"object","properties":{{"x":{a},"y":{a},"$ref":{data},"z":{{"items":{{}}}}}}}}"#
            )
        );
    }

    #[test]
    fn recursion_and_explosion_are_bounded() {
        let tree = schema(
            r##"{"type":"object","properties":{"tree":{"$ref":"#/$defs/T"}},
            "$defs":{"T":{"properties":{"child":{"$ref":"#/$defs/T"}}}}}"##,
        );
        let child = r#"{"properties":{"child":{}}}"#;
        assert_eq!(
            tree,
            format!(r#"{{"type":"object","properties":{{"tree":{child}}}}}"#)
        );
        // Each definition contains the next one twice.
        let defs = (0..60).map(|at| {
            let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, at + 1);
            format!(r#""d{at}":{{"anyOf":[{next},{next}]}}"#)
        });
        let defs: Vec<String> = defs.collect();
        let text = schema(&format!(
            r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{}}}}}"##,
            defs.join(",")
        ));
        assert!(text.len() < 1 << 20, "{}", text.len());
    }

    #[test]
    fn choice_at_the_root_becomes_one_object() {
        let text = schema(
            r#"{"type":"object","oneOf":[
            {"properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["kind","x","x"]},
            {"properties":{"kind":{"const":"b"}},"required":["kind"]}]}"#,
        );
        let kind = r#"{"anyOf":[{"const":"a"},{"const":"b"}]}"#;
        assert_eq!(
            text,
            format!(
                r#"{{"type":"object","properties":{{"kind":{kind},"x":{{"type":"string"}}}},"required":["kind"]}}"#
            )
        );
    }
}
