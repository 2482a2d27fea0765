//! What all decoders of JSON agree on: a limit, and the names by which `serde_json` and this crate pass
//! values through serde without loss.

/// The maximum depth of nested arrays and objects that can be decoded, from text or from a value:
/// 127, as in `serde_json`.
pub const NESTING_LIMIT: usize = 127;

/// The name by which `serde_json::value::RawValue` requests the text of a value.
pub(super) const RAW: &str = "$serde_json::private::RawValue";

/// The member name by which `serde_json` passes a number as its digits to visitors of any type,
/// when `arbitrary_precision` is enabled.
pub(super) const NUMBER: &str = "$serde_json::private::Number";

/// The name of a newtype struct whose visitor gets the text of the value in the form of a
/// `serde_json::value::RawValue`, but not validated.
pub(super) const TEXT: &str = "$mcp_types::Text";
