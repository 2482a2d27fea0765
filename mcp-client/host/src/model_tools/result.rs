//! [`ModelResult`]: what a model gets to know of a call.

use std::fmt::Display;

use mcp_client::{CallError, RefusalKind};
use mcp_types::json::{self, Value};
use mcp_types::peer_text::PeerDisplay;
use mcp_types::{AnyResourceContents, Base64Text, CallToolResult, ContentBlock, ResourceLink};

/// The maximum size of an image, which is 5 MiB of base64, and the maximum number of images of a result.
/// Larger ones are rejected by some interfaces, together with the whole conversation.
const IMAGE_BYTES: usize = (5 << 20) / 4 * 3;
const MAX_IMAGES: usize = 20;

/// What a model gets to know of a call. Created by a [`ModelCall`](crate::ModelCall).
#[derive(Clone, Debug, PartialEq)]
pub struct ModelResult {
    /// The id of the call.
    pub(super) id: String,
    parts: Vec<Part>,
    pub(super) is_error: bool,
}

/// A part of a result.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    Image { media_type: String, data: String },
}

impl ModelResult {
    /// Returns the content of a result.
    pub(super) fn of(id: &str, result: CallToolResult) -> Self {
        let is_error = result.has_failed();
        // Servers should repeat structured content as a text.
        let is_repeated = |structured: &Value| {
            result.content.iter().any(|block| match block {
                ContentBlock::Text(text) => {
                    json::from_str::<Value>(&text.text).is_ok_and(|value| value == *structured)
                }
                _ => false,
            })
        };
        let structured = result.structured_content.as_ref();
        let structured = structured.filter(|structured| !is_repeated(structured));
        let structured = structured.map(|structured| Part::Text(structured.to_string()));
        let mut images = 0;
        let content = result
            .content
            .into_iter()
            .map(|block| part(block, &mut images));
        let parts = content.chain(structured).collect();
        let id = id.to_owned();
        Self {
            id,
            parts,
            is_error,
        }
    }

    /// Returns the result of a call that has none.
    pub(super) fn of_error(id: &str, error: &CallError) -> Self {
        let advice = match error.kind() {
            Some(RefusalKind::LoginRequired) => "The user must log in to the server first.",
            Some(RefusalKind::MissingScopes(_) | RefusalKind::Forbidden) => {
                "The user does not have the permission."
            }
            Some(RefusalKind::Busy(_)) => "The server is busy: try again later.",
            _ => match error {
                CallError::Timeout { .. } | CallError::Lost { .. } => {
                    "It is not known whether the call had an effect: find out before you repeat it."
                }
                _ => "",
            },
        };
        let mut failed = Self::failed(id, error);
        if !advice.is_empty() {
            failed.parts.push(Part::Text(advice.to_owned()));
        }
        failed
    }

    pub(super) fn failed(id: &str, reason: impl Display) -> Self {
        Self {
            id: id.to_owned(),
            parts: vec![Part::Text(PeerDisplay(reason).to_string())],
            is_error: true,
        }
    }

    /// Returns the parts, with at most this many bytes of text. There is at least one part, and no
    /// text is empty, because the interfaces reject both.
    pub(super) fn bounded(&self, most: usize) -> Vec<Part> {
        let (mut left, mut omitted) = (most, 0);
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let Part::Text(text) = part else {
                parts.push(part.clone());
                continue;
            };
            let end = (0..=text.len().min(left))
                .rev()
                .find(|at| text.is_char_boundary(*at));
            let (kept, rest) = text.split_at(end.unwrap_or_default());
            // What follows a text that was cut would make no sense.
            left = if rest.is_empty() {
                left - kept.len()
            } else {
                0
            };
            omitted += rest.len();
            if !kept.trim().is_empty() {
                parts.push(Part::Text(kept.to_owned()));
            }
        }
        if omitted > 0 {
            let note = format!("[{omitted} more bytes of text were left out]");
            parts.push(Part::Text(note));
        }
        if parts.is_empty() {
            let note = if self.is_error {
                "the tool failed without a reason"
            } else {
                "the tool returned nothing"
            };
            parts.push(Part::Text(note.to_owned()));
        }
        parts
    }
}

fn part(block: ContentBlock, images: &mut usize) -> Part {
    match block {
        ContentBlock::Text(text) => Part::Text(text.text),
        ContentBlock::Image(image) => self::image(&image.mime_type, &image.data, images),
        ContentBlock::Audio(audio) => left_out("audio", &audio.mime_type),
        ContentBlock::ResourceLink(link) => Part::Text(describe(&link)),
        ContentBlock::Resource(embedded) => match embedded.resource {
            AnyResourceContents::Text(contents) => {
                Part::Text(format!("[resource <{}>]\n{}", contents.uri, contents.text))
            }
            AnyResourceContents::Blob(contents) => {
                let media_type = contents.mime_type.as_deref().unwrap_or("unknown");
                self::image(media_type, &contents.blob, images)
            }
            other => Part::Text(json::to_string(&other).unwrap_or_default()),
        },
        other => Part::Text(json::to_string(&other).unwrap_or_default()),
    }
}

/// Returns an image, or a text in its place if its bytes are of no type that all interfaces accept: they
/// reject the whole conversation because of it.
fn image(media_type: &str, data: &Base64Text, images: &mut usize) -> Part {
    let Ok(bytes) = data.decode() else {
        return left_out("malformed data", media_type);
    };
    let is_declared = media_type.trim_start().get(..6);
    let is_declared = is_declared.is_some_and(|start| start.eq_ignore_ascii_case("image/"));
    let Some(found) = image_type(&bytes).filter(|_| is_declared) else {
        return left_out("binary data", media_type);
    };
    if bytes.len() > IMAGE_BYTES || *images >= MAX_IMAGES {
        return left_out("an image", media_type);
    }
    *images += 1;
    // Encoded again, because servers may have broken the lines.
    let data = Base64Text::encode(bytes).into_string();
    Part::Image {
        media_type: found.to_owned(),
        data,
    }
}

/// Returns the type of an image by its first bytes; a server may have declared another one.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    Some(match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => "image/webp",
        _ => return None,
    })
}

fn left_out(what: &str, media_type: &str) -> Part {
    Part::Text(format!(
        "[{what} of the type {media_type}, which is not shown here]"
    ))
}

/// Returns a link as text, in the form that clients of revisions without links get.
fn describe(link: &ResourceLink) -> String {
    let mut text = format!("[resource: {} <{}>", link.name, link.uri);
    if let Some(media_type) = &link.mime_type {
        text.push_str(&format!(", {media_type}"));
    }
    text.push(']');
    if let Some(description) = &link.description {
        text.push_str(&format!(" {description}"));
    }
    text
}
