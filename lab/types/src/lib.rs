//! The same messages, decoded and encoded by `serde_json::Value`, by `mcp-types`, and by the types
//! of other crates.
//!
//! `cargo bench` measures with criterion; `cargo run --release` reads its results and prints ratios
//! to `Value`. Each candidate does what its users do: it decodes the text of a whole JSON-RPC
//! message to its own typed message, and encodes that to text, appended to a buffer.

pub mod corpus;
#[cfg(feature = "ours")]
pub mod every;
#[cfg(feature = "ours")]
mod ours;
mod rmcp;
mod rust_mcp_schema;
mod turbomcp;
mod value;

use corpus::Message;

/// An operation on every candidate that has types for a message.
pub trait Bench {
    /// Runs one candidate: how it decodes, how it encodes, and whether the decoded value has the
    /// type of the message, and not another one that happened to match.
    ///
    /// # Errors
    ///
    /// Returns the errors of the candidate's code.
    fn take<'m, T>(
        &mut self,
        candidate: &'static str,
        message: &'m Message,
        decode: impl Fn(&'m str) -> anyhow::Result<T>,
        encode: impl Fn(&T, &mut Vec<u8>) -> anyhow::Result<()>,
        right: impl Fn(&T) -> bool,
    ) -> anyhow::Result<()>;
}

/// The candidate to which all ratios refer. It is measured before the others and again after them,
/// because the speed of a machine changes over time.
pub const BASE: &str = "Value";
/// The second measurement of [`BASE`].
pub const BASE_AGAIN: &str = "Value, again";
/// The candidates that are compared with [`BASE`], in the order of the table.
pub const OTHERS: [&str; 4] = ["mcp-types", "rmcp", turbomcp::NAME, "rust-mcp-schema"];

/// Runs `bench` with every candidate that has types for `message`.
///
/// # Errors
///
/// Returns the first error of a candidate.
pub fn all(message: &Message, bench: &mut impl Bench) -> anyhow::Result<()> {
    value::present(BASE, message, bench)?;
    #[cfg(feature = "ours")]
    ours::present(message, bench)?;
    rmcp::present(message, bench)?;
    turbomcp::present(message, bench)?;
    rust_mcp_schema::present(message, bench)?;
    value::present(BASE_AGAIN, message, bench)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Count(usize);

    impl Bench for Count {
        fn take<'m, T>(
            &mut self,
            candidate: &'static str,
            message: &'m Message,
            decode: impl Fn(&'m str) -> anyhow::Result<T>,
            encode: impl Fn(&T, &mut Vec<u8>) -> anyhow::Result<()>,
            _: impl Fn(&T) -> bool,
        ) -> anyhow::Result<()> {
            encode(&decode(&message.text)?, &mut Vec::new())?;
            self.0 += usize::from(candidate == turbomcp::NAME);
            Ok(())
        }
    }

    #[test]
    fn every_candidate_has_the_messages_of_its_revisions() -> anyhow::Result<()> {
        let mut count = Count(0);
        for message in corpus::messages() {
            all(&message, &mut count)?;
        }
        // All of 2025-11-25, and the small ones of 2025-06-18.
        assert_eq!(count.0, 6 + 3);
        Ok(())
    }
}
