//! Regular expressions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::ecma::translate;

/// The functions for the regular expressions of a schema.
#[derive(Default)]
pub(super) struct Patterns {
    /// Whether the output may use the crate `regex`.
    enabled: bool,
    /// The numbers of the functions, by the expression as it is written in the schema.
    numbers: BTreeMap<String, usize>,
    functions: String,
}

impl Patterns {
    pub(super) fn new(enabled: bool) -> Self {
        Self {
            enabled,
            numbers: BTreeMap::new(),
            functions: String::new(),
        }
    }

    /// Returns an expression for a pattern, or `None` if the crate `regex` cannot express it, such as
    /// one that looks ahead.
    pub(super) fn add(&mut self, source: &str) -> Option<String> {
        let known = self.numbers.get(source).copied();
        let number = known.unwrap_or(self.numbers.len() + 1);
        if known.is_none() {
            self.function(source, number)?;
            self.numbers.insert(source.to_owned(), number);
        }
        Some(format!(
            "codec::Pattern {{ source: {source:?}, matches: matches_{number} }}"
        ))
    }

    fn function(&mut self, source: &str, number: usize) -> Option<()> {
        let expression = regex::Regex::new(&translate(source)?).ok()?;
        if !self.enabled {
            return None;
        }
        let expression = expression.as_str();
        // A version of the crate that does not know the expression accepts no value.
        write!(
            self.functions,
            "\nfn matches_{number}(text: &str) -> bool {{\n    \
             static PATTERN: std::sync::LazyLock<Option<regex::Regex>> =\n        \
             std::sync::LazyLock::new(|| regex::Regex::new({expression:?}).ok());\n    \
             PATTERN.as_ref().is_some_and(|pattern| pattern.is_match(text))\n}}\n"
        )
        .ok()
    }

    pub(super) fn functions(self) -> String {
        self.functions
    }
}
