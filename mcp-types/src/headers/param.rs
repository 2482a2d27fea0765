//! The parameters of a tool that headers repeat.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use super::check::{HeaderMismatch, MismatchReason, excerpt, single};
use super::value::decode_value;
use super::{ANNOTATION, PARAM_PREFIX};
use crate::error::{Path, Segment, shortened};
use crate::json::{self, Object, Value};

/// The largest integer that every peer can hold, 2<sup>53</sup> - 1; its negative is the smallest.
const SAFE: i64 = (1 << 53) - 1;

/// How long the names of the properties may be that lead to a parameter, with a separator behind
/// each. Every parameter has its own copy of them: without a bound, a schema in which many
/// parameters stand below one long name would cost its size once for each of them.
const LONGEST_WAY: usize = 512;

/// A parameter of a tool that a header repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderParam {
    name: String,
    header: String,
    path: Path,
    kind: ParamKind,
}

/// What a parameter's schema says that its values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// A string.
    String,
    /// An integer from -2<sup>53</sup> + 1 to 2<sup>53</sup> - 1.
    Integer,
    /// A truth value.
    Boolean,
}

impl HeaderParam {
    /// The name in the schema, as it is written there.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the header, in lower case: [`PARAM_PREFIX`] and the name.
    #[must_use]
    pub fn header(&self) -> &str {
        &self.header
    }

    /// Where the value stands in the arguments of a call.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the values are.
    #[must_use]
    pub fn kind(&self) -> ParamKind {
        self.kind
    }

    /// The text that the header has to say, not encoded yet; `None` where the value is absent or
    /// `null`, and no header is sent.
    ///
    /// The value decides, not [`kind`](Self::kind): that an argument is of the wrong type is a
    /// fault of the arguments, to be found when they are validated.
    ///
    /// # Errors
    ///
    /// [`MismatchReason::Unfit`] for arrays, objects, fractions, and integers beyond the safe range.
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
                return unfit("a number that is no integer");
            }
            Some(Value::Number(number)) => match number.to_i64() {
                Some(integer) if is_safe(integer) => Some(integer.to_string().into()),
                _ => return unfit("an integer beyond the safe range"),
            },
            Some(Value::Array(_)) => return unfit("an array"),
            Some(Value::Object(_)) => return unfit("an object"),
        })
    }

    /// Compares the header with the arguments of a call, integers by value.
    ///
    /// `values` are all values that the request has for [`header`](Self::header), perhaps encoded.
    ///
    /// # Errors
    ///
    /// [`HeaderMismatch`] unless there is one value and the arguments have the same, or there is
    /// none in both.
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

/// Finds the parameters that the input schema of a tool marks by `x-mcp-header`, in the order in
/// which they stand there.
///
/// A mark counts on a property that `properties` alone lead to, also nested ones, and nowhere
/// else. What is no schema is not looked into: `const`, `default`, `enum`, `examples`.
///
/// # Errors
///
/// [`HeaderParamError`] for the first mark that breaks a rule. Over HTTP, a client leaves such a
/// tool out of the list, and reports it; a server should not offer it.
pub fn header_params(schema: &Object) -> Result<Vec<HeaderParam>, HeaderParamError> {
    let mut search = Search::default();
    search.schema(schema, Reach::Root)?;
    Ok(search.found)
}

#[derive(Default)]
struct Search<'a> {
    found: Vec<HeaderParam>,
    /// The properties that lead to the schema at hand.
    way: Vec<&'a str>,
    /// Which one of `found` has a header, by its name in lower case.
    headers: HashMap<String, usize>,
}

/// How a schema was come by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Root,
    /// By `properties` alone.
    Property,
    /// In any other way: no mark may be there.
    Other,
}

/// What a keyword of a schema holds.
enum Holds {
    Properties,
    /// Schemas by names that are no keywords.
    Named,
    /// JSON that is no schema.
    Data,
    /// A schema, a list of some, or nothing of interest.
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

    /// Schemas by name, properties unless they are unreachable.
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

    /// The schemas in any JSON.
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

/// Whether a byte may stand in the name of a header, by RFC 9110, section 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// A mark in an input schema that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderParamError {
    // Boxed, so that the result stays small on the way that works.
    inner: Box<(Path, HeaderParamReason)>,
}

impl HeaderParamError {
    /// Where the mark stands in the schema.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.0
    }

    /// Which rule it breaks.
    #[must_use]
    pub fn reason(&self) -> &HeaderParamReason {
        &self.inner.1
    }

    /// The same mark, seen from what has it in `segment`.
    fn inside(mut self, segment: Segment) -> Self {
        let segment = match segment {
            Segment::Member(name) => Segment::Member(shortened(name)),
            index @ Segment::Index(_) => index,
        };
        self.inner.0.prepend(segment);
        self
    }
}

impl From<HeaderParamReason> for HeaderParamError {
    fn from(reason: HeaderParamReason) -> Self {
        Self {
            inner: Box::new((Path::root(), reason)),
        }
    }
}

impl fmt::Display for HeaderParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at {})", self.reason(), self.path())
    }
}

impl std::error::Error for HeaderParamError {}

/// The rule that a mark breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderParamReason {
    /// The name is no string.
    NotText,
    /// The name is empty.
    Empty,
    /// The name has characters that no header's name may have.
    NotToken {
        /// The name, fit to be shown.
        name: String,
    },
    /// Another parameter has the name, perhaps with other capitals.
    Duplicate {
        /// Where the other one stands in the arguments.
        other: Path,
    },
    /// The property's `type` is none of `string`, `integer` and `boolean`.
    NotPrimitive,
    /// What is marked is not a property that `properties` alone lead to.
    Unreachable,
    /// The names of the properties that lead to the parameter have more than 512 bytes.
    TooDeep,
}

impl fmt::Display for HeaderParamReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotText => f.write_str("the name of a header must be a string"),
            Self::Empty => f.write_str("the name of a header must not be empty"),
            Self::NotToken { name } => write!(f, "\"{name}\" cannot be part of a header's name"),
            Self::Duplicate { other } => write!(f, "the parameter {other} has the same header"),
            Self::NotPrimitive => {
                f.write_str("a parameter with a header must be of type string, integer or boolean")
            }
            Self::Unreachable => {
                f.write_str("only a property that `properties` alone lead to can have a header")
            }
            Self::TooDeep => write!(
                f,
                "the names that lead to a parameter with a header exceed {LONGEST_WAY} bytes"
            ),
        }
    }
}
