//! [`Planner`]: makes the plan of an operation, and the schema of its arguments.

use std::collections::{HashMap, HashSet};

use mcp_server::types::json::{Object, Value};
use mcp_server::types::peer_text::PeerText;

use super::path::{fixed_query, segments, variables};
use super::{BodyPlan, Bound, Plan, Secrets, Source, is_reserved_header};
use crate::body::{Body, Files, Kind, Member, Members, is_json};
use crate::document::Resolver;
use crate::names::{Names, shortened};
use crate::operation::Found;
use crate::parameter::{Format, Parameter, Place, Style};
use crate::schema::{Converter, Detail, Direction};

/// The maximum number of parameters of an operation, and the longest name of one, in bytes.
const PARAMETERS: usize = 512;
const NAME: usize = 1 << 10;

/// Builds the plan and the schema of the arguments.
pub(crate) struct Planner<'a, 'r> {
    resolver: &'r Resolver<'a>,
    converter: Converter<'a, 'r>,
    names: Names,
    properties: Object,
    required: Vec<Value>,
}

impl<'a, 'r> Planner<'a, 'r> {
    pub(crate) fn new(resolver: &'r Resolver<'a>, detail: Detail) -> Self {
        Self {
            resolver,
            converter: Converter::new(resolver, Direction::Request, detail),
            names: Names::default(),
            properties: Object::new(),
            required: Vec::new(),
        }
    }

    /// Returns the plan of an operation, the schema of its arguments, and what could not be kept.
    ///
    /// # Errors
    ///
    /// Why there can be no tool.
    pub(crate) fn plan(
        mut self,
        found: &Found<'a>,
        secrets: &Secrets,
    ) -> Result<(Plan, Object, Vec<String>), String> {
        let mut parameters = self.parameters(found, secrets)?;
        // Members of the path come first, then those of the query, of headers and of cookies.
        parameters.sort_by_key(|(parameter, ..)| parameter.place as u8);
        // Documents use fragments to tell operations of one path apart. A fragment is never sent.
        let path = found.operation.path.split('#').next().unwrap_or_default();
        let variables = variables(path)?;
        let known: HashSet<String> = parameters
            .iter()
            .filter(|(parameter, ..)| parameter.place == Place::Path)
            .map(|(parameter, ..)| parameter.name.clone())
            .collect();
        let mut bound = Vec::new();
        for name in &variables {
            if !known.contains(*name) {
                self.converter.note(format!(
                    "the path parameter `{name}` is not declared: it is a string"
                ));
                let parameter = Parameter {
                    name: (*name).to_owned(),
                    place: Place::Path,
                    format: Format::of(Place::Path),
                };
                let schema = Object::from([("type", "string")]).into();
                let argument = self.argument(name, "path", schema, true);
                bound.push(Bound {
                    argument,
                    parameter,
                });
            }
        }
        for (parameter, required, value) in parameters {
            if parameter.place == Place::Path && !variables.contains(&*parameter.name) {
                self.converter
                    .note(format!("the path has no `{{{}}}`", parameter.name));
                continue;
            }
            let required = required || parameter.place == Place::Path;
            let schema = self.parameter_schema(value);
            let argument = self.argument(&parameter.name, parameter.place.name(), schema, required);
            bound.push(Bound {
                argument,
                parameter,
            });
        }
        let (path, query) = (segments(path, &bound), fixed_query(path));
        let body = match found.value.get("requestBody") {
            Some(body) => self.body(body)?,
            None => None,
        };
        let mut whole = Object::from([
            ("type", Value::from("object")),
            ("properties", self.properties.into()),
        ]);
        if !self.required.is_empty() {
            whole.insert("required", Value::Array(self.required));
        }
        // Without this, an argument with a wrong name would be ignored.
        whole.insert("additionalProperties", false);
        let Some(notes) = self.converter.finish(&mut whole) else {
            return Planner::new(self.resolver, Detail::Less).plan(found, secrets);
        };
        let plan = Plan {
            path,
            query,
            parameters: bound,
            body,
        };
        Ok((plan, whole, notes))
    }

    /// Adds an argument. A name that another place has already is prefixed with its own place.
    fn argument(&mut self, name: &str, place: &str, schema: Value, required: bool) -> String {
        let argument = if self.names.has(name) {
            self.names.take(&format!("{place}_{name}"))
        } else {
            self.names.take(name)
        };
        self.properties.push(&argument, schema);
        if required {
            self.required.push(argument.clone().into());
        }
        argument
    }

    /// Returns the parameters of an operation and of its path, with whether each is required and with
    /// its part of the document.
    fn parameters(
        &mut self,
        found: &Found<'a>,
        secrets: &Secrets,
    ) -> Result<Vec<(Parameter, bool, &'a Value)>, String> {
        let lists = [found.item, found.value].map(|it| it.get("parameters"));
        let mut parameters: Vec<(Parameter, bool, &'a Value)> = Vec::new();
        let mut positions = HashMap::new();
        let listed = lists.into_iter().flatten().filter_map(Value::as_array);
        for (count, value) in listed.flatten().enumerate() {
            // Also of those that are left out: many operations can share a list.
            if count >= PARAMETERS {
                return Err(format!("more than {PARAMETERS} parameters"));
            }
            let value = self
                .resolver
                .follow(value)
                .map_err(|error| format!("a parameter: {error}"))?;
            let text = |member: &str| value.get(member).and_then(Value::as_str);
            let (Some(name), Some(place)) = (text("name"), text("in")) else {
                return Err("a parameter has no `name` or no `in`".to_owned());
            };
            if name.len() > NAME {
                return Err(format!(
                    "the name of the parameter `{}` has more than {NAME} bytes",
                    PeerText(name)
                ));
            }
            let Some(place) = Place::parse(place) else {
                return Err(format!(
                    "the parameter `{name}` is in `{}`, expected `path`, `query`, `header` or `cookie`",
                    PeerText(place)
                ));
            };
            let required = value.get("required").and_then(Value::as_bool) == Some(true);
            let is_reserved = place == Place::Header && is_reserved_header(name);
            if is_reserved || secrets.contains(place, name) {
                continue;
            }
            let format = self.format(name, place, value);
            let parameter = Parameter {
                name: name.to_owned(),
                place,
                format,
            };
            // Parameters of the operation replace those of its path.
            let last = parameters.len();
            let at = *positions.entry((place.name(), name)).or_insert(last);
            if at == last {
                parameters.push((parameter, required, value));
            } else {
                parameters[at] = (parameter, required, value);
            }
        }
        Ok(parameters)
    }

    fn format(&mut self, name: &str, place: Place, value: &Value) -> Format {
        let mut format = Format::of(place);
        format.lists = self.resolver.nested_lists;
        if let Some(content) = value.get("content").and_then(Value::as_object) {
            let is_json = content.keys().next().is_some_and(is_json);
            if is_json {
                format.style = Style::Json;
            }
            return format;
        }
        if let Some(style) = value.get("style").and_then(Value::as_str) {
            match Style::parse(style, place) {
                Some(style) => {
                    format.style = style;
                    format.explode = style == Style::Form;
                }
                None => self.converter.note(format!(
                    "the parameter `{name}` has the style `{}`, which its place does not have",
                    PeerText(style)
                )),
            }
        }
        if let Some(explode) = value.get("explode").and_then(Value::as_bool) {
            format.explode = explode;
        }
        format.allow_reserved = place == Place::Query
            && value.get("allowReserved").and_then(Value::as_bool) == Some(true);
        format
    }

    fn parameter_schema(&mut self, value: &'a Value) -> Value {
        let content = value.get("content").and_then(Value::as_object);
        let content = content.and_then(|content| content.values().next());
        let schema = content.unwrap_or(value).get("schema");
        let schema = schema.map(|schema| self.converter.convert(schema));
        let mut schema = schema.unwrap_or_else(|| Object::new().into());
        let text = value.get("description").and_then(Value::as_str);
        let text = text
            .map(|text| shortened(text, 400))
            .filter(|text| !text.is_empty());
        if let (Some(schema), Some(text)) = (schema.as_object_mut(), text) {
            schema.insert("description", text);
        }
        schema
    }

    fn body(&mut self, value: &'a Value) -> Result<Option<BodyPlan>, String> {
        let Some(body) = Body::read(self.resolver, value)? else {
            self.converter
                .note("`requestBody.content` has no media type: requests have no body");
            return Ok(None);
        };
        if body.form.as_ref().is_some_and(|form| form.is_loosened) {
            self.converter
                .note("alternatives and conditions of the members of a form are left out");
        }
        let source = if let Some(members) = body.members(self.resolver) {
            self.members(&body, &members)
        } else {
            self.whole(&body, value)?
        };
        Ok(Some(BodyPlan {
            kind: body.kind,
            media_type: body.media_type,
            required: body.required,
            source,
            writing: body.writing,
        }))
    }

    /// Adds an argument for each member of a body.
    fn members(&mut self, body: &Body<'a>, members: &[Member<'a>]) -> Source {
        let mut sources = Vec::new();
        for member in members {
            if let Some(schema) = self.member_schema(body, member) {
                let argument = self.argument(member.name, "body", schema, member.required);
                sources.push((argument, member.name.to_owned()));
            }
        }
        Source::Members(sources)
    }

    /// Returns the schema of a member of a body; `None` if the member is only read.
    fn member_schema(&mut self, body: &Body<'a>, member: &Member<'a>) -> Option<Value> {
        let followed = |schema| self.resolver.follow(schema).unwrap_or(schema);
        let whole: Vec<&'a Value> = member.schemas.iter().copied().map(followed).collect();
        let is_read_only = |it: &&Value| it.get("readOnly").and_then(Value::as_bool) == Some(true);
        if whole.iter().any(is_read_only) {
            return None;
        }
        if let Some(files) = body.writing.files.get(member.name) {
            if files.other {
                self.converter.note(format!(
                    "`{}` can be a file or another value: the argument is a file",
                    member.name
                ));
            }
            let mut schema = file_schema(*files);
            let texts = whole.iter().find_map(|it| it.get("description")?.as_str());
            if let (Some(schema), Some(text)) = (schema.as_object_mut(), texts) {
                schema.insert("description", shortened(text, 400));
            }
            return Some(schema);
        }
        let schemas = member.schemas.iter();
        let mut schemas: Vec<Value> = schemas.map(|it| self.converter.convert(it)).collect();
        if schemas.len() == 1 {
            return schemas.pop();
        }
        Some(Object::from([("anyOf", Value::Array(schemas))]).into())
    }

    /// Returns the schema of a form that is one argument.
    fn form_schema(&mut self, body: &Body<'a>, form: &Members<'a>) -> Value {
        let (mut properties, mut required) = (Object::new(), Vec::new());
        for member in &form.all {
            if let Some(schema) = self.member_schema(body, member) {
                properties.push(member.name, schema);
                required.extend(member.required.then(|| Value::from(member.name)));
            }
        }
        let mut schema = Object::from([
            ("type", Value::from("object")),
            ("properties", properties.into()),
        ]);
        if !required.is_empty() {
            schema.insert("required", Value::Array(required));
        }
        let rest = match form.rest {
            None => false.into(),
            Some(_) if body.writing.other_files.is_some() => file_schema(body.writing.other_files),
            Some(rest) => self.converter.convert(rest),
        };
        schema.insert("additionalProperties", rest);
        schema.into()
    }

    /// Adds an argument for a body.
    fn whole(&mut self, body: &Body<'a>, value: &'a Value) -> Result<Source, String> {
        let mut schema = match (body.kind, body.schema) {
            (Kind::Text, _) => Object::from([("type", "string")]).into(),
            (Kind::Bytes, _) => base64_schema("The body").into(),
            (_, Some(schema)) => match &body.form {
                Some(form) => self.form_schema(body, form),
                None => self.converter.convert(schema),
            },
            (_, None) => Object::new().into(),
        };
        let text = self
            .resolver
            .follow(value)?
            .get("description")
            .and_then(Value::as_str);
        if let (Some(schema), Some(text)) = (schema.as_object_mut(), text)
            && !schema.contains_key("description")
        {
            schema.insert("description", shortened(text, 400));
        }
        let argument = self.argument("body", "request", schema, body.required);
        Ok(Source::Whole(argument))
    }
}

fn base64_schema(what: &str) -> Object {
    Object::from([
        ("type", "string".to_owned()),
        ("contentEncoding", "base64".to_owned()),
        ("description", format!("{what}, as base64")),
    ])
}

/// Returns the schema of the argument for a file, or for several files.
fn file_schema(files: Files) -> Value {
    let properties = Object::from([
        ("data", base64_schema("The content")),
        ("filename", Object::from([("type", "string")])),
        (
            "mediaType",
            Object::from([("type", "string"), ("description", "Such as `image/png`")]),
        ),
    ]);
    let file = Object::from([
        ("type", Value::from("object")),
        ("properties", properties.into()),
        ("required", Value::Array(vec!["data".into()])),
        ("additionalProperties", false.into()),
    ]);
    if !files.many {
        return file.into();
    }
    let list = Object::from([
        ("type", Value::from("array")),
        ("items", file.clone().into()),
    ]);
    if !files.one {
        return list.into();
    }
    Object::from([("anyOf", Value::Array(vec![file.into(), list.into()]))]).into()
}
