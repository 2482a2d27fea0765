//! [`replace`]: escapes of half a surrogate pair, which some languages write for text that they cut.

/// Replaces escapes of half a surrogate pair, such as `\\ud83d` alone, by the one of U+FFFD.
/// Returns the text and the number of replaced escapes, or `None` if the text contains no such
/// escape.
pub(super) fn replace(text: &str) -> Option<(String, usize)> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut count = 0;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let next = escape.get(6..).and_then(unit);
        let (width, is_half) = match (unit(escape), next) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, false),
            (Some(0xD800..=0xDFFF), _) => (6, true),
            (Some(_), _) => (6, false),
            (None, _) => (2, false),
        };
        let (taken, after) = escape.split_at_checked(width).unwrap_or((escape, ""));
        out.push_str(if is_half { "\\ufffd" } else { taken });
        count += usize::from(is_half);
        rest = after;
    }
    out.push_str(rest);
    (count > 0).then_some((out, count))
}

/// Returns the UTF-16 unit of an escape at the beginning of a text.
fn unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_are_replaced() {
        for (text, count, replaced) in [
            (r#""\ud83d""#, 1, r#""\ufffd""#),
            (r#""\uDE00 \uD83D""#, 2, r#""\ufffd \ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, 1, r#""\ufffd\ud83d\ude00""#),
            (r#""\ud83d\n\\\udc00""#, 2, r#""\ufffd\n\\\ufffd""#),
        ] {
            let expected = Some((replaced.to_owned(), count));
            assert_eq!(replace(text), expected, "{text}");
        }
        for text in [
            r#""\\ud83d""#,
            r#""\ud83d\ude00 \u00e9 \" \\""#,
            r#""é""#,
            "\\",
            "\\é",
            "\\u12",
        ] {
            assert_eq!(replace(text), None, "{text}");
        }
    }
}
