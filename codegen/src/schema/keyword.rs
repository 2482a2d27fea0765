//! The keywords of JSON Schema and the kinds of their values.

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
        "minimum" | "maximum" | "multipleOf" => Holds::Number,
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
