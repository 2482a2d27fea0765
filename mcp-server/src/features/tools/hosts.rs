//! What clients refuse although the protocol permits it, see the table in
//! [`guide::offers`](crate::guide::offers).

use mcp_types::Tool;

/// The maximum length of a tool's name that the protocol recommends.
const NAME: usize = 128;

/// Keywords that model providers reject at the root of a tool's schema.
const ROOT: [&str; 6] = ["oneOf", "anyOf", "allOf", "not", "enum", "$ref"];

/// Writes a warning for what some clients refuse.
pub(crate) fn warn(tool: &Tool) {
    let name = &*tool.name;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if name.len() > NAME || !name.bytes().all(is_plain) {
        tracing::warn!(
            tool = name,
            "clients may refuse the name of this tool: it should have at most {NAME} letters, digits, \
             and characters of `_-.`"
        );
    }
    let keyword = ROOT
        .iter()
        .find(|keyword| tool.input_schema.extra.get(keyword).is_some());
    if let Some(keyword) = keyword {
        tracing::warn!(
            tool = name,
            "clients may refuse the schema of this tool, because it has `{keyword}` at its root: \
             `ToolDef::one_object` lists the arguments of an enum as one object"
        );
    }
}
