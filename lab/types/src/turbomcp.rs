//! turbomcp 3: a type for each result, which is decoded from the tree of its response, as its client
//! does it. It has the revisions 2025-06-18 and 2025-11-25.

use serde::Serialize;
use serde::de::DeserializeOwned;
use turbomcp_protocol::jsonrpc::{
    JsonRpcRequest, JsonRpcResponse, JsonRpcResponsePayload, JsonRpcVersion, ResponseId,
};
use turbomcp_protocol::types::{
    CallToolRequest, CallToolResult, ListToolsResult, ReadResourceResult, RequestId,
};

use crate::Bench;
use crate::corpus::{Kind, Message};

pub(crate) const NAME: &str = "turbomcp";

pub(crate) fn present(message: &Message, bench: &mut impl Bench) -> anyhow::Result<()> {
    if !["2025-06-18", "2025-11-25"].contains(&message.revision) {
        return Ok(());
    }
    match message.kind {
        Kind::CallRequest => bench.take(
            NAME,
            message,
            |text| {
                let request: JsonRpcRequest = serde_json::from_str(text)?;
                let params = request.params.unwrap_or_default();
                Ok((
                    request.id,
                    serde_json::from_value::<CallToolRequest>(params)?,
                ))
            },
            |(id, params): &(RequestId, CallToolRequest), out| {
                let params = Some(serde_json::to_value(params)?);
                let request = JsonRpcRequest::new("tools/call".to_owned(), params, id.clone());
                Ok(serde_json::to_writer(out, &request)?)
            },
            |_| true,
        ),
        Kind::CallResult => result::<CallToolResult>(message, bench),
        Kind::ListResult => result::<ListToolsResult>(message, bench),
        Kind::ReadResult => result::<ReadResourceResult>(message, bench),
    }
}

fn result<T: DeserializeOwned + Serialize>(
    message: &Message,
    bench: &mut impl Bench,
) -> anyhow::Result<()> {
    bench.take(
        NAME,
        message,
        |text| {
            let response: JsonRpcResponse = serde_json::from_str(text)?;
            let JsonRpcResponsePayload::Success { result } = response.payload else {
                anyhow::bail!("an error");
            };
            Ok((response.id, serde_json::from_value::<T>(result)?))
        },
        |(id, result): &(ResponseId, T), out| {
            let result = serde_json::to_value(result)?;
            let response = JsonRpcResponse {
                jsonrpc: JsonRpcVersion,
                payload: JsonRpcResponsePayload::Success { result },
                id: id.clone(),
            };
            Ok(serde_json::to_writer(out, &response)?)
        },
        |_| true,
    )
}
