//! Names with a prefix: identifiers of extensions and keys of `_meta`.

/// Returns the prefix of a name of the form `prefix/name`, without the slash.
///
/// The prefix consists of labels that are separated by dots. A label begins with a letter and ends
/// with a letter or digit; between them are letters, digits and hyphens. The name begins and ends
/// with a letter or digit; between them are also hyphens, underscores and dots (page "Overview" of
/// the specification, section "`_meta`", whose rules apply to identifiers of extensions).
///
/// # Errors
///
/// What is wrong with the name.
pub fn prefix(name: &str) -> Result<&str, &'static str> {
    let Some((prefix, rest)) = name.split_once('/') else {
        return Err("expected a prefix and a name, such as `com.example/audit`");
    };
    let is_label = |label: &str| {
        label.starts_with(|first: char| first.is_ascii_alphabetic())
            && label.ends_with(|last: char| last.is_ascii_alphanumeric())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if !prefix.split('.').all(is_label) {
        return Err("the prefix is not a list of labels that are separated by dots");
    }
    let ends = |at: Option<char>| at.is_some_and(|at| at.is_ascii_alphanumeric());
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if !ends(rest.chars().next()) || !ends(rest.chars().last()) || !rest.bytes().all(inside) {
        return Err(
            "the name after the prefix has to begin and end with a letter or digit, and may \
             contain hyphens, underscores and dots",
        );
    }
    Ok(prefix)
}

/// Returns `true` if a prefix is reserved for the protocol: if its second label is
/// `modelcontextprotocol` or `mcp`.
#[must_use]
pub fn is_reserved(prefix: &str) -> bool {
    let second = prefix.split('.').nth(1);
    second.is_some_and(|label| ["modelcontextprotocol", "mcp"].contains(&label))
}

/// The methods of official extensions that do not begin with the name of their extension.
const OTHER_METHODS: [(&str, &str); 1] =
    [("io.modelcontextprotocol/skills", "resources/directory/read")];

/// Returns `true` if the protocol reserves a method for an official extension: `tasks/get` for
/// `io.modelcontextprotocol/tasks`.
#[must_use]
pub fn owns_method(identifier: &str, method: &str) -> bool {
    let official = identifier.split_once('/');
    let path = method.strip_prefix("notifications/").unwrap_or(method);
    let first = path.split('/').next();
    official.is_some_and(|(prefix, name)| is_reserved(prefix) && first == Some(name))
        || OTHER_METHODS.contains(&(identifier, method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_need_a_prefix_of_labels() {
        for (name, expected) in [("com.example/a", "com.example"), ("a-1/b_.c", "a-1")] {
            assert_eq!(prefix(name), Ok(expected));
        }
        for name in [
            "audit",
            "/audit",
            "com./a",
            "1com/a",
            "com-/a",
            "com.example/",
            "com.example/-a",
            "com.example/a-",
            "com.example/a b",
            "com.exämple/a",
            "com/a/b",
        ] {
            assert!(prefix(name).is_err(), "{name}");
        }
    }

    #[test]
    fn prefixes_of_the_protocol_are_reserved() {
        for reserved in ["io.modelcontextprotocol", "com.mcp", "dev.mcp.tools"] {
            assert!(is_reserved(reserved), "{reserved}");
        }
        for free in ["com.example", "mcp", "com.example.mcp"] {
            assert!(!is_reserved(free), "{free}");
        }
    }

    #[test]
    fn official_extensions_own_methods() {
        let tasks = "io.modelcontextprotocol/tasks";
        for own in ["tasks/get", "notifications/tasks", "notifications/tasks/x"] {
            assert!(owns_method(tasks, own), "{own}");
            assert!(!owns_method("com.example/tasks", own), "{own}");
        }
        assert!(!owns_method(tasks, "tools/call"));
        let skills = "io.modelcontextprotocol/skills";
        assert!(owns_method(skills, "resources/directory/read"));
        assert!(!owns_method(tasks, "resources/directory/read"));
    }
}
