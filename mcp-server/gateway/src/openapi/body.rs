//! [`Body`]: the body of a request.

mod multipart;

use std::collections::{HashMap, HashSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use mcp_server::types::json::{self, Object, Value};

use super::document::Resolver;
use super::parameter::{Format, Place, Style, pairs, text_of};

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Json,
    Form,
    Multipart,
    /// Text of any type; the argument is a string.
    Text,
    /// Anything else; the argument is base64.
    Bytes,
}

/// The body that an operation takes.
#[derive(Debug)]
pub(super) struct Body<'a> {
    pub(super) media_type: String,
    pub(super) kind: Kind,
    pub(super) required: bool,
    pub(super) schema: Option<&'a Value>,
    pub(super) writing: Writing,
}

/// What is needed to write a body.
#[derive(Debug, Default)]
pub(super) struct Writing {
    encodings: HashMap<String, Encoding>,
    /// The members of a multipart body that are files.
    pub(super) files: HashSet<String>,
}

#[derive(Debug)]
struct Encoding {
    format: Format,
    content_type: Option<String>,
}

impl<'a> Body<'a> {
    /// Reads the body of an operation; `None` if it has no media type. Of several, the one that is
    /// easiest to write is used.
    pub(super) fn read(resolver: &Resolver<'a>, body: &'a Value) -> Result<Option<Self>, String> {
        let body = resolver.follow(body)?;
        let content = body.get("content").and_then(Value::as_object);
        let content = content.into_iter().flatten();
        let choices = content.map(|(name, media)| {
            let schema = media.get("schema");
            let (kind, name) = kind(name, schema, resolver);
            (kind, name, media)
        });
        let best = choices.min_by_key(|(kind, ..)| match kind {
            Kind::Json => 0,
            Kind::Form => 1,
            Kind::Multipart => 2,
            Kind::Text => 3,
            Kind::Bytes => 4,
        });
        let Some((kind, name, media)) = best else {
            return Ok(None);
        };
        let schema = media
            .get("schema")
            .map(|it| resolver.follow(it))
            .transpose()?;
        let required = body.get("required").and_then(Value::as_bool) == Some(true);
        let mut writing = Writing::default();
        if matches!(kind, Kind::Form | Kind::Multipart) {
            writing.read(resolver, media.get("encoding"), schema, kind);
        }
        Ok(Some(Self {
            media_type: name.to_owned(),
            kind,
            required,
            schema,
            writing,
        }))
    }

    /// Returns the members of the body that can be arguments of their own: those of an object without
    /// alternatives and without members that the schema does not name.
    pub(super) fn members(&self, resolver: &Resolver<'a>) -> Option<&'a Object> {
        const COMPOSED: [&str; 9] = [
            "$ref",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "patternProperties",
            "dependentSchemas",
            "unevaluatedProperties",
        ];
        let is_form = matches!(self.kind, Kind::Json | Kind::Form | Kind::Multipart);
        let schema = self.schema?.as_object().filter(|_| is_form)?;
        let members = schema.get("properties")?.as_object()?;
        let is_free = schema
            .get("additionalProperties")
            .is_some_and(|it| it.as_bool() != Some(false));
        let mut fuel = 8;
        let is_plain = super::schema::is_object(resolver, self.schema?, &mut fuel)
            && schema.len() <= 64
            && !COMPOSED.iter().any(|keyword| schema.contains_key(keyword));
        let has_required = schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|required| !required.is_empty());
        // A body that may be left out could not be told from one with the required members missing.
        let is_one = self.required || !has_required;
        let count = members.len();
        (is_plain && !is_free && is_one && (1..=MEMBERS).contains(&count)).then_some(members)
    }
}

/// The maximum number of members of a body that become arguments of their own.
const MEMBERS: usize = 128;

/// Returns how a media type is written, and the type to write.
fn kind<'n>(name: &'n str, schema: Option<&Value>, resolver: &Resolver<'_>) -> (Kind, &'n str) {
    let essence = name.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    if essence.contains('*') && !essence.starts_with("text/") {
        let schema = schema.and_then(|schema| match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => resolver.resolve(reference).ok(),
            None => Some(schema),
        });
        let is_binary = schema.is_none_or(is_file);
        return if is_binary {
            (Kind::Bytes, "application/octet-stream")
        } else {
            (Kind::Json, "application/json")
        };
    }
    match essence.as_str() {
        "application/x-www-form-urlencoded" => (Kind::Form, name),
        "text/*" => (Kind::Text, "text/plain"),
        essence if is_json(essence) => (Kind::Json, name),
        essence if essence.starts_with("multipart/") => (Kind::Multipart, "multipart/form-data"),
        essence if is_text(essence) => (Kind::Text, name),
        _ => (Kind::Bytes, name),
    }
}

/// Returns `true` for media types whose content is JSON. The parameters are cut off already.
pub(super) fn is_json(essence: &str) -> bool {
    essence.ends_with("/json") || essence.ends_with("+json")
}

/// Returns `true` for media types whose content is text.
pub(super) fn is_text(essence: &str) -> bool {
    const TEXTS: [&str; 7] = [
        "application/graphql",
        "application/javascript",
        "application/sql",
        "application/x-ndjson",
        "application/x-yaml",
        "application/xml",
        "application/yaml",
    ];
    essence.starts_with("text/") || essence.ends_with("+xml") || TEXTS.contains(&essence)
}

/// Returns `true` for the schema of a file.
fn is_file(schema: &Value) -> bool {
    let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
    let is_string = matches!(text("type"), Some("string") | None);
    is_string && (text("format") == Some("binary") || text("contentMediaType").is_some())
        || text("type") == Some("file")
}

impl Writing {
    fn read<'a>(
        &mut self,
        resolver: &Resolver<'a>,
        encodings: Option<&'a Value>,
        schema: Option<&'a Value>,
        kind: Kind,
    ) {
        let properties = schema.and_then(|it| it.get("properties")?.as_object());
        for (name, schema) in properties.into_iter().flatten().take(MEMBERS) {
            let encoding = encodings.and_then(|all| all.get(name));
            let text = |member: &str| encoding?.get(member)?.as_str();
            let mut format = Format::of(Place::Query);
            if let Some(style) = text("style").and_then(|it| Style::parse(it, Place::Query)) {
                format.style = style;
                format.explode = style == Style::Form;
            }
            if let Some(explode) = encoding.and_then(|it| it.get("explode")?.as_bool()) {
                format.explode = explode;
            }
            let content_type = text("contentType").map(str::to_owned);
            if content_type.as_deref().is_some_and(is_json) && kind == Kind::Form {
                format.style = Style::Json;
            }
            if kind == Kind::Multipart {
                let schema = resolver.follow(schema).unwrap_or(schema);
                let items = schema.get("items").and_then(|it| resolver.follow(it).ok());
                let is_binary = content_type
                    .as_deref()
                    .is_some_and(|it| it == "application/octet-stream" || it.starts_with("image/"));
                if is_file(schema) || items.is_some_and(is_file) || is_binary {
                    self.files.insert(name.to_owned());
                }
            }
            if encoding.is_some() {
                self.encodings.insert(
                    name.to_owned(),
                    Encoding {
                        format,
                        content_type,
                    },
                );
            }
        }
    }

    /// Writes a body. Returns its media type, and its bytes.
    pub(super) fn write(
        &self,
        kind: Kind,
        media_type: &str,
        value: &Value,
    ) -> Result<(String, Bytes), String> {
        let media_type = media_type.to_owned();
        let members = || value.as_object().ok_or("the body: expected an object");
        match kind {
            Kind::Json => {
                let text = json::to_string(value).map_err(|error| error.to_string())?;
                Ok((media_type, text.into()))
            }
            Kind::Form => {
                let mut all = Vec::new();
                for (name, member) in members()? {
                    let format = self.encodings.get(name).map(|it| it.format);
                    let format = format.unwrap_or(Format::of(Place::Query));
                    all.extend(pairs(name, format, member)?);
                }
                Ok((media_type, all.join("&").into()))
            }
            Kind::Multipart => self.multipart(members()?),
            Kind::Text => Ok((media_type, text_of(value).into())),
            Kind::Bytes => {
                let bytes = decoded("the body", value)?;
                Ok((media_type, bytes.into()))
            }
        }
    }
}

/// Decodes base64, with or without line breaks.
fn decoded(what: &str, value: &Value) -> Result<Vec<u8>, String> {
    let text = value
        .as_str()
        .ok_or_else(|| format!("{what}: expected base64"))?;
    let text: String = text.split_ascii_whitespace().collect();
    let bytes = STANDARD.decode(text);
    bytes.map_err(|error| format!("{what}: expected base64: {error}"))
}
