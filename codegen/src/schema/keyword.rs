//! The keywords that are understood, and what each one holds.

/// What a keyword's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// A schema.
    Schema,
    /// A list of schemas, at least one.
    SchemaList,
    /// An object whose values are schemas; its names are free.
    SchemaMap,
    /// A schema that accepts everything.
    Anything,
    /// A reference to a definition.
    Reference,
    /// A type name or several.
    Types,
    /// An array of values, at least one.
    Values,
    /// An array of names, each once.
    Names,
    /// A number.
    Number,
    /// A whole number, zero or more.
    Count,
    /// A truth value.
    Flag,
    /// A text.
    Text,
    /// Any value; it is no schema.
    Data,
    /// A remark for people that is not part of the structure.
    Prose,
}

/// The type names of JSON Schema.
pub(super) const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// What a keyword holds; nothing for a keyword that is not understood.
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
