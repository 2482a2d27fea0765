//! Bodies of the type `multipart/form-data`.

use bytes::Bytes;
use mcp_server::types::json::{self, Object, Value};

use super::{Writing, decoded};
use crate::parameter::text_of;

impl Writing {
    /// Writes the members of a body as parts.
    pub(super) fn multipart(&self, members: &Object) -> Result<(String, Bytes), String> {
        let boundary = boundary()?;
        let mut body = Vec::new();
        for (name, value) in members {
            let items = match value {
                Value::Null => &[],
                Value::Array(items) => items.as_slice(),
                value => std::slice::from_ref(value),
            };
            for item in items {
                let encoding = self.encodings.get(name);
                let declared = encoding.and_then(|it| it.content_type.as_deref());
                let files = self.files.get(name).copied();
                let is_named = files.is_some() || self.encodings.contains_key(name);
                let is_file = match files {
                    Some(files) => files.is_some(),
                    None => !is_named && self.other_files.is_some(),
                };
                let part = if is_file {
                    Part::file(name, item, declared)?
                } else {
                    Part::value(item, declared)?
                };
                part.write(name, &boundary, &mut body);
            }
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        let media_type = format!("multipart/form-data; boundary={boundary}");
        Ok((media_type, body.into()))
    }
}

/// Returns a random boundary. An author of content cannot guess it, so no content contains it.
fn boundary() -> Result<String, String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| format!("no random numbers: {error}"))?;
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("mcp-{digits}"))
}

struct Part {
    file: Option<String>,
    content_type: Option<String>,
    content: Vec<u8>,
}

impl Part {
    /// Reads the argument of a file: `{ data, filename, mediaType }`, or only the data.
    fn file(name: &str, value: &Value, declared: Option<&str>) -> Result<Self, String> {
        let text = |member: &str| value.get(member).and_then(Value::as_str);
        let data = value.get("data").unwrap_or(value);
        let content = decoded(&format!("`{name}`"), data)?;
        let declared = declared.filter(|declared| is_media_type(declared));
        let media_type = text("mediaType").or(declared);
        let media_type = media_type.unwrap_or("application/octet-stream");
        if !is_media_type(media_type) {
            return Err(format!(
                "`{name}.mediaType`: expected a media type such as `image/png`"
            ));
        }
        Ok(Self {
            file: Some(text("filename").unwrap_or(name).to_owned()),
            content_type: Some(media_type.to_owned()),
            content,
        })
    }

    fn value(value: &Value, declared: Option<&str>) -> Result<Self, String> {
        let declared = declared.filter(|declared| is_media_type(declared));
        let is_json = matches!(value, Value::Object(_) | Value::Array(_));
        let content = match value {
            value if is_json => json::to_string(value).map_err(|error| error.to_string())?,
            value => text_of(value),
        };
        let content_type = declared.or(is_json.then_some("application/json"));
        Ok(Self {
            file: None,
            content_type: content_type.map(str::to_owned),
            content: content.into(),
        })
    }

    fn write(&self, name: &str, boundary: &str, body: &mut Vec<u8>) {
        let name = quotable(name);
        let mut head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"");
        if let Some(file) = &self.file {
            head.push_str(&format!("; filename=\"{}\"", quotable(file)));
        }
        if let Some(content_type) = &self.content_type {
            head.push_str(&format!("\r\nContent-Type: {content_type}"));
        }
        head.push_str("\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(&self.content);
        body.extend_from_slice(b"\r\n");
    }
}

/// Escapes a name as browsers do, and removes other control characters.
fn quotable(name: &str) -> String {
    let escaped = name
        .replace('"', "%22")
        .replace('\r', "%0D")
        .replace('\n', "%0A");
    escaped.chars().filter(|it| !it.is_control()).collect()
}

fn is_media_type(text: &str) -> bool {
    let is_token = |part: &str| {
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
        !part.is_empty() && part.bytes().all(legal)
    };
    text.len() <= 128
        && text
            .split_once('/')
            .is_some_and(|(a, b)| is_token(a) && is_token(b))
}
