//! turbomcp over HTTP, on axum, with its defaults. Prints its address in the first line of its
//! output. It has no settings for the form of responses: a call responds with JSON until it sends
//! progress, and then with events.

#![expect(clippy::unused_async, reason = "turbomcp takes async methods")]

use std::net::SocketAddr;

use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;
use turbomcp::prelude::*;

#[derive(Clone)]
struct Bench;

#[turbomcp::server(name = "http-turbomcp", version = "1.0.0")]
impl Bench {
    /// Greets somebody
    #[tool]
    async fn greet(&self, #[description("Whom to greet")] name: String) -> String {
        format!("Hello, {name}!")
    }

    /// Reports first
    #[tool]
    async fn report(
        &self,
        ctx: &RequestContext,
        #[description("Whom to greet")] name: String,
    ) -> McpResult<String> {
        ctx.report_progress(1.0, Some(2.0), None::<&str>).await?;
        Ok(format!("Hello, {name}!"))
    }

    /// Reports and waits
    #[tool]
    async fn pause(
        &self,
        ctx: &RequestContext,
        #[description("Whom to greet")] name: String,
    ) -> McpResult<String> {
        ctx.report_progress(1.0, Some(2.0), None::<&str>).await?;
        for _ in 0..2 {
            tokio::task::yield_now().await;
        }
        Ok(format!("Hello, {name}!"))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve())
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let router = Bench.builder().into_axum_router();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            eprintln!("{error}");
        }
    });
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).await?;
    Ok(())
}
