//! [`Document`]: parsing, checking and printing of schema documents.

use serde_json::{Map, Value};

use super::dialect::{Dialect, Draft};
use super::duplicate::{Duplicate, duplicate};
use super::exact::ExactNumbers;
use super::gather::{Gathering, Ignored, RootName, gather};
use super::numbers::make_whole;
use super::{SchemaError, check, pointer, prose, walk_mut};

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
    /// The name of the definition that is the root of the document, unless it only lists definitions.
    pub root: Option<String>,
    /// The draft of the file, if it is known. Keywords of others are left out.
    pub draft: Option<Draft>,
    /// The keywords that were left out.
    pub(super) ignored: Vec<Ignored>,
    /// The numbers for which others stand.
    pub(crate) numbers: ExactNumbers,
}

impl Document {
    /// Parses and checks a document.
    ///
    /// All keywords of JSON Schema are accepted, and any others; [`Document::simplified`] tells
    /// which of them no type can express.
    ///
    /// # Errors
    ///
    /// Returns the first error: the text is not JSON or not a schema, a member occurs twice in it, or
    /// it has a reference to something that the document does not contain.
    pub fn parse(file: &str, text: &str) -> Result<Self, SchemaError> {
        let stem = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let stem = stem.split('.').next().unwrap_or(stem);
        Self::read(file, text, RootName::OfFile(stem))
    }

    /// Parses and checks a document whose root is a type, and gives the type a name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`parse`](Self::parse), and an error if the root only lists definitions,
    /// or if one of these has the name.
    pub fn parse_with_root(file: &str, text: &str, name: &str) -> Result<Self, SchemaError> {
        let document = Self::read(file, text, RootName::Chosen(name))?;
        let problem = match &document.root {
            None => "the root is no type, because it only lists definitions",
            Some(found) if found != name => "a definition of the file has this name",
            Some(_) => return Ok(document),
        };
        Err(SchemaError::RootName {
            file: file.to_owned(),
            name: name.to_owned(),
            problem,
        })
    }

    fn read(file: &str, text: &str, name: RootName<'_>) -> Result<Self, SchemaError> {
        let (text, numbers) = ExactNumbers::replaced(text);
        let mut root: Value =
            serde_json::from_str(&text).map_err(|source| SchemaError::NotJson {
                file: file.to_owned(),
                source,
            })?;
        if let Some(Duplicate { pointer, source }) = duplicate(&text) {
            return Err(SchemaError::Duplicate {
                file: file.to_owned(),
                line: source.line(),
                pointer,
            });
        }
        check::schema(file, "", &root)?;
        walk_mut(&mut root, &mut |members| {
            make_whole(members, &numbers);
        });
        let gathered = gather(&root, name).map_err(|dangling| SchemaError::DanglingRef {
            file: file.to_owned(),
            pointer: dangling.pointer,
            reference: dangling.reference,
        })?;
        let Gathering {
            definitions,
            root: root_name,
            ignored,
        } = gathered;
        let document = Self {
            file: file.to_owned(),
            dialect: Dialect::of(&root),
            definitions,
            root: root_name,
            draft: Draft::of(&root),
            ignored,
            numbers,
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
        let circular = check::circular(&self.definitions);
        for (name, schema) in &self.definitions {
            let at = pointer::join(&format!("/{}", self.dialect.keyword()), name);
            check::schema(&self.file, &at, schema)?;
            check::references(&self.file, &at, schema, &self.definitions)?;
            if circular.contains(name.as_str()) {
                let expected = "a reference to a type, not a cycle of references";
                return Err(check::unexpected_value(&self.file, &at, expected, schema));
            }
        }
        Ok(())
    }

    /// Gives the definitions other names, in the same order.
    pub(crate) fn set_names(&mut self, rename: fn(Map<String, Value>) -> Map<String, Value>) {
        let root = self.root.take();
        let at = self
            .definitions
            .keys()
            .position(|it| Some(it) == root.as_ref());
        self.definitions = rename(std::mem::take(&mut self.definitions));
        self.root = at.and_then(|at| self.definitions.keys().nth(at).cloned());
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
