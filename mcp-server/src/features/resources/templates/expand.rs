//! [`expand`]: the URI of a template (RFC 6570) with these variables.

use std::fmt::Write as _;

use mcp_types::json::Map;

/// How the values of an expression are written.
struct Operator {
    /// What stands before the first value.
    first: &'static str,
    /// What stands between values.
    between: &'static str,
    /// `true` if values have their names before them.
    is_named: bool,
    /// `true` if reserved characters are not escaped.
    keeps_reserved: bool,
}

/// Returns the URI of a template that was checked before. Variables without a value are left out.
pub(crate) fn expand(template: &str, values: &Map<String>) -> String {
    let mut uri = String::new();
    let mut rest = template;
    while let Some((literal, tail)) = rest.split_once('{') {
        uri.push_str(literal);
        let Some((expression, tail)) = tail.split_once('}') else {
            break;
        };
        rest = tail;
        let (operator, names) = operator(expression);
        let mut separator = operator.first;
        for name in names.split(',') {
            let Some(value) = values.get(name) else {
                continue;
            };
            uri.push_str(separator);
            separator = operator.between;
            if operator.is_named {
                uri.push_str(name);
                // `;name` and `?name=`, as the RFC has it.
                if !value.is_empty() || separator == "&" {
                    uri.push('=');
                }
            }
            push_value(&mut uri, value, operator.keeps_reserved);
        }
    }
    uri.push_str(rest);
    uri
}

fn operator(expression: &str) -> (Operator, &str) {
    let known = [
        ('+', "", ",", false, true),
        ('#', "#", ",", false, true),
        ('.', ".", ".", false, false),
        ('/', "/", "/", false, false),
        (';', ";", ";", true, false),
        ('?', "?", "&", true, false),
        ('&', "&", "&", true, false),
    ];
    for (sign, first, between, is_named, keeps_reserved) in known {
        if let Some(names) = expression.strip_prefix(sign) {
            let operator = Operator {
                first,
                between,
                is_named,
                keeps_reserved,
            };
            return (operator, names);
        }
    }
    let simple = Operator {
        first: "",
        between: ",",
        is_named: false,
        keeps_reserved: false,
    };
    (simple, expression)
}

fn push_value(uri: &mut String, value: &str, keeps_reserved: bool) {
    for byte in value.bytes() {
        let is_kept = match byte {
            b'-' | b'.' | b'_' | b'~' => true,
            b'%' => false,
            _ if keeps_reserved => mcp_types::uri::is_permitted(byte),
            _ => byte.is_ascii_alphanumeric(),
        };
        if is_kept {
            uri.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::template::Template;
    use super::*;

    #[test]
    fn expanded_uri_matches_with_the_same_values() {
        for (template, values, uri) in [
            ("x://{a}", &[("a", "1")][..], "x://1"),
            ("x://{a}/{b}", &[("a", "1")], "x://1/"),
            (
                "x://{a}/{b}",
                &[("a", "ü/?"), ("b", "100%")],
                "x://%C3%BC%2F%3F/100%25",
            ),
            ("x://{+a}", &[("a", "p/q r")], "x://p/q%20r"),
            ("x:y{#a}", &[("a", "b/c")], "x:y#b/c"),
            ("x:y{.a}", &[("a", "txt")], "x:y.txt"),
            ("x:y{/a,b}", &[("a", "1"), ("b", "2")], "x:y/1/2"),
            ("x:y{/a,b}", &[], "x:y"),
            ("x:y{;a,b}", &[("a", "1"), ("b", "")], "x:y;a=1;b"),
            ("x:y{?a,b}", &[("a", ""), ("b", "2&3")], "x:y?a=&b=2%263"),
            ("x:y?z=1{&a}", &[("a", "1")], "x:y?z=1&a=1"),
        ] {
            let values: Map<String> = values
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            assert_eq!(expand(template, &values), uri);
            if let Some(found) = Template::parse(template).unwrap().matches(uri) {
                assert_eq!(found, values, "{template}");
            }
        }
    }
}
