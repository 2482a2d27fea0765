//! [`Field`]: describes a member of an object from its JSON Schema.

use mcp_client::types::json::Value;

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    title: Option<String>,
    description: Option<String>,
    pub(crate) required: bool,
    /// Names of JSON types; empty if the schema allows all.
    pub(crate) types: Vec<String>,
    /// The allowed values, with their titles.
    pub(crate) choices: Vec<(Value, Option<String>)>,
    pub(crate) default: Option<Value>,
    /// The types of the elements of an array.
    items: Option<String>,
}

/// Returns the members that the schema of an object declares.
pub(crate) fn fields(schema: &Value) -> Vec<Field> {
    let required = names(schema.get("required"));
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flat_map(|properties| properties.iter())
        .map(|(name, schema)| field(name, schema, required.iter().any(|other| other == name)))
        .collect()
}

fn field(name: &str, schema: &Value, required: bool) -> Field {
    let text = |name| schema.get(name).and_then(Value::as_str).map(str::to_owned);
    let items = schema.get("items");
    let mut choices = choices(schema);
    if choices.is_empty()
        && let Some(items) = items
    {
        choices = self::choices(items);
    }
    Field {
        name: name.to_owned(),
        title: text("title"),
        description: text("description"),
        required,
        types: types(schema),
        choices,
        default: schema.get("default").cloned(),
        items: items
            .map(|items| types(items).join("|"))
            .filter(|types| !types.is_empty()),
    }
}

fn names(value: Option<&Value>) -> Vec<String> {
    let values = value.and_then(Value::as_array);
    let names = values.into_iter().flatten().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

fn types(schema: &Value) -> Vec<String> {
    let kind = schema.get("type");
    match kind.and_then(Value::as_str) {
        Some(kind) => vec![kind.to_owned()],
        None => names(kind),
    }
}

fn choices(schema: &Value) -> Vec<(Value, Option<String>)> {
    let list = |name| {
        schema
            .get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let words = names(schema.get("enumNames"));
    let plain = list("enum").enumerate();
    let plain = plain.map(|(at, value)| (value.clone(), words.get(at).cloned()));
    let titled = list("oneOf").chain(list("anyOf")).filter_map(|option| {
        let title = option.get("title").and_then(Value::as_str);
        Some((option.get("const")?.clone(), title.map(str::to_owned)))
    });
    plain.chain(titled).collect()
}

impl Field {
    /// Returns `true` if only strings are allowed.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.types.as_slice(), [kind] if kind == "string")
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self.types.as_slice(), [kind] if kind == "array")
    }

    fn kind(&self) -> String {
        match (&self.items, self.types.as_slice()) {
            (Some(items), [_]) if self.is_list() => format!("array of {items}"),
            (_, []) if self.choices.is_empty() => "any".to_owned(),
            (_, []) => "one of".to_owned(),
            (_, types) => types.join("|"),
        }
    }

    /// Describes the field in a list of arguments.
    pub(crate) fn described(&self) -> String {
        let mut line = format!("{}: {}", self.name, self.kind());
        if self.required {
            line += ", required";
        }
        line += &self.rest();
        line
    }

    /// Describes the field as a question.
    pub(crate) fn question(&self) -> String {
        let mut line = self.title.clone().unwrap_or_else(|| self.name.clone());
        line += &format!(
            " ({}{})",
            self.kind(),
            if self.required { "" } else { ", optional" }
        );
        line += &self.rest();
        line
    }

    fn rest(&self) -> String {
        let mut line = String::new();
        if !self.choices.is_empty() {
            let choices = self.choices.iter().map(|(value, title)| match title {
                Some(title) => format!("{} ({title})", plain(value)),
                None => plain(value),
            });
            line += &format!(" [{}]", choices.collect::<Vec<_>>().join(", "));
        }
        if let Some(default) = &self.default {
            line += &format!(", default {default}");
        }
        if let Some(description) = &self.description {
            line += &format!(" - {}", description.trim());
        }
        line
    }

    /// Returns what is wrong with a value, if its type or the allowed values show it.
    pub(crate) fn fault(&self, value: &Value) -> Option<String> {
        if !self.types.is_empty() && !self.types.iter().any(|kind| is(value, kind)) {
            return Some(format!("Expected a value of the type {}.", self.kind()));
        }
        let chosen = value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice);
        let known = |value| self.choices.iter().any(|(choice, _)| choice == value);
        if !self.choices.is_empty() && !chosen.iter().all(known) {
            return Some("Expected one of the choices.".to_owned());
        }
        None
    }
}

/// Returns `true` if a value has a JSON type.
fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.as_str().is_some(),
        "boolean" => value.as_bool().is_some(),
        "number" => value.as_number().is_some(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "array" => value.as_array().is_some(),
        "object" => value.as_object().is_some(),
        "null" => value.is_null(),
        _ => true,
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
