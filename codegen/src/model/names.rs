//! Converts names of a schema to Rust names.

use crate::schema::walk_mut;
use heck::{ToSnakeCase, ToUpperCamelCase};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use unicode_ident::{is_xid_continue, is_xid_start};

/// The types and traits of Rust's prelude, and other names that would mislead.
const PRELUDE: [&str; 37] = [
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "Error",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Self",
    "Send",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "Vec",
];

/// The types of the support code that generated files import.
pub(crate) const SUPPORT: [&str; 6] = ["Base64Text", "Extra", "Map", "Number", "Object", "Value"];

/// Returns `true` for a text that is no identifier, such as a keyword of the newest edition.
pub(crate) fn is_keyword(ident: &str) -> bool {
    ident == "gen" || syn::parse_str::<syn::Ident>(ident).is_err()
}

/// Returns the Rust name of a definition. One that would hide a name of Rust or of the support code
/// gets the suffix `Object`.
#[must_use]
pub fn type_ident(name: &str) -> String {
    let ident = upper_camel(name);
    if PRELUDE.contains(&ident.as_str()) || SUPPORT.contains(&ident.as_str()) {
        return format!("{ident}Object");
    }
    ident
}

/// Names of members that would hide something: the field for undeclared members, and the
/// constructor.
const MEMBERS: [&str; 2] = ["extra", "new"];

/// Returns the Rust name of a member beside those that are `taken`. The name in JSON decides: a
/// reversed domain at its start is kept only if another member has the name without it.
pub(super) fn member_ident(json: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let taken = |ident: &str| MEMBERS.contains(&ident) || taken(ident);
    // A keyword gets the suffix `_`.
    let usable = |ident: String| {
        if is_keyword(&ident) {
            format!("{ident}_")
        } else {
            ident
        }
    };
    let mut ident = usable(field_ident(json));
    if taken(&ident) {
        ident = usable(snake_ident(json));
    }
    while taken(&ident) {
        ident.push('_');
    }
    ident
}

fn upper_camel(name: &str) -> String {
    if name.chars().all(|c| c.is_ascii_alphanumeric())
        && name.starts_with(|c: char| c.is_ascii_uppercase())
    {
        return words(name).iter().map(|word| capitalize(word)).collect();
    }
    let ident = separated(name).to_upper_camel_case();
    if ident.starts_with(|c: char| c.is_ascii_alphabetic()) {
        ident
    } else {
        format!("T{ident}")
    }
}

/// Returns definitions with names that are distinct in Rust, too. A definition whose Rust name
/// another one has gets a number.
#[must_use]
pub fn distinct_names(definitions: Map<String, Value>) -> Map<String, Value> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut renamed: BTreeMap<&String, String> = BTreeMap::new();
    for name in definitions.keys() {
        if taken.insert(type_ident(name)) {
            continue;
        }
        let spelled = name.replace("[]", " array");
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let mut candidates = std::iter::once(spelled).chain(numbered);
        let free = candidates.find(|candidate| {
            !definitions.contains_key(candidate) && taken.insert(type_ident(candidate))
        });
        renamed.insert(name, free.unwrap_or_default());
    }
    if renamed.is_empty() {
        return definitions;
    }
    let mut all = Map::new();
    for (name, schema) in &definitions {
        let mut schema = schema.clone();
        walk_mut(&mut schema, &mut |members| {
            let target = members.get("$ref").and_then(Value::as_str);
            let target = target.and_then(|target| target.strip_prefix("#/$defs/"));
            let new = target.and_then(|target| renamed.get(&target.to_owned()));
            if let Some(new) = new {
                members.insert("$ref".to_owned(), format!("#/$defs/{new}").into());
            }
        });
        let name = renamed.get(name).unwrap_or(name);
        all.insert(name.clone(), schema);
    }
    all
}

/// Acronyms that schemas write in capitals, possibly several in a row.
const ACRONYMS: [&str; 12] = [
    "API", "CSS", "HTML", "HTTP", "HTTPS", "ID", "JSON", "RPC", "SQL", "URI", "URL", "XML",
];

/// Converts a word of a type name to the case of Rust: `URL` to `Url`, and `HTTPAPI` to `HttpApi`.
fn capitalize(word: &str) -> String {
    if word.len() < 2 || !word.chars().all(|c| c.is_ascii_uppercase()) {
        return word.to_owned();
    }
    let (first, rest) = split_acronym(word);
    let mut capitalized = first[..1].to_owned();
    capitalized.push_str(&first[1..].to_ascii_lowercase());
    if let Some(rest) = rest {
        capitalized.push_str(&capitalize(rest));
    }
    capitalized
}

/// Splits off the first acronym of a word if the whole word consists of acronyms.
fn split_acronym(word: &str) -> (&str, Option<&str>) {
    if ACRONYMS.contains(&word) {
        return (word, None);
    }
    let split = ACRONYMS.iter().find_map(|acronym| {
        let rest = word.strip_prefix(acronym)?;
        let is_whole = ACRONYMS.contains(&rest) || split_acronym(rest).1.is_some();
        is_whole.then(|| (&word[..acronym.len()], Some(rest)))
    });
    split.unwrap_or((word, None))
}

/// Returns the Rust name of a member. A reversed domain at the start, as in `org.example/name`, is
/// omitted.
#[must_use]
pub fn field_ident(json: &str) -> String {
    snake_ident(json.rsplit('/').next().unwrap_or(json))
}

/// Returns the Rust name of a member, with all words of its name in JSON.
pub(super) fn snake_ident(json: &str) -> String {
    let ident = separated(json).to_snake_case();
    let ident = if ident.is_empty() {
        "empty".to_owned()
    } else {
        ident
    };
    if ident.starts_with(is_xid_start) {
        ident
    } else {
        format!("n{ident}")
    }
}

/// Returns the Rust name of a variant.
#[must_use]
pub fn variant_ident(text: &str) -> String {
    let ident = separated(text).to_upper_camel_case();
    match ident.chars().next() {
        None => "Empty".to_owned(),
        Some(c) if !is_xid_start(c) => format!("N{ident}"),
        Some(_) if ident == "Self" => "Itself".to_owned(),
        Some(_) => ident,
    }
}

/// Replaces the characters that an identifier cannot contain.
fn separated(name: &str) -> String {
    name.replace(|c: char| !is_xid_continue(c), "-")
}

/// Splits a type name into words: `HTTPAPIErrorPage` into `HTTPAPI`, `Error`, `Page`.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|i| chars.get(i));
        let starts = c.is_uppercase()
            && before.is_some_and(|b| {
                !b.is_uppercase() || chars.get(at + 1).is_some_and(|n| n.is_lowercase())
            });
        if starts && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.push(*c);
    }
    words.push(word);
    words
}

/// Returns short names for the variants of a union, without the words that all type names share.
#[must_use]
pub(super) fn shorten(names: &[String]) -> Vec<String> {
    let split: Vec<Vec<String>> = names.iter().map(|name| words(name)).collect();
    let shortest = split.iter().map(Vec::len).min().unwrap_or(0);
    let common = |at: &dyn Fn(&Vec<String>, usize) -> String| {
        (0..shortest)
            .take_while(|i| split.iter().all(|words| at(words, *i) == at(&split[0], *i)))
            .count()
    };
    if names.len() < 2 {
        return names.to_vec();
    }
    let front = common(&|words, i| words[i].clone());
    let back = common(&|words, i| words[words.len() - 1 - i].clone());
    split
        .iter()
        .zip(names)
        .map(|(words, name)| {
            let end = words.len() - back;
            if front < end {
                words[front..end]
                    .iter()
                    .map(|word| capitalize(word))
                    .collect()
            } else {
                name.clone()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{field_ident, snake_ident, type_ident, variant_ident};

    #[test]
    fn acronyms_are_written_in_the_case_of_rust() {
        for (name, ident) in [
            ("Book", "Book"),
            ("OpenURLParams", "OpenUrlParams"),
            ("HTTPAPIMessage", "HttpApiMessage"),
            ("HTTPSURL", "HttpsUrl"),
            ("TaskID", "TaskId"),
            ("SARIF", "Sarif"),
            ("XAxis", "XAxis"),
            ("Axis2D", "Axis2D"),
            ("Error", "ErrorObject"),
            ("vendor.thing", "VendorThing"),
        ] {
            assert_eq!(type_ident(name), ident);
        }
    }

    #[test]
    fn any_text_becomes_an_identifier() {
        for text in [
            "",
            "2/a",
            "-",
            "2",
            "\u{663}",
            "\u{24d0}b",
            "\u{1f600}",
            "self",
            "Self",
            "a\u{b2}",
            "\u{e9}t\u{e9}",
        ] {
            for ident_of in [type_ident, field_ident, snake_ident, variant_ident] {
                let ident = format!("{}_", ident_of(text));
                assert!(
                    syn::parse_str::<syn::Ident>(&ident).is_ok(),
                    "{text}: {ident}"
                );
            }
        }
        for name in ["self", "Self", "option", "ERR"] {
            assert!(type_ident(name).ends_with("Object"), "{name}");
        }
    }
}
