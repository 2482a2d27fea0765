//! The supported keywords and the kinds of their values.

/// The kind of a keyword's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// A schema.
    Schema,
    /// A list of at least one schema.
    SchemaList,
    /// An object whose values are schemas; its names are not keywords.
    SchemaMap,
    /// A schema that accepts everything.
    Anything,
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
}

/// The type names of JSON Schema.
pub(super) const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// Returns the kind of a keyword's value, or `None` if the keyword is not supported.
pub(super) fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "items" | "additionalProperties" | "propertyNames" => Holds::Schema,
        "anyOf" | "oneOf" | "allOf" => Holds::SchemaList,
        "properties" => Holds::SchemaMap,
        "not" => Holds::Anything,
        "$ref" => Holds::Reference,
        "type" => Holds::Types,
        "enum" => Holds::Values,
        "required" => Holds::Names,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            Holds::Number
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            Holds::Count
        }
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => Holds::Flag,
        "$schema" | "$id" | "format" | "pattern" => Holds::Text,
        "const" | "default" => Holds::Data,
        "title"
        | "description"
        | "markdownDescription"
        | "$comment"
        | "examples"
        | "enumDescriptions" => Holds::Prose,
        _ if keyword.starts_with("x-") || keyword.starts_with('_') => Holds::Data,
        _ => return None,
    })
}
