//! `serde_json::Value`, the base of all ratios.

use serde_json::Value;

use crate::Bench;
use crate::corpus::Message;

pub(crate) fn present(
    name: &'static str,
    message: &Message,
    bench: &mut impl Bench,
) -> anyhow::Result<()> {
    bench.take(
        name,
        message,
        |text| Ok(serde_json::from_str::<Value>(text)?),
        |value, out| Ok(serde_json::to_writer(out, value)?),
        |_| true,
    )
}
