//! [`ModelFormat`]: the JSON of the interfaces of language models.

use mcp_types::json::{Object, Value};

use super::call::ModelCall;
use super::error::ModelToolsError;
use super::result::{ModelResult, Part};

/// The interface of a language model that calls tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelFormat {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's Chat Completions, which many other models have as well.
    OpenAiChat,
    /// OpenAI's Responses.
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

    /// Removes the properties whose names the interface does not accept: because of one, it would
    /// reject the whole request.
    ///
    /// # Errors
    ///
    /// Returns the name of a property that is required.
    pub(super) fn fit(self, schema: &mut Object) -> Result<(), String> {
        if self != Self::Anthropic {
            return Ok(());
        }
        let required = schema.get("required").and_then(Value::as_array);
        let mut required = required.into_iter().flatten().filter_map(Value::as_str);
        if let Some(name) = required.find(|name| !is_property_name(name)) {
            return Err(name.to_owned());
        }
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.retain(|name, _| is_property_name(name));
        }
        Ok(())
    }

    /// Returns the definition of a tool.
    pub(super) fn definition(self, name: &str, description: Option<&str>, schema: Object) -> Value {
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
        let mut function = object("function");
        function.push("function", Value::Object(tool));
        Value::Object(function)
    }

    /// Returns the calls in a response of the model.
    pub(super) fn calls(self, response: &Value) -> Result<Vec<ModelCall>, ModelToolsError> {
        let list = |path: &'static str| {
            let found = response.pointer(path).and_then(Value::as_array);
            found.ok_or(ModelToolsError::Response {
                path,
                expected: "list",
            })
        };
        let of_type = |wanted: &'static str| {
            move |item: &&Value| item.get("type").is_none_or(|kind| *kind == wanted)
        };
        match self {
            Self::Anthropic => {
                let calls = list("/content")?.iter().filter(of_type("tool_use"));
                let call = |call| ModelCall::read(call, "id", call, "input");
                calls.map(call).collect()
            }
            Self::OpenAiChat => {
                let message = response.pointer("/choices/0/message");
                let message = message.or_else(|| response.get("role").map(|_| response));
                let message = message.ok_or(ModelToolsError::Response {
                    path: "/choices/0/message",
                    expected: "object",
                })?;
                let calls = message.get("tool_calls").and_then(Value::as_array);
                let calls = calls.into_iter().flatten().filter(of_type("function"));
                let call = |call: &Value| {
                    let function = call.get("function").unwrap_or(&Value::Null);
                    ModelCall::read(call, "id", function, "arguments")
                };
                calls.map(call).collect()
            }
            Self::OpenAiResponses => {
                let calls = list("/output")?.iter().filter(of_type("function_call"));
                let call = |call| ModelCall::read(call, "call_id", call, "arguments");
                calls.map(call).collect()
            }
        }
    }

    /// Returns the messages that tell the model the results of its calls. `most` is the maximum
    /// size of the texts of a result.
    pub(super) fn messages(self, results: &[ModelResult], most: usize) -> Vec<Value> {
        let shown = results.iter().map(|result| (result, result.bounded(most)));
        match self {
            Self::Anthropic => {
                let blocks: Vec<Value> = shown.map(|(it, parts)| tool_result(it, parts)).collect();
                if blocks.is_empty() {
                    return Vec::new();
                }
                vec![message("user", blocks.into())]
            }
            Self::OpenAiResponses => shown
                .map(|(it, parts)| function_output(it, parts))
                .collect(),
            Self::OpenAiChat => chat_messages(shown),
        }
    }
}

/// Returns `true` if Anthropic's interface accepts this name of a property.
fn is_property_name(name: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(is_known)
}

fn object(kind: &str) -> Object {
    Object::from([("type", Value::from(kind))])
}

fn message(role: &str, content: Value) -> Value {
    let mut message = Object::from([("role", Value::from(role))]);
    message.push("content", content);
    Value::Object(message)
}

fn text_part(kind: &str, text: String) -> Value {
    let mut part = object(kind);
    part.push("text", Value::from(text));
    Value::Object(part)
}

fn data_url(media_type: &str, data: &str) -> Value {
    Value::from(format!("data:{media_type};base64,{data}"))
}

/// A block of Anthropic's Messages.
fn tool_result(result: &ModelResult, parts: Vec<Part>) -> Value {
    let content = parts.into_iter().map(|part| match part {
        Part::Text(text) => text_part("text", text),
        // The interface rejects images in the result of a call that failed.
        Part::Image { media_type, .. } if result.is_error => {
            text_part("text", format!("[an image of the type {media_type}]"))
        }
        Part::Image { media_type, data } => {
            let mut source = object("base64");
            source.push("media_type", Value::from(media_type));
            source.push("data", Value::from(data));
            let mut image = object("image");
            image.push("source", source.into());
            image.into()
        }
    });
    let content: Vec<Value> = content.collect();
    let mut block = object("tool_result");
    block.push("tool_use_id", Value::from(&*result.id));
    block.push("content", content.into());
    if result.is_error {
        block.push("is_error", Value::from(true));
    }
    Value::Object(block)
}

/// An item of OpenAI's Responses.
fn function_output(result: &ModelResult, parts: Vec<Part>) -> Value {
    let has_images = parts.iter().any(|part| matches!(part, Part::Image { .. }));
    let output = if has_images {
        let parts = parts.into_iter().map(|part| match part {
            Part::Text(text) => text_part("input_text", text),
            Part::Image { media_type, data } => {
                let mut image = object("input_image");
                image.push("image_url", data_url(&media_type, &data));
                image.into()
            }
        });
        let mut parts: Vec<Value> = parts.collect();
        if result.is_error {
            parts.insert(0, text_part("input_text", ERROR.to_owned()));
        }
        parts.into()
    } else {
        Value::from(joined(result, parts))
    };
    let mut item = object("function_call_output");
    item.push("call_id", Value::from(&*result.id));
    item.push("output", output);
    Value::Object(item)
}

/// Messages of OpenAI's Chat Completions. A message of a tool contains only text, so the images
/// follow in a message of the user, behind all results.
fn chat_messages<'a>(shown: impl Iterator<Item = (&'a ModelResult, Vec<Part>)>) -> Vec<Value> {
    let (mut messages, mut images) = (Vec::new(), Vec::new());
    for (result, mut parts) in shown {
        for part in &mut parts {
            let Part::Image { media_type, data } = part else {
                continue;
            };
            let url = Object::from([("url", data_url(media_type, data))]);
            let mut image = object("image_url");
            image.push("image_url", url.into());
            let label = format!("An image of the result of {}:", result.id);
            images.extend([text_part("text", label), image.into()]);
            *part = Part::Text("[an image, which follows]".to_owned());
        }
        let text = Value::from(joined(result, parts));
        let Value::Object(mut message) = message("tool", text) else {
            continue;
        };
        message.push("tool_call_id", Value::from(&*result.id));
        messages.push(message.into());
    }
    if !images.is_empty() {
        messages.push(message("user", images.into()));
    }
    messages
}

/// What precedes the result of a call that failed. The interfaces of OpenAI have no member for it.
const ERROR: &str = "Error:";

/// Returns the texts of a result as one text.
fn joined(result: &ModelResult, parts: Vec<Part>) -> String {
    let texts = parts.into_iter().filter_map(|part| match part {
        Part::Text(text) => Some(text),
        Part::Image { .. } => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    if result.is_error {
        return format!("{ERROR} {text}");
    }
    text
}

/// Shortens a text to a number of characters.
fn truncated(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let kept = text.chars().take(most.saturating_sub(1));
    kept.chain(['\u{2026}']).collect()
}
