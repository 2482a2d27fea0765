//! Fields that are an `Option` although the member is required, because an older revision does not
//! require it. The programs that use the field do not have to change.

use super::Decode;
use std::borrow::Cow;

/// Returns the place in which the member is decoded.
pub fn place<T: Decode>(field: &mut Option<T>) -> &mut T {
    field.insert(T::vacant())
}

/// Returns the value that is encoded: an empty one if the program has set none.
pub fn value<T: Decode + Clone>(field: &Option<T>) -> Cow<'_, T> {
    match field {
        Some(value) => Cow::Borrowed(value),
        None => Cow::Owned(T::vacant()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(unreachable_pub, reason = "the macro makes public items")]

    use crate::codec::{self, Extra};
    use crate::json;

    #[derive(Clone, Debug, PartialEq, Default)]
    struct Book {
        pages: Option<i64>,
        authors: Option<Vec<String>>,
        extra: Extra,
    }

    codec::object_codec! {
        Book = "Book", extra(extra);
        new();
        0 "pages" int(0..=900) @kept pages = some(i64);
        1 "authors" list @kept authors = some(impl Into<Vec<String>>);
    }

    #[test]
    fn member_is_required_and_checked() {
        let read = |text: &str| json::from_str::<Book>(text);
        let book = read(r#"{"pages": 3, "authors": ["a"]}"#).ok();
        assert_eq!(book, Some(Book::new().pages(3).authors(["a".to_owned()])));
        for invalid in [
            r#"{"authors": []}"#,
            r#"{"pages": null, "authors": []}"#,
            r#"{"pages": 901, "authors": []}"#,
        ] {
            assert!(read(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn unset_member_is_written_as_an_empty_value() {
        let text = serde_json::to_string(&Book::new()).ok();
        assert_eq!(text.as_deref(), Some(r#"{"pages":0,"authors":[]}"#));
    }
}
