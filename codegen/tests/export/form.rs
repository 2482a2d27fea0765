//! The documented form of an exported model.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Number, Value};

/// The documented form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exported {
    pub(crate) format: u32,
    pub(crate) revision: String,
    pub(crate) constants: Map<String, Value>,
    pub(crate) additions: BTreeMap<String, Addition>,
    pub(crate) types: BTreeMap<String, Definition>,
    pub(crate) messages: Vec<Message>,
    pub(crate) unchecked: Vec<Unchecked>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only the form is tested")]
pub(crate) struct Addition {
    pub(crate) title: String,
    pub(crate) source: String,
    pub(crate) identifier: Option<String>,
}

/// A form, and what is known about its name beside it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub(crate) struct Definition {
    pub(crate) about: About,
    pub(crate) form: Form,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only the form is tested")]
pub(crate) struct About {
    #[serde(default)]
    pub(crate) inline: bool,
    pub(crate) category: Option<String>,
    #[serde(default)]
    pub(crate) deprecated: bool,
    #[serde(default, rename = "addedBy")]
    pub(crate) added_by: Vec<String>,
    pub(crate) doc: Option<String>,
}

impl TryFrom<Map<String, Value>> for Definition {
    type Error = serde_json::Error;

    fn try_from(mut members: Map<String, Value>) -> Result<Self, Self::Error> {
        let names = ["inline", "category", "deprecated", "addedBy", "doc"];
        let about = names
            .iter()
            .filter_map(|name| members.shift_remove_entry(*name));
        Ok(Self {
            about: serde_json::from_value(about.collect::<Map<_, _>>().into())?,
            form: serde_json::from_value(members.into())?,
        })
    }
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase", tag = "kind", deny_unknown_fields)]
pub(crate) enum Form {
    Any {},
    Null {},
    Boolean {},
    Integer(Bounds),
    Number(Bounds),
    String {
        min: Option<Number>,
        max: Option<Number>,
        encoding: Option<Encoding>,
    },
    Constant {
        value: Value,
    },
    Named {
        name: String,
    },
    Nullable {
        of: Box<Form>,
    },
    List {
        of: Box<Form>,
        min: Option<Number>,
        max: Option<Number>,
    },
    Map {
        of: Box<Form>,
    },
    Object {
        members: BTreeMap<String, Member>,
        open: bool,
    },
    Enum {
        values: Vec<Known>,
        open: bool,
    },
    Union {
        variants: Vec<Variant>,
        select: Select,
    },
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Encoding {
    Base64,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bounds {
    pub(crate) min: Option<Number>,
    pub(crate) max: Option<Number>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Member {
    #[serde(rename = "type")]
    pub(crate) ty: Form,
    pub(crate) required: bool,
    #[serde(default)]
    pub(crate) deprecated: bool,
    #[serde(default, rename = "addedBy")]
    pub(crate) added_by: Vec<String>,
    pub(crate) doc: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    pub(crate) value: String,
    pub(crate) doc: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variant {
    #[serde(rename = "type")]
    pub(crate) ty: Form,
    #[serde(default, rename = "addedBy")]
    pub(crate) added_by: Vec<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Select {
    pub(crate) object: Option<Objects>,
    #[serde(default)]
    pub(crate) null: Vec<usize>,
    #[serde(default)]
    pub(crate) boolean: Vec<usize>,
    #[serde(default)]
    pub(crate) number: Vec<usize>,
    #[serde(default)]
    pub(crate) string: Vec<usize>,
    #[serde(default)]
    pub(crate) list: Vec<usize>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Objects {
    Try {
        r#try: Vec<Candidate>,
    },
    Tag {
        tag: String,
        values: BTreeMap<String, usize>,
        absent: Option<usize>,
    },
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Candidate {
    pub(crate) variant: usize,
    #[serde(default)]
    pub(crate) has: Vec<String>,
    #[serde(default)]
    pub(crate) inside: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(crate) equals: BTreeMap<String, Vec<Value>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Message {
    pub(crate) name: String,
    pub(crate) method: String,
    pub(crate) kind: MessageKind,
    pub(crate) sender: Option<Sender>,
    pub(crate) params: Option<Params>,
    pub(crate) result: Option<Form>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MessageKind {
    Request,
    Notification,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sender {
    Client,
    Server,
    Both,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    #[serde(rename = "type")]
    pub(crate) ty: Form,
    pub(crate) required: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unchecked {
    pub(crate) at: String,
    pub(crate) reason: String,
}

impl Form {
    /// Calls `found` with each form inside, and with this one.
    pub(crate) fn walk<'a>(&'a self, found: &mut dyn FnMut(&'a Form)) {
        found(self);
        match self {
            Form::Nullable { of } | Form::List { of, .. } | Form::Map { of } => of.walk(found),
            Form::Object { members, .. } => members.values().for_each(|it| it.ty.walk(found)),
            Form::Union { variants, .. } => variants.iter().for_each(|it| it.ty.walk(found)),
            _ => {}
        }
    }
}

impl Select {
    /// Returns the positions of all variants that a decoder may try.
    pub(crate) fn positions(&self) -> BTreeSet<usize> {
        let scalars = [
            &self.null,
            &self.boolean,
            &self.number,
            &self.string,
            &self.list,
        ];
        let mut all: BTreeSet<usize> = scalars.into_iter().flatten().copied().collect();
        match &self.object {
            Some(Objects::Try { r#try }) => all.extend(r#try.iter().map(|it| it.variant)),
            Some(Objects::Tag { values, absent, .. }) => {
                all.extend(values.values().chain(absent));
            }
            None => {}
        }
        all
    }
}
