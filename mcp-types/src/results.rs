//! Accessors for results.

use serde::de::DeserializeOwned;

use crate::error::DecodeError;
use crate::json::{Value, from_value, from_value_ref};
use crate::{CallToolResult, ContentBlock, ResourceLink};

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
