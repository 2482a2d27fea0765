//! [`Form`]: a form for the user, and [`Elicited`]: the user's answer.

use std::marker::PhantomData;

use mcp_types::form::check;
use mcp_types::json::{self, Map, Object};
use mcp_types::{
    BooleanSchema, ElicitAction, ElicitResult, EnumSchema, LegacyTitledEnumSchema, NumberSchema,
    PrimitiveSchemaDefinition, RequestedSchema, Revision, StringSchema,
    TitledMultiSelectEnumSchema, TitledMultiSelectItems, TitledOption,
    TitledSingleSelectEnumSchema, UntitledMultiSelectEnumSchema, UntitledMultiSelectItems,
    UntitledSingleSelectEnumSchema,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::typed;
use crate::features::input::error::InputError;

/// A flat form: a message for the user, and fields that are strings, numbers, booleans or choices.
/// It must not ask for secrets; use [`Context::elicit_url`](crate::Context::elicit_url) for them.
///
/// The fields are derived from a type:
///
/// ```
/// # use mcp_server::Form;
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Trip {
///     /// Where to?
///     city: String,
///     #[schemars(range(min = 1, max = 9))]
///     seats: u8,
///     window: Option<bool>,
/// }
///
/// let form = Form::<Trip>::of("Please complete your booking");
/// # drop(form);
/// ```
///
/// or added one by one. The answer is then a JSON object:
///
/// ```
/// # use mcp_server::{Field, Form};
/// use mcp_server::types::{BooleanSchema, StringSchema};
///
/// let form = Form::new("Please complete your booking")
///     .required("city", StringSchema::new().title("Where to?").max_length(80))
///     .required("class", Field::one_of(["economy", "business"]).default("economy"))
///     .optional("meals", Field::many_of_titled([("v", "Vegan"), ("k", "Kosher")]).max_items(1))
///     .optional("window", BooleanSchema::new().default(true));
/// # drop(form);
/// ```
#[derive(Debug)]
#[must_use = "a form does nothing until it is given to `Context::elicit`"]
pub struct Form<T = Object> {
    pub(crate) message: String,
    pub(crate) schema: Result<RequestedSchema, InputError>,
    answer: PhantomData<fn() -> T>,
}

impl Form {
    /// Creates a form without fields, whose answer is a JSON object.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            schema: Ok(RequestedSchema::new(Map::new())),
            answer: PhantomData,
        }
    }
}

impl<T: JsonSchema + DeserializeOwned> Form<T> {
    /// Creates a form with a field for each member of a struct, in the order of the struct.
    ///
    /// Members can be strings, numbers, `bool`, enums without data, lists of such enums, and
    /// `Option`s of these. For any other member, the question fails with [`InputError::Field`].
    /// Descriptions, limits and defaults come from the doc comments and attributes of the type.
    pub fn of(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            schema: typed::schema::<T>(),
            answer: PhantomData,
        }
    }
}

impl<T> Form<T> {
    /// Adds a required field.
    pub fn required(mut self, name: impl Into<String>, field: impl Into<Field>) -> Self {
        let name = name.into();
        if let Ok(schema) = &mut self.schema {
            let required = schema.required.get_or_insert_default();
            if !required.contains(&name) {
                required.push(name.clone());
            }
        }
        self.optional(name, field)
    }

    /// Adds an optional field. The client displays a default; the server does not fill in fields
    /// that the client omits.
    pub fn optional(mut self, name: impl Into<String>, field: impl Into<Field>) -> Self {
        if let Ok(schema) = &mut self.schema {
            let name = name.into();
            match field.into().0 {
                Ok(field) => {
                    schema.properties.insert(name, field);
                }
                Err(reason) => {
                    self.schema = Err(InputError::Field {
                        field: name,
                        reason,
                    })
                }
            }
        }
        self
    }
}

/// A field of a [`Form`]: any of the schemas that the protocol allows.
#[derive(Clone, Debug, PartialEq)]
pub struct Field(Result<PrimitiveSchemaDefinition, String>);

impl Field {
    /// Creates a choice of one value.
    pub fn one_of<V: Into<String>>(
        values: impl IntoIterator<Item = V>,
    ) -> UntitledSingleSelectEnumSchema {
        UntitledSingleSelectEnumSchema::new(texts(values))
    }

    /// Creates a choice of one value, each with a title for people.
    pub fn one_of_titled<V: Into<String>, N: Into<String>>(
        options: impl IntoIterator<Item = (V, N)>,
    ) -> TitledSingleSelectEnumSchema {
        TitledSingleSelectEnumSchema::new(titled(options))
    }

    /// Creates a choice of several values.
    pub fn many_of<V: Into<String>>(
        values: impl IntoIterator<Item = V>,
    ) -> UntitledMultiSelectEnumSchema {
        UntitledMultiSelectEnumSchema::new(UntitledMultiSelectItems::new(texts(values)))
    }

    /// Creates a choice of several values, each with a title for people.
    pub fn many_of_titled<V: Into<String>, N: Into<String>>(
        options: impl IntoIterator<Item = (V, N)>,
    ) -> TitledMultiSelectEnumSchema {
        TitledMultiSelectEnumSchema::new(TitledMultiSelectItems::new(titled(options)))
    }
}

fn texts<V: Into<String>>(values: impl IntoIterator<Item = V>) -> Vec<String> {
    values.into_iter().map(Into::into).collect()
}

fn titled<V: Into<String>, N: Into<String>>(
    options: impl IntoIterator<Item = (V, N)>,
) -> Vec<TitledOption> {
    let options = options.into_iter();
    options
        .map(|(value, title)| TitledOption::new(value, title))
        .collect()
}

impl From<PrimitiveSchemaDefinition> for Field {
    fn from(schema: PrimitiveSchemaDefinition) -> Self {
        Self(Ok(schema))
    }
}

macro_rules! field {
    ($($from:ty)*) => {$(
        impl From<$from> for Field {
            fn from(schema: $from) -> Self {
                Self(field(&schema))
            }
        }
    )*};
}

field! {
    StringSchema
    NumberSchema
    BooleanSchema
    EnumSchema
    UntitledSingleSelectEnumSchema
    TitledSingleSelectEnumSchema
    UntitledMultiSelectEnumSchema
    TitledMultiSelectEnumSchema
    LegacyTitledEnumSchema
}

/// Converts the schema of a field by its JSON, which does not depend on the names that the newest
/// revision has for the kinds of fields.
fn field(schema: &impl Serialize) -> Result<PrimitiveSchemaDefinition, String> {
    json::to_value(schema)
        .and_then(json::from_value)
        .map_err(|error| error.to_string())
}

/// The answer of a user to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user agreed. For a form, this is the validated content.
    Accepted(T),
    /// The user refused.
    Declined,
    /// The user closed the question without an answer.
    Cancelled,
}

impl<T> Elicited<T> {
    /// Returns the content, if the user agreed.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(value) => Some(value),
            Self::Declined | Self::Cancelled => None,
        }
    }
}

/// Decodes a client's answer to a form.
pub(crate) fn filled<T: DeserializeOwned>(
    form: &RequestedSchema,
    revision: Revision,
    text: &str,
) -> Result<Elicited<T>, String> {
    decided(revision, text)?.map_accepted(|content| {
        check(form, &content).map_err(|error| error.to_string())?;
        let mut value = json::to_value(&content).map_err(|error| error.to_string())?;
        value.normalize_integers();
        json::from_value(value).map_err(|error| format!("`content`: {error}"))
    })
}

/// Decodes a client's answer to the question whether to open a page.
pub(crate) fn visited(revision: Revision, text: &str) -> Result<Elicited<()>, String> {
    decided(revision, text)?.map_accepted(|_| Ok(()))
}

type Content = Map<mcp_types::ElicitValue>;

fn decided(revision: Revision, text: &str) -> Result<Elicited<Content>, String> {
    let result: ElicitResult = revision.decode(text).map_err(|error| error.to_string())?;
    Ok(if result.action == ElicitAction::Accept {
        Elicited::Accepted(result.content.unwrap_or_default())
    } else if result.action == ElicitAction::Decline {
        Elicited::Declined
    } else {
        // The user gave no answer. An action that a later revision adds says no more.
        Elicited::Cancelled
    })
}

impl<T> Elicited<T> {
    fn map_accepted<U, E>(self, map: impl FnOnce(T) -> Result<U, E>) -> Result<Elicited<U>, E> {
        Ok(match self {
            Self::Accepted(value) => Elicited::Accepted(map(value)?),
            Self::Declined => Elicited::Declined,
            Self::Cancelled => Elicited::Cancelled,
        })
    }
}
