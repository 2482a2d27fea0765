//! Our own types: the envelope, and in the same pass the type that follows from the method and the
//! revision.

use mcp_types::json::Value;
use mcp_types::rpc::{self, Decoded, Of};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Bench;
use crate::corpus::{Kind, Message};

const NAME: &str = "mcp-types";

fn request<P>(message: &Message, bench: &mut impl Bench) -> anyhow::Result<()>
where
    P: DeserializeOwned + Serialize,
{
    bench.take(
        NAME,
        message,
        |text| match rpc::decode::<P, Value>(text, |of| of == Of::Method("tools/call"))? {
            Decoded::Typed(rpc::Message::Request {
                id,
                method,
                params: Some(params),
                ..
            }) => Ok((id, method, params)),
            _ => anyhow::bail!("not a request with params"),
        },
        |(id, method, params), out| Ok(rpc::write_request(out, id, method, Some(params))?),
        |_| true,
    )
}

fn result<R>(message: &Message, bench: &mut impl Bench) -> anyhow::Result<()>
where
    R: DeserializeOwned + Serialize,
{
    bench.take(
        NAME,
        message,
        |text| match rpc::decode::<Value, R>(text, |of| matches!(of, Of::Id(_)))? {
            Decoded::Typed(rpc::Message::Result { id, result, .. }) => Ok((id, result)),
            _ => anyhow::bail!("not a result"),
        },
        |(id, result), out| Ok(rpc::write_result(out, id, result)?),
        |_| true,
    )
}

macro_rules! of_revision {
    ($module:path, $message:expr, $bench:expr) => {{
        use $module as types;
        match $message.kind {
            Kind::CallRequest => request::<types::CallToolRequestParams>($message, $bench),
            Kind::CallResult => result::<types::CallToolResult>($message, $bench),
            Kind::ListResult => result::<types::ListToolsResult>($message, $bench),
            Kind::ReadResult => result::<types::ReadResourceResult>($message, $bench),
        }
    }};
}

pub(crate) fn present(message: &Message, bench: &mut impl Bench) -> anyhow::Result<()> {
    match message.revision {
        "2024-11-05" => of_revision!(mcp_types::v2024_11_05, message, bench),
        "2025-03-26" => of_revision!(mcp_types::v2025_03_26, message, bench),
        "2025-06-18" => of_revision!(mcp_types::v2025_06_18, message, bench),
        "2025-11-25" => of_revision!(mcp_types::v2025_11_25, message, bench),
        _ => of_revision!(mcp_types::v2026_07_28, message, bench),
    }
}
