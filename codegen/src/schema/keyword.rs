//! The keywords of JSON Schema and the kinds of their values.

use serde_json::Value;

use super::dialect::Draft;

/// The kind of a keyword's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// A schema.
    Schema,
    /// A list of at least one schema.
    SchemaList,
    /// A schema, or a list of schemas.
    SchemaOrList,
    /// An object whose values are schemas; its names are not keywords.
    SchemaMap,
    /// An object whose values are schemas or lists of names.
    SchemaOrNamesMap,
    /// A reference to a definition.
    Reference,
    /// The name of a type, or an array of names.
    Types,
    /// An array of at least one value.
    Values,
    /// An array of distinct names.
    Names,
    /// A number.
    Number,
    /// A number above 0.
    PositiveNumber,
    /// A number, or a boolean as in draft 04.
    NumberOrFlag,
    /// An integer that is not negative.
    Count,
    /// A boolean.
    Flag,
    /// A string.
    Text,
    /// Any value that is not a schema.
    Data,
    /// A text for people that is not part of the structure.
    Prose,
    /// The value of a keyword that JSON Schema does not define.
    Unknown,
}

/// The type names of JSON Schema.
pub(super) const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// Keywords for editors and documentation. They do not restrict values, and are left out silently.
pub(super) const HINTS: [&str; 13] = [
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "defaultSnippets",
    "deprecationMessage",
    "discriminator",
    "doNotSuggest",
    "enumNames",
    "errorMessage",
    "id",
    "markdownEnumDescriptions",
    "meta:enum",
    "tsType",
];

/// Keywords that restrict values in a way that no type expresses.
pub(super) const UNCHECKED: [&str; 17] = [
    "$dynamicRef",
    "contains",
    "minContains",
    "uniqueItems",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "maxContains",
    "maxProperties",
    "minProperties",
    "pattern",
    "propertyNames",
    "unevaluatedItems",
    "multipleOf",
    "exclusiveMinimum",
    "exclusiveMaximum",
];

/// A form in which a draft has a keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Any,
    List,
    Flag,
    Number,
}

/// The keywords that restrict values, or lead to schemas, in some drafts only: the first and the last one.
#[rustfmt::skip]
const DRAFTS: [(&str, Form, Draft, Draft); 26] = {
    use Draft::{Draft04, Draft06, Draft07, Draft2019, Draft2020};
    [
        ("$dynamicRef", Form::Any, Draft2020, Draft2020),
        ("$recursiveRef", Form::Any, Draft2019, Draft2019),
        ("additionalItems", Form::Any, Draft04, Draft2019),
        ("const", Form::Any, Draft06, Draft2020),
        ("contains", Form::Any, Draft06, Draft2020),
        ("contentEncoding", Form::Any, Draft07, Draft2020),
        ("contentSchema", Form::Any, Draft2019, Draft2020),
        ("dependencies", Form::Any, Draft04, Draft07),
        ("dependentRequired", Form::Any, Draft2019, Draft2020),
        ("dependentSchemas", Form::Any, Draft2019, Draft2020),
        ("else", Form::Any, Draft07, Draft2020),
        ("exclusiveMaximum", Form::Flag, Draft04, Draft04),
        ("exclusiveMaximum", Form::Number, Draft06, Draft2020),
        ("exclusiveMinimum", Form::Flag, Draft04, Draft04),
        ("exclusiveMinimum", Form::Number, Draft06, Draft2020),
        ("if", Form::Any, Draft07, Draft2020),
        ("items", Form::List, Draft04, Draft2019),
        ("maxContains", Form::Any, Draft2019, Draft2020),
        ("minContains", Form::Any, Draft2019, Draft2020),
        ("prefixItems", Form::Any, Draft2020, Draft2020),
        ("propertyNames", Form::Any, Draft06, Draft2020),
        ("then", Form::Any, Draft07, Draft2020),
        ("unevaluatedItems", Form::Any, Draft2019, Draft2020),
        ("unevaluatedProperties", Form::Any, Draft2019, Draft2020),
        ("$recursiveAnchor", Form::Any, Draft2019, Draft2019),
        ("$dynamicAnchor", Form::Any, Draft2020, Draft2020),
    ]
};

/// Returns `true` if a draft has a keyword in the form of a value. Without a draft, all keywords count.
pub(super) fn is_in(draft: Option<Draft>, keyword: &str, value: &Value) -> bool {
    let form = match value {
        Value::Array(_) => Form::List,
        Value::Bool(_) => Form::Flag,
        Value::Number(_) => Form::Number,
        _ => Form::Any,
    };
    let mut rows = DRAFTS.iter();
    let row = rows.find(|(own, of, ..)| *own == keyword && (*of == Form::Any || *of == form));
    match (draft, row) {
        (Some(draft), Some((_, _, first, last))) => (*first..=*last).contains(&draft),
        _ => true,
    }
}

/// Returns the kind of a keyword's value, for the keywords of draft 04, draft 07 and draft 2020-12.
pub(super) fn holds(keyword: &str) -> Holds {
    match keyword {
        "additionalProperties"
        | "additionalItems"
        | "propertyNames"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "contentSchema" => Holds::Schema,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Holds::SchemaList,
        "items" => Holds::SchemaOrList,
        "properties" | "patternProperties" | "dependentSchemas" | "definitions" | "$defs" => {
            Holds::SchemaMap
        }
        "dependencies" => Holds::SchemaOrNamesMap,
        "$ref" | "$dynamicRef" | "$recursiveRef" => Holds::Reference,
        "type" => Holds::Types,
        "enum" => Holds::Values,
        "required" => Holds::Names,
        "minimum" | "maximum" => Holds::Number,
        "multipleOf" => Holds::PositiveNumber,
        "exclusiveMinimum" | "exclusiveMaximum" => Holds::NumberOrFlag,
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => Holds::Count,
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" | "$recursiveAnchor" => Holds::Flag,
        "$schema" | "$id" | "$anchor" | "$dynamicAnchor" | "format" | "pattern"
        | "contentEncoding" | "contentMediaType" => Holds::Text,
        "const" | "default" | "$vocabulary" | "dependentRequired" | "discriminator" => Holds::Data,
        "title"
        | "description"
        | "markdownDescription"
        | "$comment"
        | "examples"
        | "enumDescriptions" => Holds::Prose,
        _ if keyword.starts_with("x-") || keyword.starts_with('_') => Holds::Data,
        _ => Holds::Unknown,
    }
}

/// Returns `true` for a keyword of JSON Schema, or one for editors and documentation.
pub(crate) fn is_known(keyword: &str) -> bool {
    holds(keyword) != Holds::Unknown || HINTS.contains(&keyword)
}

/// Returns `true` for a keyword that can restrict values.
pub(crate) fn restricts(keyword: &str) -> bool {
    !matches!(
        keyword,
        "$schema"
            | "$id"
            | "$anchor"
            | "$dynamicAnchor"
            | "$vocabulary"
            | "default"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "format"
            | "$recursiveAnchor"
    ) && !matches!(holds(keyword), Holds::Prose | Holds::Unknown)
        && !keyword.starts_with("x-")
        && !keyword.starts_with('_')
        && !HINTS.contains(&keyword)
}
