//! The server that the soak test kills: on standard input and output, or on the given port.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_server::types::{StringSchema, json::Object};
use mcp_server::{Context, Form, HandlerError, Keys, ResourceUri, Server};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

/// Counts a handler until it is dropped.
struct CountGuard(Arc<AtomicUsize>);

impl Drop for CountGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn server() -> Server {
    let there = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&there);
    let builder = Server::builder("soak", "1")
        // A restarted process can open what the previous one has sealed.
        .keys(Keys::from_bytes([7; 32]))
        .page_size(4)
        .tool("echo", "Says it again", |args: Text| async { args.text })
        .tool("late", "Says it later", |args: Text| async {
            for _ in 0..args.text.len() * 10 {
                tokio::task::yield_now().await;
            }
            args.text
        })
        .tool("talk", "Says it in between", talk)
        .tool("ask", "Asks for a word", ask)
        .tool(
            "touch",
            "Changes a resource",
            |args: Text, cx: Context| async move {
                cx.server().resource_updated(args.text.as_str());
                args.text
            },
        )
        .tool("never", "Never answers", move || {
            there.fetch_add(1, Ordering::Relaxed);
            let here = CountGuard(Arc::clone(&there));
            async move {
                let _here = here;
                std::future::pending::<Result<(), HandlerError>>().await
            }
        })
        .tool("there", "Counts who waits", move || {
            let there = counted.load(Ordering::Relaxed);
            async move { there.to_string() }
        })
        .resource_template(
            "soak:{number}",
            "changes",
            |_: Object, ResourceUri(uri): ResourceUri| async { Ok::<_, HandlerError>(uri) },
        );
    builder.build().expect("the definition is sound")
}

async fn talk(args: Text, cx: Context) -> Result<String, HandlerError> {
    for step in 0..3 {
        cx.progress(f64::from(step), 3.0, args.text.as_str())
            .await?;
    }
    Ok(args.text)
}

async fn ask(args: Text, cx: Context) -> Result<String, HandlerError> {
    let form = Form::<Object>::new(args.text).required("word", StringSchema::new());
    let answer = cx.elicit(form).key("word").await?.accepted();
    let word = answer
        .as_ref()
        .and_then(|answer| answer.get("word")?.as_str());
    Ok(word.unwrap_or_default().to_owned())
}

fn main() -> ExitCode {
    let address = std::env::args().nth(1);
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    let served = runtime.block_on(async {
        match address {
            Some(address) => server().serve_http(address)?.await?,
            None => server().serve_stdio().await?,
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
