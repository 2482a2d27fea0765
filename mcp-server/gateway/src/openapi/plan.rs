//! [`Plan`]: how the arguments of a tool become a request, and the schema of the arguments.

use std::collections::{HashMap, HashSet};

use mcp_server::types::json::{Object, Value};

use super::body::{Body, Kind, Writing};
use super::document::Resolver;
use super::names::{Names, shortened};
use super::operation::Found;
use super::parameter::{Format, Parameter, Place, Style};
use super::schema::{Converter, Detail, Direction};

/// The maximum number of parameters of an operation.
const PARAMETERS: usize = 256;

/// Headers that a model must not set: they belong to the connection, to the body, or to the
/// authorization. OpenAPI ignores parameters of the first three names as well.
const HEADERS: [&str; 13] = [
    "accept",
    "authorization",
    "content-type",
    "connection",
    "content-length",
    "cookie",
    "expect",
    "host",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// How to build the requests of a tool.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) path: Vec<Segment>,
    /// The part of the query that is the same in all requests. May be empty.
    pub(super) query: String,
    pub(super) parameters: Vec<Bound>,
    pub(super) body: Option<BodyPlan>,
}

/// A part of a path.
#[derive(Debug)]
pub(super) enum Segment {
    Text(String),
    /// The index of a parameter.
    Parameter(usize),
}

/// A parameter and the argument that has its value.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) argument: String,
    pub(super) parameter: Parameter,
}

/// The body of a request.
#[derive(Debug)]
pub(super) struct BodyPlan {
    pub(super) kind: Kind,
    pub(super) media_type: String,
    pub(super) required: bool,
    pub(super) source: Source,
    pub(super) writing: Writing,
}

/// Where the value of a body is.
#[derive(Debug)]
pub(super) enum Source {
    /// In this argument.
    Whole(String),
    /// In one argument for each member: the argument, and the name of the member.
    Members(Vec<(String, String)>),
}

/// Names that the API uses to authorize requests.
#[derive(Debug, Default)]
pub(super) struct Secrets(HashSet<(&'static str, String)>);

impl Secrets {
    pub(super) fn read(resolver: &Resolver<'_>) -> Self {
        let schemes = resolver.root.get("components");
        let schemes = schemes.and_then(|it| it.get("securitySchemes")?.as_object());
        let keys = schemes
            .into_iter()
            .flat_map(Object::values)
            .filter_map(|scheme| {
                let scheme = resolver.follow(scheme).ok()?;
                let text = |name: &str| scheme.get(name).and_then(Value::as_str);
                let place = Place::parse(text("in")?).filter(|_| text("type") == Some("apiKey"))?;
                Some((place.name(), text("name")?.to_ascii_lowercase()))
            });
        Self(keys.collect())
    }

    pub(super) fn contains(&self, place: Place, name: &str) -> bool {
        self.0.contains(&(place.name(), name.to_ascii_lowercase()))
    }
}

/// Builds the plan and the schema of the arguments.
pub(super) struct Planner<'a, 'r> {
    resolver: &'r Resolver<'a>,
    converter: Converter<'a, 'r>,
    names: Names,
    properties: Object,
    required: Vec<Value>,
}

impl<'a, 'r> Planner<'a, 'r> {
    pub(super) fn new(resolver: &'r Resolver<'a>, detail: Detail) -> Self {
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
    pub(super) fn plan(
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
            Some(body) => Some(self.body(body)?),
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
        let notes = self.converter.finish(&mut whole);
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
        let argument = match self.names.has(name) {
            true => self.names.take(&format!("{place}_{name}")),
            false => self.names.take(name),
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
        for value in lists
            .into_iter()
            .flatten()
            .filter_map(Value::as_array)
            .flatten()
        {
            if positions.len() >= PARAMETERS {
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
            let Some(place) = Place::parse(place) else {
                return Err(format!(
                    "the parameter `{name}` is in `{place}`, expected `path`, `query`, `header` or `cookie`"
                ));
            };
            let is_reserved =
                place == Place::Header && HEADERS.contains(&&*name.to_ascii_lowercase());
            if is_reserved || secrets.contains(place, name) {
                continue;
            }
            let required = value.get("required").and_then(Value::as_bool) == Some(true);
            let format = self.format(name, place, value);
            let parameter = Parameter {
                name: name.to_owned(),
                place,
                format,
            };
            // Parameters of the operation replace those of its path.
            match positions.get(&(place.name(), name)) {
                Some(at) => parameters[*at] = (parameter, required, value),
                None => {
                    positions.insert((place.name(), name), parameters.len());
                    parameters.push((parameter, required, value));
                }
            }
        }
        Ok(parameters)
    }

    fn format(&mut self, name: &str, place: Place, value: &Value) -> Format {
        let mut format = Format::of(place);
        if let Some(content) = value.get("content").and_then(Value::as_object) {
            let is_json = content.keys().next().is_some_and(super::body::is_json);
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
                    "the parameter `{name}` has the style `{style}`, which its place does not have"
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

    fn body(&mut self, value: &'a Value) -> Result<BodyPlan, String> {
        let body = Body::read(self.resolver, value)?;
        let source = match body.members(self.resolver) {
            Some(members) => {
                let required = body.schema.and_then(|it| it.get("required")?.as_array());
                let required = required.into_iter().flatten().filter_map(Value::as_str);
                let required: HashSet<&str> = required.collect();
                let mut sources = Vec::new();
                for (name, schema) in members {
                    let whole = self.resolver.follow(schema).unwrap_or(schema);
                    if whole.get("readOnly").and_then(Value::as_bool) == Some(true) {
                        continue;
                    }
                    let schema = match body.writing.files.contains(name) {
                        true => file_schema(whole),
                        false => self.converter.convert(schema),
                    };
                    let argument = self.argument(name, "body", schema, required.contains(name));
                    sources.push((argument, name.to_owned()));
                }
                Source::Members(sources)
            }
            None => {
                let mut schema = match (body.kind, body.schema) {
                    (Kind::Text, _) => Object::from([("type", "string")]).into(),
                    (Kind::Bytes, _) => base64_schema("The body").into(),
                    (_, Some(schema)) => self.converter.convert(schema),
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
                Source::Whole(self.argument("body", "request", schema, body.required))
            }
        };
        Ok(BodyPlan {
            kind: body.kind,
            media_type: body.media_type,
            required: body.required,
            source,
            writing: body.writing,
        })
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
fn file_schema(schema: &Value) -> Value {
    let properties = Object::from([
        ("data", base64_schema("The content")),
        ("filename", Object::from([("type", "string")])),
        (
            "mediaType",
            Object::from([("type", "string"), ("description", "Such as `image/png`")]),
        ),
    ]);
    let mut file = Object::from([
        ("type", Value::from("object")),
        ("properties", properties.into()),
        ("required", Value::Array(vec!["data".into()])),
        ("additionalProperties", false.into()),
    ]);
    if schema.get("items").is_some() {
        file = Object::from([("type", Value::from("array")), ("items", file.into())]);
    }
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        file.insert("description", shortened(text, 400));
    }
    file.into()
}

/// Returns the names of the variables of a path.
fn variables(path: &str) -> Result<HashSet<&str>, String> {
    if !path.starts_with('/') {
        return Err("the path does not begin with `/`".to_owned());
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    if query.contains('{') {
        return Err("the path has a variable after `?`".to_owned());
    }
    if super::base::has_dots(path) {
        return Err("the path has a segment `.` or `..`".to_owned());
    }
    let mut names = HashSet::new();
    let mut rest = path;
    while let Some((_, after)) = rest.split_once('{') {
        let (name, after) = after
            .split_once('}')
            .ok_or("the path has `{` without `}`")?;
        names.insert(name);
        rest = after;
    }
    Ok(names)
}

fn segments(path: &str, bound: &[Bound]) -> Vec<Segment> {
    let positions: HashMap<&str, usize> = bound
        .iter()
        .enumerate()
        .filter(|(_, bound)| bound.parameter.place == Place::Path)
        .map(|(at, bound)| (&*bound.parameter.name, at))
        .collect();
    let mut segments = Vec::new();
    let mut rest = path.split('?').next().unwrap_or_default();
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        segments.push(Segment::Text(literal(before)));
        if let Some(at) = positions.get(name) {
            segments.push(Segment::Parameter(*at));
        }
        rest = after;
    }
    segments.push(Segment::Text(literal(rest)));
    segments
}

/// Returns what a path of the document has after `?`.
fn fixed_query(path: &str) -> String {
    path.split_once('?')
        .map(|(_, query)| literal(query))
        .unwrap_or_default()
}

/// Encodes what is not allowed in a path.
fn literal(text: &str) -> String {
    const ILLEGAL: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'<')
        .add(b'>')
        .add(b'\\')
        .add(b'^')
        .add(b'`')
        .add(b'|')
        .add(b'}');
    percent_encoding::utf8_percent_encode(text, ILLEGAL).to_string()
}
