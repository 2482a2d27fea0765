//! The comparison of secret texts.

/// Returns `true` if two secret texts are equal. Their digests are compared, so that the time says
/// nothing of the texts.
pub(crate) fn same(one: &str, other: &str) -> bool {
    mcp_oauth::sha256(one.as_bytes()) == mcp_oauth::sha256(other.as_bytes())
}
