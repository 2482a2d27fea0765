//! All integration tests of the crate.

mod agent;
#[cfg(feature = "apps")]
mod apps;
mod definitions;
#[cfg(feature = "icons")]
mod icons;
mod results;
#[cfg(feature = "skills")]
mod skills;

use mcp_client::types::json::Value;
use mcp_client::{ByteStream, Client, Transport};
use mcp_host::ModelFormat;
use mcp_server::Server;
use mcp_testkit::soon;
use serde_json::json;

const FORMATS: [ModelFormat; 3] = [
    ModelFormat::Anthropic,
    ModelFormat::OpenAiChat,
    ModelFormat::OpenAiResponses,
];

/// Serves at the other end of a stream in memory.
fn serve(server: &Server) -> impl Transport + use<> {
    ByteStream::of(server.in_memory())
}

async fn connect(server: &Server) -> Client {
    let client = Client::builder("test", "1.0.0").connect(serve(server));
    soon(client).await.expect("connected")
}

/// Returns a response in which a model makes these calls: the id, the name and the arguments.
fn response(format: ModelFormat, calls: &[(&str, &str, serde_json::Value)]) -> serde_json::Value {
    let calls = calls.iter();
    match format {
        ModelFormat::Anthropic => {
            let calls = calls.map(|(id, name, arguments)| {
                json!({"type": "tool_use", "id": id, "name": name, "input": arguments})
            });
            let text = json!({"type": "text", "text": "Let me see."});
            let content: Vec<_> = std::iter::once(text).chain(calls).collect();
            json!({"role": "assistant", "stop_reason": "tool_use", "content": content})
        }
        ModelFormat::OpenAiChat => {
            let calls: Vec<_> = calls
                .map(|(id, name, arguments)| {
                    let function = json!({"name": name, "arguments": arguments.to_string()});
                    json!({"type": "function", "id": id, "function": function})
                })
                .collect();
            let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
            json!({"choices": [{"index": 0, "message": message}]})
        }
        _ => {
            let calls = calls.map(|(id, name, arguments)| {
                let arguments = arguments.to_string();
                json!({"type": "function_call", "id": "fc", "call_id": id, "name": name, "arguments": arguments})
            });
            let thought = json!({"type": "reasoning", "id": "rs", "summary": []});
            let output: Vec<_> = std::iter::once(thought).chain(calls).collect();
            json!({"id": "resp", "output": output})
        }
    }
}

/// Returns messages for comparison.
fn plain(messages: Vec<Value>) -> Vec<serde_json::Value> {
    messages.into_iter().map(Into::into).collect()
}
