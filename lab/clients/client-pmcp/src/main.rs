//! Calls a tool with pmcp: see `asking`. It has no transport that starts a server. It requests
//! progress only where it is counted, with a middleware: a client has no other handler of
//! notifications.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use asking::{ARGUMENT, Fault, Server, TEXT, Task};
use pmcp::shared::streamable_http::{
    StreamableHttpTransport, StreamableHttpTransportConfigBuilder,
};
use pmcp::shared::{AdvancedMiddleware, EnhancedMiddlewareChain, MiddlewareContext};
use pmcp::types::protocol::{ProtocolVersion, RequestMeta};
use pmcp::types::{Content, JSONRPCNotification, ProgressToken};
use pmcp::{ClientBuilder, ClientCapabilities, async_trait};
use serde_json::json;
use url::Url;

#[derive(Default)]
struct Heard(AtomicU64);

#[async_trait]
impl AdvancedMiddleware for Heard {
    fn name(&self) -> &'static str {
        "heard"
    }

    async fn on_notification_with_context(
        &self,
        notification: &mut JSONRPCNotification,
        _: &MiddlewareContext,
    ) -> pmcp::Result<()> {
        let heard = notification.method == "notifications/progress";
        self.0.fetch_add(u64::from(heard), Ordering::Relaxed);
        Ok(())
    }
}

fn main() -> Result<(), Fault> {
    asking::main(client)
}

async fn client(task: Task) -> Result<(), Fault> {
    let Server::Http(url) = &task.server else {
        return Err("pmcp has no transport that starts a server".into());
    };
    let config = StreamableHttpTransportConfigBuilder::new(Url::parse(url)?).build();
    let heard = Arc::new(Heard::default());
    let mut middleware = EnhancedMiddlewareChain::new();
    middleware.add(heard.clone());
    let mut client = ClientBuilder::new(StreamableHttpTransport::new(config))
        .with_protocol_version(ProtocolVersion(task.revision.clone()))?
        .middleware_chain(middleware)
        .build();
    client.initialize(ClientCapabilities::default()).await?;
    let (client, tool, reports) = (Arc::new(client), task.tool.clone(), task.reports);
    let (name, value) = ARGUMENT;
    let arguments = json!({ name: value });
    let tokens = Arc::new(AtomicU64::new(0));
    let call = move || {
        let (client, tool, arguments) = (client.clone(), tool.clone(), arguments.clone());
        let token = reports.then(|| tokens.fetch_add(1, Ordering::Relaxed));
        async move {
            let result = match token {
                None => client.call_tool(tool, arguments).await?,
                Some(token) => {
                    let token = ProgressToken::String(token.to_string());
                    let meta = RequestMeta::new().with_progress_token(token);
                    client.call_tool_with_meta(tool, arguments, meta).await?
                }
            };
            let said = result.content.first();
            Ok(matches!(said, Some(Content::Text { text }) if text == TEXT))
        }
    };
    task.run(call, || heard.0.load(Ordering::Relaxed)).await?;
    Ok(())
}
