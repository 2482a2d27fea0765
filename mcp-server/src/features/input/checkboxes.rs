//! [`Checkboxes`]: choices of several values for clients of 2025-06-18, which cannot display them.

use mcp_types::json::{self, Map, Object, Value};
use mcp_types::{BooleanSchema, PrimitiveSchemaDefinition, RequestedSchema, Revision};
use serde_json::value::RawValue;

use crate::features::input::error::InputError;

/// The boolean fields that replace the choices of several values in a form: one for each value.
pub(crate) struct Checkboxes(Vec<MultiSelect>);

struct MultiSelect {
    field: String,
    is_required: bool,
    /// The name of each checkbox, with the value it stands for.
    checkboxes: Vec<(String, Value)>,
}

impl Checkboxes {
    /// Replaces each choice of several values by a checkbox for each value, named
    /// `<field>.<value>`. Returns `None` if the form has no such choice.
    ///
    /// # Errors
    ///
    /// If a checkbox would have the name of another field.
    pub(crate) fn replace(form: &mut RequestedSchema) -> Result<Option<Self>, InputError> {
        let required = form.required.get_or_insert_default();
        let mut replaced = Vec::new();
        let mut properties = Map::new();
        for (name, field) in std::mem::take(&mut form.properties) {
            let schema = json::to_value(&field).unwrap_or_default();
            let Some(items) = schema.get("items") else {
                add(&mut properties, name, field)?;
                continue;
            };
            let mut checkboxes = Vec::new();
            for (value, title) in options(items) {
                let checkbox = format!("{name}.{value}");
                let field = checkbox_of(&schema, &name, value, title);
                add(&mut properties, checkbox.clone(), field.into())?;
                checkboxes.push((checkbox, value.into()));
            }
            let is_required = required.contains(&name);
            required.retain(|required| *required != name);
            replaced.push(MultiSelect {
                field: name,
                is_required,
                checkboxes,
            });
        }
        form.properties = properties;
        if required.is_empty() {
            form.required = None;
        }
        Ok((!replaced.is_empty()).then_some(Self(replaced)))
    }

    /// Replaces the checkboxes in an answer by the lists of the chosen values. The result has the
    /// form of 2025-11-25, the first revision with such lists.
    pub(crate) fn join(&self, answer: &RawValue) -> Result<(Revision, Box<RawValue>), String> {
        let text = |error: mcp_types::error::DecodeError| error.to_string();
        let mut answer: Value = json::from_str(answer.get()).map_err(text)?;
        if let Some(content) = answer.get_mut("content").and_then(Value::as_object_mut) {
            self.0.iter().try_for_each(|choice| choice.join(content))?;
        }
        let joined = json::to_raw(&answer).map_err(|error| error.to_string())?;
        Ok((Revision::V2025_11_25, joined))
    }
}

impl MultiSelect {
    /// An optional choice is absent if all of its checkboxes are.
    fn join(&self, content: &mut Object) -> Result<(), String> {
        let mut is_present = self.is_required;
        let mut chosen = Vec::new();
        for (checkbox, value) in &self.checkboxes {
            let Some(checked) = content.remove(checkbox) else {
                continue;
            };
            is_present = true;
            match checked.as_bool() {
                Some(true) => chosen.push(value.clone()),
                Some(false) => {}
                None => return Err(format!("`content.{checkbox}` is not a boolean")),
            }
        }
        if is_present {
            content.insert(&self.field, Value::Array(chosen));
        }
        Ok(())
    }
}

/// Adds a field. The fields of the form itself have different names.
fn add(
    fields: &mut Map<PrimitiveSchemaDefinition>,
    name: String,
    field: PrimitiveSchemaDefinition,
) -> Result<(), InputError> {
    if fields.contains_key(&name) {
        let reason = "the client, of revision 2025-06-18, needs a checkbox of this name for one of \
                      several values that the user may choose";
        return Err(InputError::Field {
            field: name,
            reason: reason.to_owned(),
        });
    }
    fields.insert(name, field);
    Ok(())
}

/// Returns the values of a choice with their titles.
fn options(items: &Value) -> Vec<(&str, &str)> {
    let titled = items.get("anyOf").and_then(Value::as_array);
    let plain = items.get("enum").and_then(Value::as_array);
    let options = titled.or(plain).into_iter().flatten();
    options.filter_map(option).collect()
}

fn option(option: &Value) -> Option<(&str, &str)> {
    let value = option.as_str().or_else(|| option.get("const")?.as_str())?;
    let title = option.get("title").and_then(Value::as_str);
    Some((value, title.unwrap_or(value)))
}

/// Returns the checkbox for a value. Its description has the limits of the choice, which the client
/// does not know.
fn checkbox_of(schema: &Value, name: &str, value: &str, title: &str) -> BooleanSchema {
    let text = |member: &str| schema.get(member).and_then(Value::as_str);
    let limit = |member: &str| schema.get(member).and_then(Value::as_i64);
    let mut checkbox = BooleanSchema::new();
    checkbox.title = Some(format!("{}: {title}", text("title").unwrap_or(name)));
    let limits = match (limit("minItems"), limit("maxItems")) {
        (Some(least), Some(most)) => Some(format!("Choose {least} to {most}")),
        (Some(least), None) => Some(format!("Choose at least {least}")),
        (None, Some(most)) => Some(format!("Choose at most {most}")),
        (None, None) => None,
    };
    checkbox.description = match (text("description"), limits) {
        (Some(text), Some(limits)) => Some(format!("{text} ({limits})")),
        (text, limits) => text.map(str::to_owned).or(limits),
    };
    let chosen = schema.get("default").and_then(Value::as_array);
    checkbox.default = chosen.map(|chosen| chosen.iter().any(|it| it.as_str() == Some(value)));
    checkbox
}
