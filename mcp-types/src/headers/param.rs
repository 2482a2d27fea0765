//! The parameters of a tool that are repeated in headers.

use std::borrow::Cow;
use std::collections::HashMap;

use super::check::{HeaderMismatch, MismatchReason, excerpt, single};
use super::name::{ANNOTATION, PARAM_PREFIX};
use super::param_error::{HeaderParamError, HeaderParamReason, LONGEST_WAY};
use super::value::decode_value;
use crate::error::{Path, Segment};
use crate::json::{self, Object, Value};

/// The largest integer that every peer can represent, 2<sup>53</sup> - 1. Its negative is the
/// smallest.
const SAFE: i64 = (1 << 53) - 1;

/// A parameter of a tool that is repeated in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderParam {
    name: String,
    header: String,
    path: Path,
    kind: ParamKind,
}

/// The type of a parameter, as given by its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// A string.
    String,
    /// An integer from -2<sup>53</sup> + 1 to 2<sup>53</sup> - 1.
    Integer,
    /// A boolean.
    Boolean,
}

impl HeaderParam {
    /// Returns the name as it is written in the schema.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of the header, in lower case: [`PARAM_PREFIX`] followed by the name.
    #[must_use]
    pub fn header(&self) -> &str {
        &self.header
    }

    /// Returns the path of the value in the arguments of a call.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the type of the values.
    #[must_use]
    pub fn kind(&self) -> ParamKind {
        self.kind
    }

    /// Returns the text for the header, not encoded yet. Returns `None` if the value is absent or
    /// `null`; then no header is sent.
    ///
    /// The text depends on the value, not on [`kind`](Self::kind): an argument of the wrong type is
    /// reported when the arguments are validated.
    ///
    /// # Errors
    ///
    /// Returns [`MismatchReason::Unfit`] for arrays, objects, fractions, and integers beyond the
    /// safe range.
    pub fn value_in<'a>(
        &self,
        arguments: &'a Object,
    ) -> Result<Option<Cow<'a, str>>, HeaderMismatch> {
        let unfit = |found| Err(self.mismatch(MismatchReason::Unfit { found }));
        Ok(match self.find(arguments) {
            None | Some(Value::Null) => None,
            Some(Value::Bool(true)) => Some("true".into()),
            Some(Value::Bool(false)) => Some("false".into()),
            Some(Value::String(text)) => Some(text.into()),
            Some(Value::Number(number)) if !number.is_integer() => {
                return unfit("a number that is not an integer");
            }
            Some(Value::Number(number)) => match number.to_i64() {
                Some(integer) if is_safe(integer) => Some(integer.to_string().into()),
                _ => return unfit("an integer beyond the safe range"),
            },
            Some(Value::Array(_)) => return unfit("an array"),
            Some(Value::Object(_)) => return unfit("an object"),
        })
    }

    /// Compares the header with the arguments of a call. Integers are compared by value.
    ///
    /// `values` contains all values of [`header`](Self::header) in the request, which may be
    /// encoded.
    ///
    /// # Errors
    ///
    /// Returns a [`HeaderMismatch`] unless there is exactly one value and it equals the argument,
    /// or both are absent.
    pub fn matches<V, I>(&self, values: I, arguments: Option<&Object>) -> Result<(), HeaderMismatch>
    where
        V: AsRef<[u8]>,
        I: IntoIterator<Item = V>,
    {
        let value = single(self.header.clone(), values)?;
        let body = match arguments {
            Some(arguments) => self.value_in(arguments)?,
            None => None,
        };
        let (value, body) = match (value, body) {
            (None, None) => return Ok(()),
            (None, Some(_)) => return Err(self.mismatch(MismatchReason::Missing)),
            (Some(_), None) => return Err(self.mismatch(MismatchReason::Unexpected)),
            (Some(value), Some(body)) => (value, body),
        };
        let value = decode_value(value.as_ref()).map_err(|error| self.mismatch(error.into()))?;
        let same_integer = || {
            let number = arguments.and_then(|arguments| self.find(arguments)?.as_number());
            let integer = number.and_then(json::Number::to_i64);
            integer.is_some() && json::Number::integer_in(&value) == integer
        };
        if value == body || same_integer() {
            return Ok(());
        }
        Err(self.mismatch(MismatchReason::differs(&value, &body)))
    }

    fn mismatch(&self, reason: MismatchReason) -> HeaderMismatch {
        HeaderMismatch::new(self.header.clone(), reason)
    }

    fn find<'a>(&self, arguments: &'a Object) -> Option<&'a Value> {
        let (first, rest) = self.path.segments().split_first()?;
        rest.iter()
            .try_fold(arguments.get(member(first)?)?, |value, step| {
                value.get(member(step)?)
            })
    }
}

fn member(step: &Segment) -> Option<&str> {
    match step {
        Segment::Member(name) => Some(name),
        Segment::Index(_) => None,
    }
}

fn is_safe(integer: i64) -> bool {
    (-SAFE..=SAFE).contains(&integer)
}

/// Returns the parameters that the input schema of a tool marks with `x-mcp-header`, in the order
/// of the schema.
///
/// Only properties that are reached through `properties` alone can be marked, including nested
/// ones. The values of `const`, `default`, `enum` and `examples` are not schemas and are not
/// searched.
///
/// # Errors
///
/// Returns a [`HeaderParamError`] for the first mark that violates a rule. Over HTTP, a client
/// omits such a tool from the list and reports it; a server should not offer it.
pub fn header_params(schema: &Object) -> Result<Vec<HeaderParam>, HeaderParamError> {
    let mut search = Search::default();
    search.schema(schema, Reach::Root)?;
    Ok(search.found)
}

#[derive(Default)]
struct Search<'a> {
    found: Vec<HeaderParam>,
    /// The names of the properties on the path to the current schema.
    way: Vec<&'a str>,
    /// The indices in `found` of the parameters, by the name of their header in lower case.
    headers: HashMap<String, usize>,
}

/// How a schema is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Root,
    /// Through `properties` alone.
    Property,
    /// In any other way. A mark is not allowed here.
    Other,
}

/// The content of a schema keyword.
enum Holds {
    Properties,
    /// Schemas by names that are not keywords.
    Named,
    /// JSON that is not a schema.
    Data,
    /// A schema, a list of schemas, or something without schemas.
    Schemas,
}

fn holds(keyword: &str) -> Holds {
    match keyword {
        "properties" => Holds::Properties,
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties" => {
            Holds::Named
        }
        "const" | "default" | "enum" | "examples" => Holds::Data,
        _ => Holds::Schemas,
    }
}

impl<'a> Search<'a> {
    fn schema(&mut self, schema: &'a Object, reach: Reach) -> Result<(), HeaderParamError> {
        for (keyword, value) in schema {
            let outcome = match holds(keyword) {
                _ if keyword == ANNOTATION => self.mark(schema, value, reach),
                Holds::Properties => self.named(value, reach),
                Holds::Named => self.named(value, Reach::Other),
                Holds::Data => Ok(()),
                Holds::Schemas => self.other(value),
            };
            outcome.map_err(|error| error.inside(Segment::Member(keyword.to_owned())))?;
        }
        Ok(())
    }

    /// Searches schemas by name. They are properties if they are reachable.
    fn named(&mut self, schemas: &'a Value, reach: Reach) -> Result<(), HeaderParamError> {
        let reach = match reach {
            Reach::Root | Reach::Property => Reach::Property,
            Reach::Other => Reach::Other,
        };
        for (name, schema) in schemas.as_object().into_iter().flatten() {
            let Some(schema) = schema.as_object() else {
                continue;
            };
            self.way.push(name);
            self.schema(schema, reach)
                .map_err(|error| error.inside(Segment::Member(name.to_owned())))?;
            self.way.pop();
        }
        Ok(())
    }

    /// Searches the schemas in any JSON.
    fn other(&mut self, value: &'a Value) -> Result<(), HeaderParamError> {
        match value {
            Value::Object(schema) => self.schema(schema, Reach::Other),
            Value::Array(elements) => elements.iter().enumerate().try_for_each(|(at, element)| {
                self.other(element)
                    .map_err(|error| error.inside(Segment::Index(at)))
            }),
            _ => Ok(()),
        }
    }

    fn mark(
        &mut self,
        schema: &Object,
        mark: &Value,
        reach: Reach,
    ) -> Result<(), HeaderParamError> {
        if reach != Reach::Property {
            return Err(HeaderParamReason::Unreachable.into());
        }
        let name = mark.as_str().ok_or(HeaderParamReason::NotText)?;
        if name.is_empty() {
            return Err(HeaderParamReason::Empty.into());
        }
        if !name.bytes().all(is_token) {
            let name = excerpt(name);
            return Err(HeaderParamReason::NotToken { name }.into());
        }
        let kind = match schema.get("type").and_then(Value::as_str) {
            Some("string") => ParamKind::String,
            Some("integer") => ParamKind::Integer,
            Some("boolean") => ParamKind::Boolean,
            _ => return Err(HeaderParamReason::NotPrimitive.into()),
        };
        if self.way.iter().map(|name| name.len() + 1).sum::<usize>() > LONGEST_WAY {
            return Err(HeaderParamReason::TooDeep.into());
        }
        let header = format!("{PARAM_PREFIX}{}", name.to_ascii_lowercase());
        if let Some(other) = self.headers.insert(header.clone(), self.found.len()) {
            let other = self.found.get(other).map(|other| other.path.clone());
            let other = other.unwrap_or_default();
            return Err(HeaderParamReason::Duplicate { other }.into());
        }
        let way = self.way.iter();
        self.found.push(HeaderParam {
            name: name.to_owned(),
            header,
            path: way
                .map(|name| Segment::Member((*name).to_owned()))
                .collect(),
            kind,
        });
        Ok(())
    }
}

/// Returns `true` if a header name may contain the byte (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
