//! Converts the response of the API into the result of a tool.

use std::borrow::Cow;

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use http::{Response, StatusCode};
use mcp_server::types::json::{self, Object, Value};
use mcp_server::types::peer_text::PeerDisplay;
use mcp_server::types::{
    AudioContent, Base64Text, BlobResourceContents, CallToolResult, ContentBlock, EmbeddedResource,
    ImageContent, TextContent,
};

use super::base::without_query;
use super::body::{is_json, is_text};
use super::names::shortened;
use super::output::{Output, RESULT, UNDOCUMENTED};

/// The number of characters of a body that an error shows.
const ERROR_CHARS: usize = 4096;

impl Output {
    /// Converts a response. `url` names what was requested, without the query.
    pub(super) fn result(&self, response: Response<Bytes>, url: &str) -> CallToolResult {
        let (parts, body) = response.into_parts();
        let status = parts.status;
        let content_type = parts
            .headers
            .get(CONTENT_TYPE)
            .and_then(|it| it.to_str().ok());
        let content_type = content_type.unwrap_or_default();
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        let essence = essence.to_ascii_lowercase();
        if status.is_redirection() {
            let location = parts.headers.get(LOCATION).map(http::HeaderValue::as_bytes);
            let location = String::from_utf8_lossy(location.unwrap_or_default());
            // Many redirects repeat the query, which can have secrets.
            let location = PeerDisplay(without_query(&location));
            return failure(format!(
                "the API answered with {}, which is not followed: {location}",
                shown(status)
            ));
        }
        if !status.is_success() {
            return failure(format!(
                "the API answered with {}{}",
                shown(status),
                excerpt(&body, content_type)
            ));
        }
        // The requests accept no encoding.
        let encoding = parts.headers.get(CONTENT_ENCODING);
        let encoding = encoding.filter(|encoding| *encoding != "identity");
        if let Some(encoding) = encoding {
            let encoding = String::from_utf8_lossy(encoding.as_bytes());
            let encoding = PeerDisplay(&encoding);
            return failure(format!(
                "the API answered in the unknown encoding `{encoding}`"
            ));
        }
        if body.is_empty() {
            return self.undocumented(text(shown(status)), Value::Null);
        }
        let decoded = decoded(&body, content_type);
        let is_structured = is_json(&essence) || (essence.is_empty() && self.schema.is_some());
        if let Some(decoded) = decoded.as_deref().filter(|_| is_structured)
            && let Ok(value) = json::from_str(decoded)
        {
            return self.structured(value, decoded);
        }
        let is_text = is_structured || is_text(&essence) || essence.is_empty();
        if let Some(decoded) = decoded.filter(|_| is_text) {
            let value = Value::from(&*decoded);
            return self.undocumented(text(decoded.into_owned()), value);
        }
        let data = || Base64Text::encode(&body);
        let block: ContentBlock = match essence.split('/').next() {
            Some("image") if essence != "image/svg+xml" => {
                ImageContent::new(data(), essence).into()
            }
            Some("audio") => AudioContent::new(data(), essence).into(),
            _ => {
                let mut blob = BlobResourceContents::new(url, data());
                // The reader needs to know the charset of a text that is not decoded.
                let media_type = if is_text { content_type } else { &essence };
                blob.mime_type = (!media_type.is_empty()).then(|| media_type.to_owned());
                EmbeddedResource::new(blob).into()
            }
        };
        self.undocumented(CallToolResult::new([block]), Value::Null)
    }

    fn structured(&self, value: Value, body: &str) -> CallToolResult {
        let is_wrapped = match self.schema {
            Some(_) => self.wrapped,
            None => value.as_object().is_none(),
        };
        let content = if is_wrapped {
            Object::from([(RESULT, value.clone())]).into()
        } else {
            value.clone()
        };
        let result = text(body.to_owned());
        if self.fits(&content) {
            return result.structured_content(content);
        }
        self.undocumented(result, value)
    }

    /// Adds structured content to a result that is not the JSON that the document promises.
    fn undocumented(&self, result: CallToolResult, value: Value) -> CallToolResult {
        if self.schema.is_none() {
            return result;
        }
        result.structured_content(Value::Object(Object::from([(UNDOCUMENTED, value)])))
    }
}

/// Returns the text of a body; `None` if its charset is unknown, or it is not a text of that charset.
/// Without a charset, it is UTF-8.
fn decoded<'b>(body: &'b [u8], content_type: &str) -> Option<Cow<'b, str>> {
    let parameters = content_type.split(';').skip(1);
    let charset = parameters.filter_map(|it| it.split_once('=')).find(|it| {
        let (name, _) = it;
        name.trim().eq_ignore_ascii_case("charset")
    });
    let encoding = match charset {
        Some((_, label)) => {
            let label = label.trim().trim_matches('"');
            encoding_rs::Encoding::for_label(label.as_bytes())?
        }
        None => encoding_rs::UTF_8,
    };
    let (text, _, has_faults) = encoding.decode(body);
    (!has_faults).then_some(text)
}

fn shown(status: StatusCode) -> String {
    let reason = status.canonical_reason().unwrap_or_default();
    format!("HTTP {} {reason}", status.as_u16())
        .trim_end()
        .to_owned()
}

/// Returns the beginning of a body for an error, on a line of its own.
fn excerpt(body: &[u8], content_type: &str) -> String {
    let start = decoded(body, content_type).unwrap_or_else(|| String::from_utf8_lossy(body));
    let is_shown = |it: &char| !it.is_control() || matches!(it, '\n' | '\t');
    let start = start.chars().filter(is_shown).take(ERROR_CHARS + 1);
    let start: String = start.collect();
    let start = shortened(&start, ERROR_CHARS);
    if start.is_empty() {
        return start;
    }
    format!(":\n{start}")
}

fn text(text: String) -> CallToolResult {
    CallToolResult::new([TextContent::new(text).into()])
}

fn failure(message: String) -> CallToolResult {
    text(message).is_error(true)
}
