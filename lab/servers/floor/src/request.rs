//! A request, parsed completely or only as far as the response needs.

use memchr::memmem;
use serde_json::Value;

use crate::answer::{Fixed, progress};

/// A request.
pub(crate) enum Request<'a> {
    Read(Fixed, Value),
    /// A call of a tool of which only these positions are known. It is used to measure clients,
    /// which should not wait for the server.
    Seen {
        fixed: Fixed,
        id: &'a str,
        token: &'a str,
    },
}

impl<'a> Request<'a> {
    pub(crate) fn read(fixed: Fixed, text: &'a [u8]) -> serde_json::Result<Self> {
        if fixed.hasty && memmem::find(text, br#""method":"tools/call""#).is_some() {
            let value = |name: &[u8]| {
                let rest = &text[memmem::find(text, name)? + name.len()..];
                let end = rest.iter().position(|byte| matches!(byte, b',' | b'}'))?;
                std::str::from_utf8(&rest[..end]).ok()
            };
            if let Some(id) = value(br#""id":"#) {
                let token = value(br#""progressToken":"#).unwrap_or("null");
                return Ok(Self::Seen { fixed, id, token });
            }
        }
        Ok(Self::Read(fixed, serde_json::from_slice(text)?))
    }

    /// Returns `true` for a notification, which has no response.
    pub(crate) fn is_notification(&self) -> bool {
        matches!(self, Self::Read(_, request) if request.get("id").is_none())
    }

    /// Returns `true` if it calls a tool.
    pub(crate) fn is_call(&self) -> bool {
        match self {
            Self::Read(_, request) => request["method"] == "tools/call",
            Self::Seen { .. } => true,
        }
    }

    /// Writes the response.
    pub(crate) fn write_result(&mut self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        match self {
            Self::Read(fixed, request) => serde_json::to_writer(out, &fixed.result(request)),
            Self::Seen { fixed, id, .. } => {
                let modern = if fixed.modern {
                    r#","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"version":"1.0.0","name":"bench"}}"#
                } else {
                    ""
                };
                for part in [
                    r#"{"jsonrpc":"2.0","id":"#,
                    id,
                    r#","result":{"content":[{"type":"text","text":"Hello, benchmark!"}]"#,
                    modern,
                    "}}",
                ] {
                    out.extend_from_slice(part.as_bytes());
                }
                Ok(())
            }
        }
    }

    /// Writes the notification before the response.
    pub(crate) fn write_progress(&mut self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        match self {
            Self::Read(_, request) => serde_json::to_writer(out, &progress(request)),
            Self::Seen { token, .. } => {
                for part in [
                    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"#,
                    token,
                    r#","progress":1.0,"total":2.0}}"#,
                ] {
                    out.extend_from_slice(part.as_bytes());
                }
                Ok(())
            }
        }
    }
}
