//! The same messages, read and written by `serde_json::Value`, by `mcp-types`, and by the types of
//! other crates.
//!
//! `cargo bench` measures with criterion; `cargo run --release` reads what it measured and prints
//! ratios to `Value`. Each candidate does what its users do: from the text of a whole JSON-RPC
//! message to its own typed message, and back to text, appended to a buffer.

pub mod corpus;
#[cfg(feature = "ours")]
mod ours;
mod rmcp;
mod rust_mcp_schema;
mod value;

use corpus::Message;

/// Something to be done with every candidate that has types for a message.
pub trait Bench {
    /// Takes one candidate: how it decodes, how it encodes, and whether what it decoded is the
    /// type that the message has, and not one that happened to fit.
    ///
    /// # Errors
    /// Whatever the candidate's own code fails with.
    fn take<'m, T>(
        &mut self,
        candidate: &'static str,
        message: &'m Message,
        decode: impl Fn(&'m str) -> anyhow::Result<T>,
        encode: impl Fn(&T, &mut Vec<u8>) -> anyhow::Result<()>,
        right: impl Fn(&T) -> bool,
    ) -> anyhow::Result<()>;
}

/// What all ratios refer to. It is measured before the others and once more after them, since
/// the speed of a machine drifts.
pub const BASE: &str = "Value";
/// The second measurement of [`BASE`].
pub const BASE_AGAIN: &str = "Value, again";
/// The candidates that are compared with [`BASE`], in the order of the table.
pub const OTHERS: [&str; 3] = ["mcp-types", "rmcp", "rust-mcp-schema"];

/// Hands every candidate that has types for `message` to `bench`.
///
/// # Errors
/// The first error of a candidate.
pub fn all(message: &Message, bench: &mut impl Bench) -> anyhow::Result<()> {
    value::present(BASE, message, bench)?;
    #[cfg(feature = "ours")]
    ours::present(message, bench)?;
    rmcp::present(message, bench)?;
    rust_mcp_schema::present(message, bench)?;
    value::present(BASE_AGAIN, message, bench)
}
