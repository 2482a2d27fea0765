//! rmcp: one message type for each side, for all revisions.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, ServerJsonRpcMessage, ServerResult,
};

use crate::Bench;
use crate::corpus::{Kind, Message};

pub(crate) fn present(message: &Message, bench: &mut impl Bench) -> anyhow::Result<()> {
    if message.kind == Kind::CallRequest {
        return bench.take(
            "rmcp",
            message,
            |text| Ok(serde_json::from_str::<ClientJsonRpcMessage>(text)?),
            |decoded, out| Ok(serde_json::to_writer(out, decoded)?),
            |decoded| match decoded {
                JsonRpcMessage::Request(one) => {
                    matches!(one.request, ClientRequest::CallToolRequest(_))
                }
                _ => false,
            },
        );
    }
    bench.take(
        "rmcp",
        message,
        |text| Ok(serde_json::from_str::<ServerJsonRpcMessage>(text)?),
        |decoded, out| Ok(serde_json::to_writer(out, decoded)?),
        |decoded| match decoded {
            JsonRpcMessage::Response(response) => matches!(
                (message.kind, &response.result),
                (Kind::CallResult, ServerResult::CallToolResult(_))
                    | (Kind::ListResult, ServerResult::ListToolsResult(_))
                    | (Kind::ReadResult, ServerResult::ReadResourceResult(_))
            ),
            _ => false,
        },
    )
}
