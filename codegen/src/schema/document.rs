//! [`Document`]: parsing, checking and printing of schema documents.

use serde_json::{Map, Value};

use super::walk::reference_to;
use super::{SchemaError, check, pointer, prose, walk_mut};

/// The version of JSON Schema in which a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Draft 07, or draft 04, which is the same within the supported subset. Types are defined
    /// under `definitions`.
    Draft07,
    /// Draft 2020-12. Types are defined under `$defs`.
    Draft2020,
}

impl Dialect {
    /// Returns the value of `$schema`.
    #[must_use]
    pub fn uri(self) -> &'static str {
        match self {
            Self::Draft07 => "http://json-schema.org/draft-07/schema#",
            Self::Draft2020 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// Returns the name of the member that contains the definitions.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Draft07 => "definitions",
            Self::Draft2020 => "$defs",
        }
    }
}

/// The definitions of a schema document, in the order of the file.
///
/// In memory every `$ref` has the form `#/$defs/Name` in all dialects, with the name exactly as in
/// the definitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The name of the file, for messages.
    pub file: String,
    /// The dialect of the file.
    pub dialect: Dialect,
    /// The schemas of the types, by name.
    pub definitions: Map<String, Value>,
}

impl Document {
    /// Parses and checks a document.
    ///
    /// # Errors
    ///
    /// Returns the first error: the text is not JSON or not a schema, it has an unsupported
    /// keyword, or a reference to something that the document does not define.
    pub fn parse(file: &str, text: &str) -> Result<Self, SchemaError> {
        let root: Value = serde_json::from_str(text).map_err(|source| SchemaError::NotJson {
            file: file.to_owned(),
            source,
        })?;
        let Value::Object(mut root) = root else {
            return Err(check::unexpected_value(file, "", "an object", &root));
        };
        let (keyword, definitions) =
            match (root.shift_remove("definitions"), root.shift_remove("$defs")) {
                (Some(definitions), None) => ("definitions", definitions),
                (None, Some(definitions)) => ("$defs", definitions),
                (None, None) => {
                    return Err(SchemaError::NoDefinitions {
                        file: file.to_owned(),
                    });
                }
                (Some(_), Some(second)) => {
                    return Err(check::unexpected_value(
                        file,
                        "/$defs",
                        "`definitions` or `$defs`, not both",
                        &second,
                    ));
                }
            };
        let at = format!("/{keyword}");
        let Value::Object(mut definitions) = definitions else {
            return Err(check::unexpected_value(
                file,
                &at,
                "an object with schemas as values",
                &definitions,
            ));
        };
        root.iter()
            .try_for_each(|(name, value)| check::member(file, "", name, value))?;
        let names: Vec<String> = definitions.keys().cloned().collect();
        for (name, schema) in &mut definitions {
            let at = pointer::join(&at, name);
            check::schema(file, &at, schema)?;
            localise(file, &at, keyword, schema, &names)?;
        }
        let document = Self {
            file: file.to_owned(),
            dialect: dialect(&root, keyword),
            definitions,
        };
        document.check()?;
        Ok(document)
    }

    /// Checks the definitions again after a change.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Document::parse`].
    pub fn check(&self) -> Result<(), SchemaError> {
        for (name, schema) in &self.definitions {
            let at = pointer::join(&format!("/{}", self.dialect.keyword()), name);
            check::schema(&self.file, &at, schema)?;
            check::references(&self.file, &at, schema, &self.definitions)?;
            if check::circular(name, &self.definitions) {
                let expected = "a reference to a type, not a cycle of references";
                return Err(check::unexpected_value(&self.file, &at, expected, schema));
            }
        }
        Ok(())
    }

    /// Returns the document without texts for people: without `description`, `title`, `$comment`,
    /// `examples` and similar keywords. Properties with these names are kept.
    #[must_use]
    pub fn without_prose(&self) -> Self {
        let mut copy = self.clone();
        for schema in copy.definitions.values_mut() {
            prose::strip(schema);
        }
        copy
    }

    /// Returns the document as a JSON Schema file in the published form: `$schema`, then the
    /// definitions under the keyword of the dialect, indented by two spaces, with a line feed at
    /// the end.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut definitions = self.definitions.clone();
        for schema in definitions.values_mut() {
            walk_mut(schema, &mut |members| {
                let name = members.get("$ref").and_then(Value::as_str);
                if let Some(name) = name.and_then(|text| text.strip_prefix("#/$defs/")) {
                    let published = format!("#/{}/{}", self.dialect.keyword(), fragment(name));
                    members.insert("$ref".to_owned(), Value::String(published));
                }
            });
        }
        let mut root = Map::new();
        root.insert(
            "$schema".to_owned(),
            Value::String(self.dialect.uri().to_owned()),
        );
        root.insert(
            self.dialect.keyword().to_owned(),
            Value::Object(definitions),
        );
        format!("{:#}\n", Value::Object(root))
    }
}

fn dialect(root: &Map<String, Value>, keyword: &str) -> Dialect {
    match root.get("$schema").and_then(Value::as_str) {
        Some(uri) if uri.contains("2020-12") || uri.contains("2019-09") => Dialect::Draft2020,
        None if keyword == "$defs" => Dialect::Draft2020,
        Some(_) | None => Dialect::Draft07,
    }
}

/// Converts the references of one definition to the form used in memory.
fn localise(
    file: &str,
    at: &str,
    keyword: &str,
    schema: &mut Value,
    names: &[String],
) -> Result<(), SchemaError> {
    let mut faults = Vec::new();
    super::walk(schema, at, &mut |at, members| {
        if let Some(Value::String(text)) = members.get("$ref") {
            let target = local_name(text, keyword);
            if target.as_ref().is_none_or(|name| !names.contains(name)) {
                let (file, pointer) = (file.to_owned(), pointer::join(at, "$ref"));
                let reference = text.clone();
                faults.push(match target {
                    Some(_) => SchemaError::DanglingRef {
                        file,
                        pointer,
                        reference,
                    },
                    None => SchemaError::ForeignRef {
                        file,
                        pointer,
                        reference,
                    },
                });
            }
        }
    });
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }
    walk_mut(schema, &mut |members| {
        let name = members.get("$ref").and_then(Value::as_str);
        if let Some(name) = name.and_then(|text| local_name(text, keyword)) {
            members.insert("$ref".to_owned(), Value::String(reference_to(&name)));
        }
    });
    Ok(())
}

/// Returns the name in `#/definitions/Name`, or `None` for a reference of another form.
fn local_name(reference: &str, keyword: &str) -> Option<String> {
    let token = reference
        .strip_prefix("#/")?
        .strip_prefix(keyword)?
        .strip_prefix('/')?;
    if token.contains('/') {
        return None;
    }
    Some(pointer::unescape(&percent_decoded(token)?))
}

/// Returns `true` for characters that are not percent-encoded in the fragment of a URI.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte)
}

fn fragment(name: &str) -> String {
    let mut text = String::new();
    for byte in pointer::escape(name).bytes() {
        if is_plain(byte) {
            text.push(char::from(byte));
        } else {
            text.push('%');
            let digits = [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16));
            text.extend(
                digits
                    .into_iter()
                    .flatten()
                    .map(|digit| digit.to_ascii_uppercase()),
            );
        }
    }
    text
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
