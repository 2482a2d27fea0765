//! [`Body`]: the body of a request.

mod members;
mod multipart;

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use mcp_server::types::json::{self, Object, Value};

use super::document::Resolver;
use super::parameter::{Format, Place, Style, pairs, text_of};

pub(super) use members::{Files, Member, Members};

/// The maximum number of media types of a body that are looked at, and the longest one, in bytes.
const MEDIA_TYPES: usize = 64;
pub(super) const MEDIA_TYPE: usize = 256;

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
    /// The members of a form.
    pub(super) form: Option<Members<'a>>,
    pub(super) writing: Writing,
}

/// What is needed to write a body.
#[derive(Debug, Default)]
pub(super) struct Writing {
    encodings: HashMap<String, Encoding>,
    /// The members of a multipart body that are files.
    pub(super) files: HashMap<String, Files>,
    /// Which files a multipart body may have in members that its document does not name.
    pub(super) other_files: Files,
}

#[derive(Debug)]
struct Encoding {
    /// The style, if the document states one.
    format: Option<Format>,
    content_type: Option<String>,
}

impl<'a> Body<'a> {
    /// Reads the body of an operation; `None` if it has no media type. Of several, the one that is
    /// easiest to write is used.
    pub(super) fn read(resolver: &Resolver<'a>, body: &'a Value) -> Result<Option<Self>, String> {
        let body = resolver.follow(body)?;
        let content = body.get("content").and_then(Value::as_object);
        let content = content.into_iter().flatten().take(MEDIA_TYPES);
        let choices = content.filter(|(name, _)| name.len() <= MEDIA_TYPE);
        let choices = choices.map(|(name, media)| {
            let media = resolver.follow(media).ok();
            let schema = media.and_then(|media| media.get("schema"));
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
        let schema = media.and_then(|media| media.get("schema"));
        let schema = schema.map(|it| resolver.follow(it)).transpose()?;
        let required = body.get("required").and_then(Value::as_bool) == Some(true);
        let mut writing = Writing::default();
        let is_form = matches!(kind, Kind::Form | Kind::Multipart);
        let added = ["itemEncoding", "itemSchema", "prefixEncoding"];
        let has = |member: &str| media.is_some_and(|media| media.get(member).is_some());
        if let Some(member) = added.iter().find(|it| is_form && has(it)) {
            return Err(format!("`{member}` of a multipart body is not supported"));
        }
        let form = schema.filter(|_| is_form);
        let form = form.and_then(|schema| Members::read(resolver, schema));
        if let Some(form) = &form {
            let encodings = media.and_then(|media| media.get("encoding")?.as_object());
            writing.read(resolver, encodings, form, kind);
        }
        Ok(Some(Self {
            media_type: name.to_owned(),
            kind,
            required,
            schema,
            form,
            writing,
        }))
    }

    /// Returns the members of the body that can be arguments of their own: those of an object without
    /// members that the schema does not name, and without alternatives unless it is a form.
    pub(super) fn members(&self, resolver: &Resolver<'a>) -> Option<Vec<Member<'a>>> {
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
        let members = match self.kind {
            Kind::Form | Kind::Multipart => {
                let form = self.form.as_ref().filter(|form| form.rest.is_none())?;
                form.all.clone()
            }
            Kind::Json => {
                let schema = self.schema?.as_object()?;
                let is_free = schema
                    .get("additionalProperties")
                    .is_some_and(|it| it.as_bool() != Some(false));
                let is_plain = super::schema::is_object(resolver, self.schema?, &mut 8)
                    && schema.len() <= 64
                    && !COMPOSED.iter().any(|keyword| schema.contains_key(keyword));
                if is_free || !is_plain {
                    return None;
                }
                Members::read(resolver, self.schema?)?.all
            }
            Kind::Text | Kind::Bytes => return None,
        };
        // A body that may be left out could not be told from one with the required members missing.
        let is_one = self.required || !members.iter().any(|member| member.required);
        is_one.then_some(members)
    }
}

/// The maximum number of members of a body that become arguments of their own.
const MEMBERS: usize = 128;

/// Returns how a media type is written, and the type to write.
fn kind<'a>(name: &'a str, schema: Option<&'a Value>, resolver: &Resolver<'a>) -> (Kind, &'a str) {
    let essence = name.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    if essence.contains('*') && !essence.starts_with("text/") {
        let is_binary = schema.is_none_or(|schema| Files::read(resolver, schema, &mut 8).one);
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

/// Returns `true` for a list of media types whose first one is neither JSON nor text.
fn is_binary(content_type: &str) -> bool {
    let first = content_type.split([',', ';']).next().unwrap_or_default();
    let first = first.trim().to_ascii_lowercase();
    let is_other = !first.starts_with("*/") && first != "application/x-www-form-urlencoded";
    first.contains('/') && is_other && !is_json(&first) && !is_text(&first)
}

impl Writing {
    fn read<'a>(
        &mut self,
        resolver: &Resolver<'a>,
        encodings: Option<&'a Object>,
        form: &Members<'a>,
        kind: Kind,
    ) {
        for member in &form.all {
            let encoding = encodings.and_then(|all| resolver.member(all, member.name));
            let encoding = encoding.and_then(|encoding| resolver.follow(encoding).ok());
            let text = |name: &str| encoding?.get(name)?.as_str();
            let flag = |name: &str| encoding?.get(name)?.as_bool();
            let mut format = Format::of(Place::Query);
            format.lists = resolver.nested_lists;
            let style = text("style").and_then(|it| Style::parse(it, Place::Query));
            if let Some(style) = style {
                format.style = style;
                format.explode = style == Style::Form;
            }
            let (explode, reserved) = (flag("explode"), flag("allowReserved"));
            format.explode = explode.unwrap_or(format.explode);
            format.allow_reserved = reserved.unwrap_or_default();
            let is_styled = style.is_some() || explode.is_some() || reserved.is_some();
            let content_type = text("contentType").filter(|it| it.len() <= MEDIA_TYPE);
            let content_type = content_type.map(str::to_owned);
            let is_json = content_type.as_deref().is_some_and(is_json) && kind == Kind::Form;
            if is_json {
                format.style = Style::Json;
            }
            if kind == Kind::Multipart {
                let mut files = Files::of_member(resolver, member);
                let is_object = |schema| super::schema::is_object(resolver, schema, &mut 8);
                if !files.is_some()
                    && content_type.as_deref().is_some_and(is_binary)
                    && !member.schemas.iter().any(|schema| is_object(schema))
                {
                    let is_list = |schema: &&'a Value| {
                        let schema = resolver.follow(schema);
                        schema.is_ok_and(|schema| schema.get("items").is_some())
                    };
                    files.many = member.schemas.iter().any(is_list);
                    files.one = !files.many;
                }
                if files.is_some() {
                    self.files.insert(member.name.to_owned(), files);
                }
            }
            if encoding.is_some() {
                let format = (is_styled || is_json).then_some(format);
                self.encodings.insert(
                    member.name.to_owned(),
                    Encoding {
                        format,
                        content_type,
                    },
                );
            }
        }
        if let Some(rest) = form.rest.filter(|_| kind == Kind::Multipart) {
            self.other_files = Files::read(resolver, rest, &mut 8);
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
                    let format = self.encodings.get(name).and_then(|it| it.format);
                    let format = format.unwrap_or_else(|| Format::of_member(member));
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
