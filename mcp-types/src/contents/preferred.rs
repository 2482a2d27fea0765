//! Which of the contents of a resource is its preferred representation.

use std::cmp::Reverse;

use crate::AnyResourceContents;
use crate::uri::is_equivalent;

impl AnyResourceContents {
    /// Returns the index of the preferred representation of a resource among the contents that
    /// `resources/read` returned; `None` if no contents have the URI of the resource.
    ///
    /// `mime_type` is the media type of the [`Resource`](crate::Resource), which names its
    /// preferred representation: the first contents with this type are preferred, or else the first
    /// with the URI of the resource. Contents with another URI belong to another resource, such as
    /// a member of a collection. Parameters of media types only matter if several representations
    /// differ in nothing else.
    ///
    /// ```
    /// use mcp_types::{AnyResourceContents, TextResourceContents};
    ///
    /// let plain = TextResourceContents::new("demo:page", "Hello").mime_type("text/plain");
    /// let page = TextResourceContents::new("demo:page", "<p>Hello</p>").mime_type("text/html");
    /// let other = TextResourceContents::new("demo:other", "<p>Bye</p>").mime_type("text/html");
    /// let contents = [other, plain, page].map(AnyResourceContents::from);
    ///
    /// let preferred = AnyResourceContents::preferred;
    /// assert_eq!(preferred(&contents, "demo:page", Some("text/html")), Some(2));
    /// assert_eq!(preferred(&contents, "demo:page", None), Some(1));
    /// assert_eq!(preferred(&contents, "demo:none", Some("text/html")), None);
    /// ```
    #[must_use]
    pub fn preferred(contents: &[Self], uri: &str, mime_type: Option<&str>) -> Option<usize> {
        let likeness = |contents: &Self| match (contents.mime_type(), mime_type) {
            (Some(own), Some(preferred)) => likeness(own, preferred),
            _ => Likeness::Different,
        };
        let own = contents.iter().enumerate();
        let own = own.filter(|(_, contents)| is_equivalent(contents.uri(), uri));
        // Returns the first of several minima.
        let best = own.min_by_key(|(_, contents)| Reverse(likeness(contents)));
        best.map(|(index, _)| index)
    }
}

/// How much two media types have in common.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    Different,
    /// They may differ in their parameters.
    SameEssence,
    Same,
}

fn likeness(one: &str, other: &str) -> Likeness {
    if one.eq_ignore_ascii_case(other) {
        Likeness::Same
    } else if essence(one) == essence(other) {
        Likeness::SameEssence
    } else {
        Likeness::Different
    }
}

/// Returns a media type without its parameters, in lower case.
pub(super) fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use crate::{AnyResourceContents, BlobResourceContents, TextResourceContents};

    fn text(uri: &str, mime_type: Option<&str>) -> AnyResourceContents {
        let mut text = TextResourceContents::new(uri, "");
        text.mime_type = mime_type.map(Into::into);
        text.into()
    }

    #[test]
    fn media_type_of_the_resource_decides_before_the_order() {
        let contents = [
            text("x:child", Some("text/html")),
            text("x:a", None),
            text("x:a", Some("text/plain")),
            text("x:a", Some("text/html; level=2")),
            text("x:a", Some("Text/HTML;level=1")),
            BlobResourceContents::new("x:a", "")
                .mime_type("image/png")
                .into(),
        ];
        for (uri, mime_type, expected) in [
            ("x:a", None, Some(1)),
            ("x:a", Some("application/pdf"), Some(1)),
            ("x:a", Some("text/plain"), Some(2)),
            ("x:a", Some("TEXT/plain; charset=utf-8"), Some(2)),
            ("x:a", Some("text/html"), Some(3)),
            ("x:a", Some("text/html;level=1"), Some(4)),
            ("x:a", Some("image/png"), Some(5)),
            ("x:child", Some("text/plain"), Some(0)),
            ("x:none", Some("text/html"), None),
        ] {
            let found = AnyResourceContents::preferred(&contents, uri, mime_type);
            assert_eq!(found, expected, "{uri} {mime_type:?}");
        }
    }
}
