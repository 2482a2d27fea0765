//! Our own types: the envelope first, then the type that the method and the revision say.

use mcp_types::rpc;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Bench;
use crate::corpus::{Kind, Message};

const NAME: &str = "mcp-types";

/// A request as it is written.
#[derive(Serialize)]
struct Request<'a, P> {
    jsonrpc: &'static str,
    id: &'a rpc::Id<'a>,
    method: &'a str,
    params: &'a P,
}

/// A response as it is written.
#[derive(Serialize)]
struct Response<'a, R> {
    jsonrpc: &'static str,
    id: &'a rpc::Id<'a>,
    result: &'a R,
}

fn request<P>(message: &Message, bench: &mut impl Bench) -> anyhow::Result<()>
where
    P: DeserializeOwned + Serialize,
{
    bench.take(
        NAME,
        message,
        |text| match rpc::parse(text)? {
            rpc::Message::Request {
                id,
                method,
                params: Some(params),
            } => Ok((id, method, serde_json::from_str::<P>(params.get())?)),
            _ => anyhow::bail!("not a request"),
        },
        |(id, method, params), out| {
            let request = Request {
                jsonrpc: "2.0",
                id,
                method,
                params,
            };
            Ok(serde_json::to_writer(out, &request)?)
        },
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
        |text| match rpc::parse(text)? {
            rpc::Message::Result { id, result } => {
                Ok((id, serde_json::from_str::<R>(result.get())?))
            }
            _ => anyhow::bail!("not a result"),
        },
        |(id, result), out| {
            let response = Response {
                jsonrpc: "2.0",
                id,
                result,
            };
            Ok(serde_json::to_writer(out, &response)?)
        },
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
