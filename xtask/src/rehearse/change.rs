//! Changes of a schema, as the files of `xtask/rehearsals` list them.

use anyhow::{Context as _, Result, bail, ensure};
use codegen::schema::{pointer, walk_mut};
use serde_json::{Map, Value};

/// A change of the definitions of a schema. Pointers begin below the definitions, and references
/// in values have the form `#/$defs/Name`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// Adds or replaces a value.
    Set(String, Value),
    /// Removes a value.
    Remove(String),
    /// Adds an element at the end of an array.
    Append(String, Value),
    /// Removes an element from an array.
    Without(String, Value),
    /// Gives a definition another name, also in all references.
    Rename(String, String),
}

impl Change {
    /// Reads a change from its JSON form.
    ///
    /// # Errors
    ///
    /// Returns an error if the object is not one of the known changes.
    pub(super) fn parse(value: &Value) -> Result<Self> {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        let element = || {
            let element = value.get("value").cloned();
            element.with_context(|| format!("the change has no `value`: {value}"))
        };
        Ok(if let Some(at) = text("set") {
            Self::Set(at, element()?)
        } else if let Some(at) = text("remove") {
            Self::Remove(at)
        } else if let Some(at) = text("append") {
            Self::Append(at, element()?)
        } else if let Some(at) = text("without") {
            Self::Without(at, element()?)
        } else if let Some(name) = text("rename") {
            Self::Rename(name, text("to").context("the change has no `to`")?)
        } else {
            bail!("expected `set`, `remove`, `append`, `without` or `rename`, found {value}");
        })
    }

    /// Applies the change.
    ///
    /// # Errors
    ///
    /// Returns an error with the pointer if there is nothing to change.
    pub(super) fn apply(&self, definitions: &mut Value) -> Result<()> {
        match self {
            Self::Set(at, value) => {
                if let Some(old) = definitions.pointer_mut(at) {
                    *old = value.clone();
                } else {
                    let inserted = pointer::insert(definitions, at, value.clone());
                    ensure!(inserted, "cannot set `{at}`: there is no such place");
                }
            }
            Self::Remove(at) => {
                let removed = pointer::remove(definitions, at);
                ensure!(removed.is_some(), "cannot remove `{at}`: it does not exist");
            }
            Self::Append(at, value) => array(definitions, at)?.push(value.clone()),
            Self::Without(at, value) => {
                let elements = array(definitions, at)?;
                let index = elements.iter().position(|element| element == value);
                let index = index.with_context(|| format!("`{at}` does not have {value}"))?;
                elements.remove(index);
            }
            Self::Rename(from, to) => rename(definitions, from, to)?,
        }
        Ok(())
    }
}

fn array<'a>(definitions: &'a mut Value, at: &str) -> Result<&'a mut Vec<Value>> {
    let found = definitions.pointer_mut(at).and_then(Value::as_array_mut);
    found.with_context(|| format!("`{at}` is not an array"))
}

fn rename(definitions: &mut Value, from: &str, to: &str) -> Result<()> {
    let object = definitions.as_object_mut().context("no definitions")?;
    ensure!(!object.contains_key(to), "there is a definition `{to}`");
    ensure!(object.contains_key(from), "there is no definition `{from}`");
    let renamed: Map<String, Value> = std::mem::take(object)
        .into_iter()
        .map(|(name, schema)| (if name == from { to.to_owned() } else { name }, schema))
        .collect();
    *object = renamed;
    let (old, new) = (format!("#/$defs/{from}"), format!("#/$defs/{to}"));
    for schema in object.values_mut() {
        walk_mut(schema, &mut |schema| {
            if let Some(reference) = schema.get_mut("$ref")
                && *reference == Value::String(old.clone())
            {
                *reference = Value::String(new.clone());
            }
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn changed(change: &Value, before: Value) -> Value {
        let mut definitions = before;
        let change = Change::parse(change).unwrap();
        change.apply(&mut definitions).unwrap();
        definitions
    }

    #[test]
    fn rename_follows_references() {
        let before = json!({"A": {"type": "object"}, "B": {"$ref": "#/$defs/A"}});
        let after = changed(&json!({"rename": "A", "to": "C"}), before);
        assert_eq!(
            after,
            json!({"C": {"type": "object"}, "B": {"$ref": "#/$defs/C"}})
        );
    }

    #[test]
    fn elements_are_appended_and_removed_by_value() {
        let before = json!({"A": {"required": ["x", "y"]}});
        let change = json!({"without": "/A/required", "value": "x"});
        assert_eq!(changed(&change, before), json!({"A": {"required": ["y"]}}));
        let change = json!({"append": "/A/required", "value": "z"});
        let before = json!({"A": {"required": []}});
        assert_eq!(changed(&change, before), json!({"A": {"required": ["z"]}}));
    }

    #[test]
    fn a_change_of_nothing_is_an_error() {
        for change in [
            json!({"remove": "/A/title"}),
            json!({"set": "/B/title", "value": 1}),
            json!({"without": "/A", "value": 1}),
            json!({"rename": "B", "to": "C"}),
        ] {
            let mut definitions = json!({"A": {}});
            let change = Change::parse(&change).unwrap();
            assert!(change.apply(&mut definitions).is_err(), "{change:?}");
        }
        assert!(Change::parse(&json!({"move": "/A"})).is_err());
    }
}
