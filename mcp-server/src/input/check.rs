//! Whether what a user filled in is what the form asked for.

use mcp_types::{
    ElicitValue, EnumSchema, MultiSelectEnumSchema, NumberSchema, NumberSchemaType,
    PrimitiveSchemaDefinition, RequestedSchema, SingleSelectEnumSchema, StringSchema, TitledOption,
    json::Map, json::Number,
};

/// Checks content against a form. Formats of strings are hints for the client and not checked;
/// members that the form does not have are left alone. The error says what is wrong and where.
pub(super) fn content(form: &RequestedSchema, content: &Map<ElicitValue>) -> Result<(), String> {
    for name in form.required.iter().flatten() {
        if !content.contains_key(name) {
            return Err(format!("`content` lacks `{name}`"));
        }
    }
    for (name, schema) in &form.properties {
        if let Some(value) = content.get(name) {
            field(schema, value).map_err(|reason| format!("`content.{name}` {reason}"))?;
        }
    }
    Ok(())
}

fn field(schema: &PrimitiveSchemaDefinition, value: &ElicitValue) -> Result<(), String> {
    use PrimitiveSchemaDefinition as Schema;
    match (schema, value) {
        (Schema::String(schema), ElicitValue::String(text)) => string(schema, text),
        (Schema::Number(schema), ElicitValue::Number(value)) => number(schema, value),
        (Schema::Boolean(_), ElicitValue::Boolean(_)) => Ok(()),
        (Schema::Enum(EnumSchema::MultiSelect(schema)), ElicitValue::Array(values)) => {
            many(schema, values)
        }
        (Schema::Enum(schema), ElicitValue::String(value)) => choice(match schema {
            EnumSchema::SingleSelect(SingleSelectEnumSchema::Untitled(schema)) => {
                schema.enum_.contains(value)
            }
            EnumSchema::SingleSelect(SingleSelectEnumSchema::Titled(schema)) => {
                offers(&schema.one_of, value)
            }
            EnumSchema::LegacyTitled(schema) => schema.enum_.contains(value),
            _ => false,
        }),
        (Schema::String(_), _) => Err("is not a string".to_owned()),
        (Schema::Number(_), _) => Err("is not a number".to_owned()),
        (Schema::Boolean(_), _) => Err("is not `true` or `false`".to_owned()),
        _ => Err("is not a choice of the form asked for".to_owned()),
    }
}

fn offers(options: &[TitledOption], value: &str) -> bool {
    options.iter().any(|option| option.const_ == value)
}

fn choice(known: bool) -> Result<(), String> {
    if known {
        Ok(())
    } else {
        Err("is none of the values offered".to_owned())
    }
}

fn string(schema: &StringSchema, text: &str) -> Result<(), String> {
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    bounds("characters", length, schema.min_length, schema.max_length)
}

fn bounds(of: &str, count: i64, least: Option<i64>, most: Option<i64>) -> Result<(), String> {
    match (least, most) {
        (Some(least), _) if count < least => Err(format!("has fewer than {least} {of}")),
        (_, Some(most)) if count > most => Err(format!("has more than {most} {of}")),
        _ => Ok(()),
    }
}

fn number(schema: &NumberSchema, value: &Number) -> Result<(), String> {
    let Some(float) = value.as_f64() else {
        return Err("is out of range".to_owned());
    };
    let whole = value.is_integer() || float.fract() == 0.0;
    if schema.type_ == NumberSchemaType::Integer && !whole {
        return Err("is not an integer".to_owned());
    }
    let bound = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
    match (bound(&schema.minimum), bound(&schema.maximum)) {
        (Some(least), _) if float < least => Err(format!("is less than {least}")),
        (_, Some(most)) if float > most => Err(format!("is more than {most}")),
        _ => Ok(()),
    }
}

fn many(schema: &MultiSelectEnumSchema, values: &[String]) -> Result<(), String> {
    let count = i64::try_from(values.len()).unwrap_or(i64::MAX);
    match schema {
        MultiSelectEnumSchema::Untitled(schema) => {
            bounds("values", count, schema.min_items, schema.max_items)?;
            choice(values.iter().all(|it| schema.items.enum_.contains(it)))
        }
        MultiSelectEnumSchema::Titled(schema) => {
            bounds("values", count, schema.min_items, schema.max_items)?;
            choice(values.iter().all(|it| offers(&schema.items.any_of, it)))
        }
        _ => choice(false),
    }
}
