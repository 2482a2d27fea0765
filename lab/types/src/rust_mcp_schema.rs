//! rust-mcp-schema: one message type for each side, of the newest revision only.

use rust_mcp_schema::ClientRequest;
use rust_mcp_schema::ServerResult;
use rust_mcp_schema::schema_utils::{ClientJsonrpcRequest, ClientMessage, ServerMessage};

use crate::Bench;
use crate::corpus::{COMPARED, Kind, Message};

const NAME: &str = "rust-mcp-schema";

pub(crate) fn present(message: &Message, bench: &mut impl Bench) -> anyhow::Result<()> {
    if message.revision != COMPARED {
        return Ok(());
    }
    if message.kind == Kind::CallRequest {
        return bench.take(
            NAME,
            message,
            |text| Ok(serde_json::from_str::<ClientMessage>(text)?),
            |decoded, out| Ok(serde_json::to_writer(out, decoded)?),
            |decoded| {
                matches!(
                    decoded,
                    ClientMessage::Request(ClientJsonrpcRequest::Standard(
                        ClientRequest::CallToolRequest(_)
                    ))
                )
            },
        );
    }
    bench.take(
        NAME,
        message,
        |text| Ok(serde_json::from_str::<ServerMessage>(text)?),
        |decoded, out| Ok(serde_json::to_writer(out, decoded)?),
        |decoded| match decoded {
            ServerMessage::Response(response) => matches!(
                (message.kind, &response.result),
                (Kind::CallResult, ServerResult::CallToolResult(_))
                    | (Kind::ListResult, ServerResult::ListToolsResult(_))
                    | (Kind::ReadResult, ServerResult::ReadResourceResult(_))
            ),
            _ => false,
        },
    )
}
