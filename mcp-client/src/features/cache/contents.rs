//! [`CachedResult`]: a result as it is cached. Contents of resources are not decoded again.

use std::any::Any;
use std::sync::Arc;

use mcp_types::revision::Versioned;
use mcp_types::{AnyResourceContents, Base64Text, ReadResourceResult, Revision};

/// The minimum size of a result whose contents are stored separately, in bytes. Decoding less is
/// quick.
pub(super) const LARGE: usize = 4 << 10;

/// A cached result. Large contents of resources are stored as they were decoded, apart from the
/// JSON text, so that each use copies them instead of decoding them. A clone copies references.
#[derive(Clone)]
pub(crate) struct CachedResult {
    /// The result as JSON, with empty texts in place of separate contents.
    text: Arc<str>,
    /// The texts, in the order of the contents.
    contents: Arc<[String]>,
    slots: Slots,
}

/// Returns where a result has the texts of its contents. Other types have no such texts.
pub(crate) type Slots = fn(&mut dyn Any) -> Vec<Slot<'_>>;

impl CachedResult {
    /// Stores a result as it is.
    pub(super) fn whole(text: &str) -> Self {
        Self {
            text: text.into(),
            contents: Arc::default(),
            slots: |_| Vec::new(),
        }
    }

    /// Separates the contents from a result; `None` if it is of another type.
    pub(crate) fn separate<T>(revision: Revision, result: &dyn Any, slots: Slots) -> Option<Self>
    where
        T: Any + Clone + Versioned,
    {
        let mut rest = result.downcast_ref::<T>()?.clone();
        let contents = slots(&mut rest).into_iter().map(Slot::take).collect();
        let text = revision.encode_text(rest).ok()?.into();
        Some(Self {
            text,
            contents,
            slots,
        })
    }

    /// Separates the contents from a result of `resources/read`; `None` for other results.
    pub(super) fn separate_read(revision: Revision, result: &dyn Any) -> Option<Self> {
        Self::separate::<ReadResourceResult>(revision, result, read_slots)
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
        let slots = (self.slots)(result);
        if slots.len() != self.contents.len() {
            return false;
        }
        for (slot, text) in slots.into_iter().zip(&*self.contents) {
            slot.put(text.clone());
        }
        true
    }
}

/// Where a result has the text of contents.
pub(crate) enum Slot<'a> {
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

fn read_slots(result: &mut dyn Any) -> Vec<Slot<'_>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Caches a result and decodes it again. Returns the size of the text that was decoded.
    fn cached(text: &str) -> usize {
        let revision = Revision::LATEST;
        let result: ReadResourceResult = revision.decode(text).expect("a result");
        let cached = CachedResult::separate_read(revision, &result).expect("a result");
        let mut again: ReadResourceResult = revision.decode(cached.text()).expect("a result");
        assert!(cached.restore(&mut again));
        assert_eq!(again, result);
        // The program has another type for the method.
        assert!(!cached.restore(&mut String::new()));
        assert!(cached.size() >= cached.text().len());
        cached.text().len()
    }

    #[test]
    fn large_contents_are_not_decoded_again() {
        for large in ["\\n\\\"".repeat(LARGE), "a".repeat(LARGE)] {
            let text = format!(r#"{{"uri":"x:a","mimeType":"a/b","text":"{large}"}}"#);
            let blob = format!(r#"{{"uri":"x:a","blob":"{large}","_meta":{{}}}}"#);
            let small = r#"{"uri":"x:a","text":""}"#;
            for contents in [text.clone(), blob.clone(), [&text, small, &blob].join(",")] {
                let text = format!(
                    r#"{{"contents":[{contents}],"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{{"z":1}}}}"#
                );
                let decoded = cached(&text);
                assert!(decoded < 300, "{decoded} bytes of {}", text.len());
            }
        }
    }
}
