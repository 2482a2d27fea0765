//! Accessors for results.

use serde::de::DeserializeOwned;

use crate::error::DecodeError;
use crate::json::{Object, Value, from_value, from_value_ref};
use crate::{CallToolResult, ContentBlock, ResourceLink, ResultMetaObject, TextContent};

/// The failure of a tool with a code for programs and a next step for the model.
///
/// The protocol has no form for it. In a result it is text, which models read, and the object
/// `mcp-server/error` of `_meta` with the members `code`, `message` and `nextStep`. It is not in the structured
/// content, because that has to fit the output schema of the tool.
///
/// ```
/// use mcp_types::{CallToolResult, ToolError};
///
/// let error = ToolError::new("no_such_note", "no note has the id 7", "list the notes");
/// let result = CallToolResult::from(error.clone());
/// assert_eq!(
///     result.text(),
///     "no note has the id 7\nNext step: list the notes\nError code: no_such_note",
/// );
/// assert_eq!(result.tool_error(), Some(error));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolError {
    /// The kind of the error, for programs. The server documents its codes.
    pub code: String,
    /// What went wrong.
    pub message: String,
    /// What the model can do now.
    pub next_step: String,
}

impl ToolError {
    /// Creates an error.
    pub fn new(
        code: impl Into<String>,
        message: impl Into<String>,
        next_step: impl Into<String>,
    ) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            next_step: next_step.into(),
        }
    }
}

impl From<ToolError> for CallToolResult {
    /// Creates the result of a tool that failed: `isError` is set.
    fn from(error: ToolError) -> Self {
        let ToolError {
            code,
            message,
            next_step,
        } = error;
        let text = format!("{message}\nNext step: {next_step}\nError code: {code}");
        let error = Object::from([
            ("code", code),
            ("message", message),
            ("nextStep", next_step),
        ]);
        let mut meta = ResultMetaObject::new();
        meta.extra.insert(ERROR, error);
        Self::new([ContentBlock::from(TextContent::new(text))])
            .is_error(true)
            .meta(meta)
    }
}

/// The member of `_meta` that has a [`ToolError`].
const ERROR: &str = "mcp-server/error";

impl CallToolResult {
    /// Returns the texts among the content, joined by line breaks. Other content, such as images,
    /// is skipped.
    #[inline]
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Returns the links to resources among the content.
    pub fn links(&self) -> impl Iterator<Item = &ResourceLink> {
        self.content.iter().filter_map(|block| match block {
            ContentBlock::ResourceLink(link) => Some(link),
            _ => None,
        })
    }

    /// Decodes the structured content. A missing one is decoded as `null`, which `Option` accepts.
    /// Integers can be written as `30.0`, as in JSON Schema.
    ///
    /// # Errors
    ///
    /// Returns an error with the path if the content is not valid for the type.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        let content = self.structured_content.as_ref().unwrap_or(&Value::Null);
        from_value_ref(content).or_else(|error| {
            let mut content = content.clone();
            content.normalize_integers();
            from_value(content).map_err(|_| error)
        })
    }

    /// Returns `true` if the tool reported a failure.
    #[inline]
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.is_error == Some(true)
    }

    /// Returns the code, the message and the next step of a failure, if the server sent them as
    /// [`ToolError`] describes.
    #[must_use]
    pub fn tool_error(&self) -> Option<ToolError> {
        let error = self.meta.as_ref()?.extra.get(ERROR)?.as_object()?;
        let text = |name: &str| error.get(name)?.as_str();
        let error = ToolError::new(text("code")?, text("message")?, text("nextStep")?);
        self.has_failed().then_some(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Object;
    use crate::{ImageContent, TextContent};

    #[test]
    fn text_joins_the_text_blocks() {
        let image = ImageContent::new(crate::Base64Text::encode(b"."), "image/png");
        let texts = |text: &str| ContentBlock::from(TextContent::new(text));
        let result = CallToolResult::new([texts("one"), image.into(), texts("two")]);
        assert_eq!(result.text(), "one\ntwo");
        assert!(!result.has_failed());
    }

    #[test]
    fn links_are_those_among_other_content() {
        let link = |uri: &str| ContentBlock::from(ResourceLink::new(uri, "note"));
        let text = TextContent::new("one").into();
        let result = CallToolResult::new([link("notes://1"), text, link("notes://2")]);
        let uris: Vec<_> = result.links().map(|link| &*link.uri).collect();
        assert_eq!(uris, ["notes://1", "notes://2"]);
    }

    #[test]
    fn structured_content_has_integers_with_a_fraction_of_zero() {
        let content = Value::from([Value::from(30.0), Value::from(1.5)]);
        let result = CallToolResult::new([]).structured_content(content);
        assert_eq!(result.structured::<(u8, f32)>().ok(), Some((30, 1.5)));
    }

    #[test]
    fn invalid_structured_content_is_an_error_with_a_path() {
        let result = CallToolResult::new([]);
        assert_eq!(result.structured::<Option<bool>>().ok(), Some(None));
        assert!(result.structured::<bool>().is_err());

        let content = Value::from(Object::from([("n", "one")]));
        let result = result.structured_content(content);
        let fault = result.structured::<std::collections::BTreeMap<String, u8>>();
        let place = fault.map_err(|error| error.path().to_string());
        assert_eq!(place, Err("$.n".to_owned()));
    }
}
