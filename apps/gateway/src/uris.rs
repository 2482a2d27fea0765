//! [`UriPrefix`]: the URIs of an upstream, as clients see them.
//!
//! The prefix becomes a part of the scheme, as in `files+file:///a.txt`, so that URI templates keep
//! their meaning. Hosts know apps and skills by their schemes: there the prefix is the first segment
//! behind `//`, as in `ui://files/chart`.

use std::borrow::Cow;

use mcp_server::types::json::{self, Object, Value};
use serde_json::value::RawValue;

/// The schemes that keep their names.
const FIXED_SCHEMES: [&str; 2] = ["ui://", "skill://"];

/// Returns `true` if JSON may contain a member of this name, which may be written with escapes.
pub(crate) fn may_have(json: &RawValue, name: &str) -> bool {
    json.get().contains(&format!("\"{name}\"")) || json.get().contains("\\u00")
}

/// Rewrites URIs of an upstream. Without a prefix, nothing is rewritten.
#[derive(Clone, Debug)]
pub(crate) struct UriPrefix(Option<String>);

impl UriPrefix {
    pub(crate) fn new(prefix: Option<&str>) -> Self {
        Self(prefix.map(str::to_owned))
    }

    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the URI or URI template that clients see.
    pub(crate) fn presented<'a>(&self, uri: &'a str) -> Cow<'a, str> {
        let Some(prefix) = &self.0 else {
            return uri.into();
        };
        let mut fixed = FIXED_SCHEMES.iter();
        match fixed.find_map(|scheme| Some((scheme, uri.strip_prefix(scheme)?))) {
            Some((scheme, rest)) => format!("{scheme}{prefix}/{rest}").into(),
            None => format!("{prefix}+{uri}").into(),
        }
    }

    /// Returns the URI of the upstream. `None` if the URI is not one of this upstream.
    pub(crate) fn original<'a>(&self, uri: &'a str) -> Option<Cow<'a, str>> {
        let Some(prefix) = &self.0 else {
            return Some(uri.into());
        };
        let mut fixed = FIXED_SCHEMES.iter();
        match fixed.find_map(|scheme| Some((scheme, uri.strip_prefix(scheme)?))) {
            Some((scheme, rest)) => {
                let rest = rest.strip_prefix(&**prefix)?.strip_prefix('/')?;
                Some(format!("{scheme}{rest}").into())
            }
            None => Some(uri.strip_prefix(&**prefix)?.strip_prefix('+')?.into()),
        }
    }

    /// Rewrites the URIs in a result: those of contents, links and embedded resources. Everything else stays as it is.
    pub(crate) fn rewrite(&self, text: Box<RawValue>) -> Result<Box<RawValue>, serde_json::Error> {
        // Most results have no URIs, and may be long.
        if self.is_none() || !may_have(&text, "uri") {
            return Ok(text);
        }
        let mut value: Value = json::from_str(text.get()).map_err(serde::de::Error::custom)?;
        if let Some(members) = value.as_object_mut() {
            self.rewrite_members(members);
        }
        json::to_raw(&value)
    }

    fn rewrite_members(&self, members: &mut Object) {
        // Of proposals and extensions: a resource or skill, or the members of a directory.
        for name in ["resource", "skill"] {
            if let Some(item) = members.get_mut(name).and_then(Value::as_object_mut) {
                self.rewrite_item(item);
            }
        }
        self.each(members, "resources", Self::rewrite_item);
        self.each(members, "contents", Self::rewrite_item);
        self.each(members, "content", Self::rewrite_block);
        if let Some(messages) = members.get_mut("messages").and_then(Value::as_array_mut) {
            for message in messages.iter_mut().filter_map(Value::as_object_mut) {
                match message.get_mut("content") {
                    Some(Value::Object(block)) => self.rewrite_block(block),
                    Some(Value::Array(_)) => self.each(message, "content", Self::rewrite_block),
                    _ => {}
                }
            }
        }
    }

    /// Rewrites an item of a list, or the contents of a resource. A skill also has the URIs of its
    /// files.
    pub(crate) fn rewrite_item(&self, item: &mut Object) {
        if self.is_none() {
            return;
        }
        self.set(item, "uri");
        self.each(item, "resources", |uris, file| uris.set(file, "uri"));
        self.set(item, "uriTemplate");
        if let Some(meta) = item.get_mut("_meta").and_then(Value::as_object_mut) {
            self.set(meta, "ui/resourceUri");
            if let Some(app) = meta.get_mut("ui").and_then(Value::as_object_mut) {
                self.set(app, "resourceUri");
            }
        }
    }

    /// Rewrites a block of content.
    fn rewrite_block(&self, block: &mut Object) {
        match block.get("type").and_then(Value::as_str) {
            Some("resource_link") => self.set(block, "uri"),
            Some("resource") => {
                if let Some(resource) = block.get_mut("resource").and_then(Value::as_object_mut) {
                    self.set(resource, "uri");
                }
            }
            _ => {}
        }
    }

    fn each(&self, members: &mut Object, name: &str, change: fn(&Self, &mut Object)) {
        if let Some(items) = members.get_mut(name).and_then(Value::as_array_mut) {
            for item in items.iter_mut().filter_map(Value::as_object_mut) {
                change(self, item);
            }
        }
    }

    /// Rewrites the URI in a member, if it is there.
    pub(crate) fn set(&self, members: &mut Object, name: &str) {
        if let Some(Value::String(uri)) = members.get_mut(name) {
            *uri = self.presented(uri).into_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_found_again_under_their_prefix_only() {
        let uris = UriPrefix::new(Some("files"));
        for uri in [
            "file:///a",
            "ui://x/y",
            "skill://s/SKILL.md",
            "a:b",
            "notes://{+path}",
        ] {
            let presented = uris.presented(uri).into_owned();
            assert_ne!(presented, uri);
            assert_eq!(uris.original(&presented).as_deref(), Some(uri));
            assert_eq!(UriPrefix::new(Some("file")).original(&presented), None);
            assert_eq!(uris.original(uri), None);
        }
    }

    #[test]
    fn member_that_is_written_with_escapes_is_rewritten() {
        let uris = UriPrefix::new(Some("a"));
        let text = r#"{"content":[{"type":"resource_link","name":"x","\u0075ri":"b+file:///x"}]}"#;
        let text = RawValue::from_string(text.to_owned()).expect("JSON");
        let rewritten = uris.rewrite(text).expect("rewritten");
        assert!(rewritten.get().contains("a+b+file:///x"), "{rewritten}");
    }

    #[test]
    fn only_uris_of_resources_are_rewritten() {
        let uris = UriPrefix::new(Some("p"));
        for (text, expected) in [
            (
                r#"{"content":[{"type":"resource_link","uri":"a:1","name":"a:1"},{"type":"text","text":"a:1","uri":"a:1"}],"big":1.0,"uri2":"a:1"}"#,
                r#"{"content":[{"type":"resource_link","uri":"p+a:1","name":"a:1"},{"type":"text","text":"a:1","uri":"a:1"}],"big":1.0,"uri2":"a:1"}"#,
            ),
            (
                r#"{"contents":[{"uri":"a:1","text":"x"}],"n":123456789012345678901234567890,"uri":"a:1"}"#,
                r#"{"contents":[{"uri":"p+a:1","text":"x"}],"n":123456789012345678901234567890,"uri":"a:1"}"#,
            ),
            (
                r#"{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"a:1"}}}]}"#,
                r#"{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"p+a:1"}}}]}"#,
            ),
            (
                r#"{"contents":[{"uri":"ui://a","_meta":{"ui":{"resourceUri":"ui://a"}}}],"structuredContent":{"uri":"a:1"},"tools":[{"uri":"a:1"}]}"#,
                r#"{"contents":[{"uri":"ui://p/a","_meta":{"ui":{"resourceUri":"ui://p/a"}}}],"structuredContent":{"uri":"a:1"},"tools":[{"uri":"a:1"}]}"#,
            ),
        ] {
            let text = RawValue::from_string(text.to_owned()).expect("JSON");
            assert_eq!(uris.rewrite(text).expect("rewritten").get(), expected);
        }
    }
}
