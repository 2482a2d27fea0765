//! [`Parameter`]: a parameter of an operation, and how its value is written.

use mcp_server::types::json::{self, Value};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All characters but the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// The same without the reserved characters that cannot end or divide a query. To some servers, `;` does.
const QUERY: &AsciiSet = &RESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',');

/// The maximum nesting of an object in the style `deepObject`.
const DEPTH: usize = 8;

/// Where a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Path,
    Query,
    Header,
    Cookie,
}

impl Place {
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "path" => Self::Path,
            "query" => Self::Query,
            "header" => Self::Header,
            "cookie" => Self::Cookie,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

/// How arrays and objects are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    Space,
    Pipe,
    DeepObject,
    /// As JSON text.
    Json,
}

impl Style {
    /// Returns the style of this name, if it may be used in a place.
    pub(super) fn parse(text: &str, place: Place) -> Option<Self> {
        Some(match (text, place) {
            ("simple", Place::Path | Place::Header) => Self::Simple,
            ("label", Place::Path) => Self::Label,
            ("matrix", Place::Path) => Self::Matrix,
            ("form", Place::Query | Place::Cookie) => Self::Form,
            ("spaceDelimited", Place::Query) => Self::Space,
            ("pipeDelimited", Place::Query) => Self::Pipe,
            ("deepObject", Place::Query) => Self::DeepObject,
            _ => return None,
        })
    }
}

/// How a list of texts and numbers within the style `deepObject` is written, which OpenAPI does not say.
///
/// The items of other lists always have their index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NestedLists {
    /// `filter[tags][0]=a&filter[tags][1]=b`, for example for PHP, Stripe, and `qs` of Node.
    #[default]
    Indexed,
    /// `filter[tags][]=a&filter[tags][]=b`, for example for Rails, PHP, and `qs` of Node.
    Brackets,
    /// `filter[tags]=a&filter[tags]=b`.
    Repeated,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) style: Style,
    pub(super) explode: bool,
    pub(super) allow_reserved: bool,
    /// How lists in the style `deepObject` are written.
    pub(super) lists: NestedLists,
}

impl Format {
    /// Returns how a member of a form is written without a style of its own.
    pub(super) fn of_member(value: &Value) -> Self {
        let is_composed = |it: &Value| matches!(it, Value::Array(_) | Value::Object(_));
        let is_list = |items: &Vec<Value>| items.iter().any(is_composed);
        let mut format = Self::of(Place::Query);
        if value.as_object().is_some() || value.as_array().is_some_and(is_list) {
            format.style = Style::Json;
        }
        format
    }

    /// Returns the default of a place.
    pub(super) fn of(place: Place) -> Self {
        let style = match place {
            Place::Path | Place::Header => Style::Simple,
            Place::Query | Place::Cookie => Style::Form,
        };
        Self {
            style,
            explode: style == Style::Form,
            allow_reserved: false,
            lists: NestedLists::default(),
        }
    }
}

/// A parameter of an operation.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) format: Format,
}

impl Parameter {
    /// Writes a value of the path, percent-encoded.
    pub(super) fn in_path(&self, value: &Value) -> String {
        let Format { style, explode, .. } = self.format;
        let name = encoded(&self.name);
        let (first, between) = match style {
            Style::Label => (".", if explode { "." } else { "," }),
            Style::Matrix => (";", if explode { ";" } else { "," }),
            _ => ("", ","),
        };
        let is_named = style == Style::Matrix;
        let written = match value {
            Value::Array(items) if style != Style::Json => {
                let items = items.iter().map(|item| {
                    let item = encoded(&text_of(item));
                    if is_named && explode {
                        format!("{name}={item}")
                    } else {
                        item
                    }
                });
                items.collect::<Vec<_>>().join(between)
            }
            Value::Object(members) if style != Style::Json => {
                let sign = if explode { "=" } else { "," };
                let members = members.iter().map(|(key, item)| {
                    format!("{}{sign}{}", encoded(key), encoded(&text_of(item)))
                });
                members.collect::<Vec<_>>().join(between)
            }
            value => encoded(&text_of(value)),
        };
        let is_each_named = explode && matches!(value, Value::Array(_) | Value::Object(_));
        if is_named && !is_each_named {
            return format!("{first}{name}={written}");
        }
        format!("{first}{written}")
    }

    /// Writes the value of a header. Nothing is encoded.
    pub(super) fn in_header(&self, value: &Value) -> String {
        let Format { style, explode, .. } = self.format;
        match value {
            Value::Array(items) if style != Style::Json => {
                items.iter().map(text_of).collect::<Vec<_>>().join(",")
            }
            Value::Object(members) if style != Style::Json => {
                let sign = if explode { "=" } else { "," };
                let members = members.iter();
                let members = members.map(|(key, item)| format!("{key}{sign}{}", text_of(item)));
                members.collect::<Vec<_>>().join(",")
            }
            value => text_of(value),
        }
    }
}

/// Writes a value as pairs `name=value` of a query, of cookies, or of a form, percent-encoded.
///
/// # Errors
///
/// If an object is nested too deeply.
pub(super) fn pairs(name: &str, format: Format, value: &Value) -> Result<Vec<String>, String> {
    let set = if format.allow_reserved {
        QUERY
    } else {
        RESERVED
    };
    let encode = |text: &str| utf8_percent_encode(text, set).to_string();
    let key = encoded(name);
    let between = match format.style {
        Style::Space => "%20",
        Style::Pipe => "%7C",
        _ => ",",
    };
    let mut pairs = Vec::new();
    match (value, format.style) {
        (Value::Null, _) => {}
        (Value::Array(_) | Value::Object(_), Style::DeepObject) => {
            deep(&key, value, (set, format.lists), DEPTH, &mut pairs)?;
        }
        (Value::Array(items), style) if style != Style::Json => {
            let items = items.iter().map(|item| encode(&text_of(item)));
            if format.explode {
                pairs.extend(items.map(|item| format!("{key}={item}")));
            } else {
                let items: Vec<String> = items.collect();
                if !items.is_empty() {
                    pairs.push(format!("{key}={}", items.join(between)));
                }
            }
        }
        (Value::Object(members), style) if style != Style::Json => {
            let sign = if format.explode { "=" } else { between };
            let members = members
                .iter()
                .map(|(name, item)| format!("{}{sign}{}", encoded(name), encode(&text_of(item))));
            if format.explode {
                pairs.extend(members);
            } else {
                let members: Vec<String> = members.collect();
                if !members.is_empty() {
                    pairs.push(format!("{key}={}", members.join(between)));
                }
            }
        }
        (value, _) => pairs.push(format!("{key}={}", encode(&text_of(value)))),
    }
    Ok(pairs)
}

/// Writes an object as `name[member]=value`, and an array in it as its format says.
fn deep(
    key: &str,
    value: &Value,
    writing: (&'static AsciiSet, NestedLists),
    levels: usize,
    pairs: &mut Vec<String>,
) -> Result<(), String> {
    let Some(levels) = levels.checked_sub(1) else {
        return Err(format!("more than {DEPTH} levels of objects"));
    };
    match value {
        Value::Null => Ok(()),
        Value::Object(members) => members.iter().try_for_each(|(name, member)| {
            deep(
                &format!("{key}%5B{}%5D", encoded(name)),
                member,
                writing,
                levels,
                pairs,
            )
        }),
        Value::Array(items) => {
            let is_composed = |item: &Value| matches!(item, Value::Array(_) | Value::Object(_));
            let lists = match writing.1 {
                _ if items.iter().any(is_composed) => NestedLists::Indexed,
                lists => lists,
            };
            items.iter().enumerate().try_for_each(|(at, item)| {
                let key = match lists {
                    NestedLists::Indexed => format!("{key}%5B{at}%5D"),
                    NestedLists::Brackets => format!("{key}%5B%5D"),
                    NestedLists::Repeated => key.to_owned(),
                };
                deep(&key, item, writing, levels, pairs)
            })
        }
        value => {
            let value = text_of(value);
            pairs.push(format!("{key}={}", utf8_percent_encode(&value, writing.0)));
            Ok(())
        }
    }
}

/// Returns a value as text: a string itself, anything else as JSON.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => json::to_string(value).unwrap_or_default(),
    }
}

/// Encodes everything that is not a letter, a digit, or one of `-._~`.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}
