//! [`CachedResult`]: a result as it is cached. Contents of resources are not decoded again.

use std::any::Any;
use std::sync::Arc;

use mcp_types::{AnyResourceContents, Base64Text, ReadResourceResult, Revision};
#[cfg(feature = "versioned-resources")]
use mcp_types::{GetResourceContents, GetResourceResult};

/// The minimum size of a result whose contents are stored separately, in bytes. Decoding less is
/// quick.
const LARGE: usize = 4 << 10;

/// A cached result. Large contents of resources are stored as they were decoded, apart from the
/// JSON text, so that each use copies them instead of decoding them. A clone copies references.
#[derive(Clone)]
pub(crate) struct CachedResult {
    /// The result as JSON, with empty texts in place of separate contents.
    text: Arc<str>,
    /// The texts, in the order of the contents.
    contents: Arc<[String]>,
}

impl CachedResult {
    /// Separates the contents from a result, of which both the text and the decoded form are given.
    pub(super) fn new(revision: Revision, text: &str, result: &dyn Any) -> Self {
        let separated = (text.len() >= LARGE)
            .then(|| separate(revision, result))
            .flatten();
        separated.unwrap_or_else(|| Self {
            text: text.into(),
            contents: Arc::default(),
        })
    }

    /// Returns the text to decode, before [`restore`](Self::restore).
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of bytes.
    pub(super) fn size(&self) -> usize {
        let contents = self.contents.iter();
        let contents: usize = contents.map(|text| size_of::<String>() + text.len()).sum();
        self.text.len() + contents
    }

    /// Puts the contents into the decoded result. Returns `false` if the program decoded it into a
    /// type of its own, which has no place for them.
    pub(crate) fn restore(&self, result: &mut dyn Any) -> bool {
        if self.contents.is_empty() {
            return true;
        }
        let slots = slots(result);
        if slots.len() != self.contents.len() {
            return false;
        }
        for (slot, text) in slots.into_iter().zip(&*self.contents) {
            slot.put(text.clone());
        }
        true
    }
}

/// Returns the result without its contents, and these; `None` for results of other types.
fn separate(revision: Revision, result: &dyn Any) -> Option<CachedResult> {
    #[cfg(feature = "versioned-resources")]
    if let Some(result) = result.downcast_ref::<GetResourceResult>() {
        let mut rest = result.clone();
        let contents = take(&mut rest);
        let text = revision.encode_text(rest).ok()?.into();
        return Some(CachedResult { text, contents });
    }
    let mut rest = result.downcast_ref::<ReadResourceResult>()?.clone();
    let contents = take(&mut rest);
    let text = revision.encode_text(rest).ok()?.into();
    Some(CachedResult { text, contents })
}

fn take(result: &mut dyn Any) -> Arc<[String]> {
    slots(result).into_iter().map(Slot::take).collect()
}

/// Where a result has the text of contents.
enum Slot<'a> {
    Text(&'a mut String),
    Blob(&'a mut Base64Text),
}

impl Slot<'_> {
    fn take(self) -> String {
        match self {
            Self::Text(text) => std::mem::take(text),
            Self::Blob(blob) => std::mem::take(blob).into_string(),
        }
    }

    fn put(self, new: String) {
        match self {
            Self::Text(text) => *text = new,
            Self::Blob(blob) => *blob = new.into(),
        }
    }
}

fn slots(result: &mut dyn Any) -> Vec<Slot<'_>> {
    #[cfg(feature = "versioned-resources")]
    if result.is::<GetResourceResult>() {
        let result = result.downcast_mut::<GetResourceResult>();
        let slot = result.and_then(|result| match &mut result.contents {
            GetResourceContents::Text(text) => Some(Slot::Text(&mut text.content)),
            GetResourceContents::Blob(blob) => Some(Slot::Blob(&mut blob.blob)),
            _ => None,
        });
        return slot.into_iter().collect();
    }
    let Some(result) = result.downcast_mut::<ReadResourceResult>() else {
        return Vec::new();
    };
    let contents = result.contents.iter_mut();
    let slots = contents.filter_map(|contents| match contents {
        AnyResourceContents::Text(text) => Some(Slot::Text(&mut text.text)),
        AnyResourceContents::Blob(blob) => Some(Slot::Blob(&mut blob.blob)),
        _ => None,
    });
    slots.collect()
}

#[cfg(all(test, feature = "versioned-resources"))]
mod tests {
    use mcp_types::revision::Versioned;

    use super::*;

    /// Caches a result and decodes it again. Returns the size of the text that was decoded.
    fn cached<T: Any + Versioned + PartialEq + std::fmt::Debug>(text: &str) -> usize {
        let revision = Revision::LATEST;
        let result: T = revision.decode(text).expect("a result");
        let cached = CachedResult::new(revision, text, &result);
        let mut again: T = revision.decode(cached.text()).expect("a result");
        assert!(cached.restore(&mut again));
        assert_eq!(again, result);
        // The program has another type for the method.
        let is_whole = cached.text() == text;
        assert_eq!(cached.restore(&mut String::new()), is_whole);
        assert!(cached.size() >= cached.text().len());
        cached.text().len()
    }

    fn get(contents: &str) -> String {
        format!(
            r#"{{"resource":{{"uri":"x:a","name":"a","version":"1","x":[1.0]}},"contents":{{"contentType":"text/plain",{contents}}},"resultType":"complete","y":{{}}}}"#
        )
    }

    fn read(contents: &str) -> String {
        format!(
            r#"{{"contents":[{contents}],"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{{"z":1}}}}"#
        )
    }

    #[test]
    fn large_contents_are_not_decoded_again() {
        for large in ["\\n\\\"".repeat(LARGE), "a".repeat(LARGE)] {
            for member in ["content", "blob"] {
                let text = get(&format!(r#""{member}":"{large}""#));
                let decoded = cached::<GetResourceResult>(&text);
                assert!(decoded < 200, "{decoded} bytes of {}", text.len());
            }
            let text = format!(r#"{{"uri":"x:a","mimeType":"a/b","text":"{large}"}}"#);
            let blob = format!(r#"{{"uri":"x:a","blob":"{large}","_meta":{{}}}}"#);
            let small = r#"{"uri":"x:a","text":""}"#;
            for contents in [text.clone(), blob.clone(), [&text, small, &blob].join(",")] {
                let text = read(&contents);
                let decoded = cached::<ReadResourceResult>(&text);
                assert!(decoded < 300, "{decoded} bytes of {}", text.len());
            }
        }
    }

    #[test]
    fn small_results_are_stored_as_they_are() {
        let text = get(r#""content":"A""#);
        assert_eq!(cached::<GetResourceResult>(&text), text.len());
        let text = read(r#"{"uri":"x:a","text":"A"}"#);
        assert_eq!(cached::<ReadResourceResult>(&text), text.len());
        assert_eq!(cached::<ReadResourceResult>(&read("")), read("").len());
    }
}
