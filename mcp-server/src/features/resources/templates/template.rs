//! [`Template`]: URI templates (RFC 6570), matched against URIs.

use mcp_types::json::Map;
use mcp_types::uri::canonical_literal;
use regex_lite::{Captures, Regex};

use crate::util::uri_syntax::decode;

/// A template that can be matched against URIs.
pub(crate) struct Template {
    regex: Regex,
    groups: Vec<ExpressionGroup>,
}

/// The variables that a group of the regular expression captures.
enum ExpressionGroup {
    /// The value of one variable.
    Value(String),
    /// Pairs of names and values, such as a query, and their separator.
    Pairs(Vec<String>, char),
}

/// Why a template cannot be used.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum TemplateError {
    #[error("unbalanced braces")]
    Brace,
    #[error("`{{{0}}}`: unknown operator")]
    Operator(String),
    #[error("`{{{0}}}`: invalid name of a variable")]
    Name(String),
    #[error("`{{{0}}}`: prefixes and explosion are not supported")]
    Modifier(String),
    #[error("the variable `{0}` occurs twice")]
    Twice(String),
    #[error(
        "`{{{0}}}`: a literal is needed before this expression, to find where its value begins"
    )]
    Adjacent(String),
    #[error("the template is too large")]
    TooLarge,
}

impl Template {
    pub(crate) fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut pattern = String::from("^");
        let mut groups = Vec::new();
        let mut rest = text;
        let mut open_ended = false;
        let mut is_first = true;
        while let Some((literal, tail)) = rest.split_once('{') {
            let (expression, tail) = tail.split_once('}').ok_or(TemplateError::Brace)?;
            push_literal(&mut pattern, literal, is_first)?;
            is_first = false;
            let (operator, list) = operator(expression)?;
            // Two adjacent expressions: the end of the first one is ambiguous.
            let plain = matches!(operator, None | Some('+'));
            if plain && open_ended && literal.is_empty() {
                return Err(TemplateError::Adjacent(expression.to_owned()));
            }
            open_ended = true;
            let names = names(expression, list)?;
            push_expression(&mut pattern, &mut groups, operator, names);
            rest = tail;
        }
        push_literal(&mut pattern, rest, is_first)?;
        pattern.push('$');
        let template = Self {
            regex: Regex::new(&pattern).map_err(|_| TemplateError::TooLarge)?,
            groups,
        };
        let mut names = template.names();
        while let Some(name) = names.pop() {
            if names.contains(&name) {
                return Err(TemplateError::Twice(name.to_owned()));
            }
        }
        Ok(template)
    }

    /// Returns the names of the variables, in order.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut all = Vec::new();
        for group in &self.groups {
            match group {
                ExpressionGroup::Value(name) => all.push(name.as_str()),
                ExpressionGroup::Pairs(names, _) => all.extend(names.iter().map(String::as_str)),
            }
        }
        all
    }

    /// Returns the decoded values of the variables; `None` if the template does not match the URI,
    /// which is canonical.
    ///
    /// The cost is linear in the length of the URI: `regex-lite` does not backtrack, and takes at
    /// most time proportional to the size of the pattern, which is part of the program, times the
    /// length of the text. Decoding visits each character of a value once.
    pub(crate) fn matches(&self, uri: &str) -> Option<Map<String>> {
        let captures: Captures<'_> = self.regex.captures(uri)?;
        let mut values = Map::new();
        for (group, at) in self.groups.iter().zip(1..) {
            let Some(caught) = captures.get(at) else {
                continue;
            };
            match group {
                ExpressionGroup::Value(name) => {
                    values.insert(name, decode(caught.as_str())?);
                }
                ExpressionGroup::Pairs(names, between) => {
                    pairs(&mut values, names, caught.as_str(), *between)?;
                }
            }
        }
        Some(values)
    }
}

/// Splits an expression into its operator and its list of variables.
fn operator(expression: &str) -> Result<(Option<char>, &str), TemplateError> {
    let mut characters = expression.chars();
    match characters.next() {
        Some(operator @ ('+' | '#' | '.' | '/' | ';' | '?' | '&')) => {
            Ok((Some(operator), characters.as_str()))
        }
        Some('=' | ',' | '!' | '@' | '|') => Err(TemplateError::Operator(expression.to_owned())),
        _ => Ok((None, expression)),
    }
}

fn names(expression: &str, list: &str) -> Result<Vec<String>, TemplateError> {
    let mut names = Vec::new();
    for name in list.split(',') {
        if name.contains([':', '*']) {
            return Err(TemplateError::Modifier(expression.to_owned()));
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || "_.%".contains(c);
        if name.is_empty() || !name.chars().all(fits) {
            return Err(TemplateError::Name(expression.to_owned()));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// Appends a text between expressions, as it is in canonical URIs.
fn push_literal(pattern: &mut String, literal: &str, is_first: bool) -> Result<(), TemplateError> {
    if literal.contains('}') {
        return Err(TemplateError::Brace);
    }
    let literal = canonical_literal(literal, is_first);
    pattern.push_str(&regex_lite::escape(&literal));
    Ok(())
}

/// Appends the pattern of an expression.
fn push_expression(
    pattern: &mut String,
    groups: &mut Vec<ExpressionGroup>,
    operator: Option<char>,
    names: Vec<String>,
) {
    let several = names.len() > 1;
    // The prefix of the first value, the separator, and one value.
    let (first, between, value, optional) = match operator {
        Some(operator @ (';' | '?' | '&')) => {
            let (caught, between) = match operator {
                ';' => ("((?:;[^;/?#]*)*)", ';'),
                '?' => (r"(?:\?([^#]*))?", '&'),
                _ => ("((?:&[^&#]*)*)", '&'),
            };
            pattern.push_str(caught);
            groups.push(ExpressionGroup::Pairs(names, between));
            return;
        }
        Some('+') if several => ("", ",", "([^,]+?)", false),
        Some('+') => ("", ",", "(.+?)", false),
        Some('#') if several => ("#", ",", "([^,]*?)", true),
        Some('#') => ("#", ",", "(.*?)", true),
        Some('.') if several => (r"\.", r"\.", "([^./?#]*)", true),
        Some('.') => (r"\.", r"\.", "([^/?#]*)", true),
        Some('/') => ("/", "/", "([^/?#]*)", true),
        _ if several => ("", ",", "([^/?#,]+)", false),
        _ => ("", ",", "([^/?#]+)", false),
    };
    let mut open = 0;
    let mut prefix = first;
    for name in names {
        if optional {
            // Undefined variables are omitted from the end.
            pattern.push_str("(?:");
            open += 1;
        }
        pattern.push_str(prefix);
        pattern.push_str(value);
        prefix = between;
        groups.push(ExpressionGroup::Value(name));
    }
    pattern.push_str(&")?".repeat(open));
}

/// Reads pairs in any order; `None` if a name is unknown or occurs twice.
fn pairs(values: &mut Map<String>, names: &[String], text: &str, between: char) -> Option<()> {
    for pair in text.split(between).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = names.iter().find(|known| *known == name)?;
        if values.insert(name, decode(value)?).is_some() {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(template: &str, uri: &str) -> Option<Vec<(String, String)>> {
        let values = Template::parse(template).unwrap().matches(uri)?;
        Some(values.into_iter().map(|(k, v)| (k.clone(), v)).collect())
    }

    #[test]
    fn uris_are_matched_with_every_operator() {
        for (template, uri, expected) in [
            ("x:{a}", "x:1", "a=1"),
            ("x:{a}/{b}", "x:1/2%2F3", "a=1 b=2/3"),
            ("x:{a,b}", "x:1,2", "a=1 b=2"),
            ("x:{+a}/end", "x:1/2/end", "a=1/2"),
            ("x:{+a}{?q}", "x:1/2?q=3", "a=1/2 q=3"),
            ("x:{+a,b}", "x:1/1,2", "a=1/1 b=2"),
            ("x:y{#a}", "x:y#1/2", "a=1/2"),
            ("x:y{#a}", "x:y", ""),
            ("x:y{.a}", "x:y.tar.gz", "a=tar.gz"),
            ("x:y{.a,b}", "x:y.tar.gz", "a=tar b=gz"),
            ("x:y{/a,b}", "x:y/1/2", "a=1 b=2"),
            ("x:y{/a,b}", "x:y/1", "a=1"),
            ("x:y{;a,b}", "x:y;a=1;b", "a=1 b="),
            ("x:y{?a,b}", "x:y?b=2&a=1", "b=2 a=1"),
            ("x:y{?a,b}", "x:y", ""),
            ("x:y?z=0{&a}", "x:y?z=0&a=%C3%A9", "a=é"),
            ("x:{a}:{b}", "x:1:2", "a=1 b=2"),
        ] {
            let found = matched(template, uri).map(|values| {
                let pairs: Vec<_> = values.iter().map(|(k, v)| format!("{k}={v}")).collect();
                pairs.join(" ")
            });
            assert_eq!(found.as_deref(), Some(expected), "{template} with {uri}");
        }
    }

    #[test]
    fn uri_that_a_template_cannot_expand_to_does_not_match() {
        for (template, uri) in [
            ("x:{a}", "x:"),
            ("x:{a}", "x:1/2"),
            ("x:{a}", "x:%zz"),
            ("x:{a}", "x:%ff"),
            ("x:{a}", "y:1"),
            ("x:{a}", "x:1 x:"),
            ("x.y:{a}", "xzy:1"),
            ("x:y{?a}", "x:y?b=1"),
            ("x:y{?a}", "x:y?a=1&a=2"),
        ] {
            let found = matched(template, uri);
            let allowed = uri == "x:1 x:";
            assert_eq!(found.is_some(), allowed, "{template} with {uri}: {found:?}");
        }
    }

    #[test]
    fn unsupported_templates_are_rejected() {
        use TemplateError::*;
        let text = str::to_owned;
        for (template, error) in [
            ("x:{a", Brace),
            ("x:a}", Brace),
            ("x:{=a}", Operator(text("=a"))),
            ("x:{}", Name(String::new())),
            ("x:{a b}", Name(text("a b"))),
            ("x:{a:3}", Modifier(text("a:3"))),
            ("x:{?a*}", Modifier(text("?a*"))),
            ("x:{a}/{a}", Twice(text("a"))),
            ("x:{a}{b}", Adjacent(text("b"))),
        ] {
            assert_eq!(Template::parse(template).err(), Some(error), "{template}");
        }
    }
}
