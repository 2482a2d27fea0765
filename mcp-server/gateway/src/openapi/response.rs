//! Converts the response of the API into the result of a tool.

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use http::{Response, StatusCode};
use mcp_internal::peer_text::PeerDisplay;
use mcp_server::types::json::{self, Object, Value};
use mcp_server::types::{
    AudioContent, Base64Text, BlobResourceContents, CallToolResult, ContentBlock, EmbeddedResource,
    ImageContent, TextContent,
};

use super::base::without_query;
use super::body::{is_json, is_text};
use super::names::shortened;
use super::output::{Output, RESULT};

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
                excerpt(&body)
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
            return match self.schema {
                Some(_) => failure(format!(
                    "the API answered with {}, and without the JSON that its document promises",
                    shown(status)
                )),
                None => text(shown(status)),
            };
        }
        if is_json(&essence) || (essence.is_empty() && self.schema.is_some()) {
            return self.structured(status, &body);
        }
        if self.schema.is_some() {
            return failure(format!(
                "the API answered with {} and `{}` instead of JSON{}",
                shown(status),
                PeerDisplay(&essence),
                excerpt(&body)
            ));
        }
        let data = || Base64Text::encode(&body);
        let block: ContentBlock = match essence.split('/').next() {
            Some("image") if essence != "image/svg+xml" => {
                ImageContent::new(data(), essence).into()
            }
            Some("audio") => AudioContent::new(data(), essence).into(),
            _ if is_text(&essence)
                || (essence.is_empty() && std::str::from_utf8(&body).is_ok()) =>
            {
                return text(String::from_utf8_lossy(&body).into_owned());
            }
            _ => {
                let mut blob = BlobResourceContents::new(url, data());
                blob.mime_type = (!essence.is_empty()).then_some(essence);
                EmbeddedResource::new(blob).into()
            }
        };
        CallToolResult::new([block])
    }

    fn structured(&self, status: StatusCode, body: &[u8]) -> CallToolResult {
        let value: Value = match json::from_slice(body) {
            Ok(value) => value,
            Err(error) => {
                return failure(format!(
                    "the API answered with {} and invalid JSON ({}){}",
                    shown(status),
                    PeerDisplay(&error),
                    excerpt(body)
                ));
            }
        };
        let is_wrapped = match self.schema {
            Some(_) => self.wrapped,
            None => value.as_object().is_none(),
        };
        let value = if is_wrapped {
            Object::from([(RESULT, value)]).into()
        } else {
            value
        };
        if let Some(fault) = self.fault(&value) {
            return failure(format!(
                "the API answered with {}, and the result does not fit its documented schema ({}){}",
                shown(status),
                PeerDisplay(&fault),
                excerpt(body)
            ));
        }
        let text = String::from_utf8_lossy(body).into_owned();
        CallToolResult::new([TextContent::new(text).into()]).structured_content(value)
    }
}

fn shown(status: StatusCode) -> String {
    let reason = status.canonical_reason().unwrap_or_default();
    format!("HTTP {} {reason}", status.as_u16())
        .trim_end()
        .to_owned()
}

/// Returns the beginning of a body for an error, on a line of its own.
fn excerpt(body: &[u8]) -> String {
    // A character has at most four bytes.
    let start = &body[..body.len().min(ERROR_CHARS * 4)];
    let start = String::from_utf8_lossy(start);
    let is_shown = |it: &char| !it.is_control() || matches!(it, '\n' | '\t');
    let start: String = start.chars().filter(is_shown).collect();
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
