//! The process that the soak test loads: `pipes` serves standard input and output, `http` a socket
//! whose address it prints.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_server::types::{
    LoggingLevel, ResourcesCapability, StringSchema, ToolsCapability, json::Object,
};
use mcp_server::{BuildErrors, Context, Form, HandlerError, Json, Limits, Server};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Number {
    number: u64,
}

/// The number of handlers that have started, and of those that still exist.
#[derive(Default)]
struct Count {
    began: AtomicUsize,
    there: AtomicUsize,
}

#[derive(Serialize, JsonSchema)]
struct Counted {
    began: usize,
    there: usize,
}

/// Counts a handler until it is dropped.
struct CountGuard(Arc<Count>);

impl Count {
    fn enter(self: &Arc<Self>) -> CountGuard {
        self.began.fetch_add(1, Ordering::Relaxed);
        self.there.fetch_add(1, Ordering::Relaxed);
        CountGuard(Arc::clone(self))
    }
}

impl Drop for CountGuard {
    fn drop(&mut self) {
        self.0.there.fetch_sub(1, Ordering::Relaxed);
    }
}

fn main() -> ExitCode {
    let http = std::env::args().nth(1).is_some_and(|word| word == "http");
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    let served = runtime.block_on(async {
        let server = server().expect("the definition is sound");
        if http {
            let serving = server.serve_http("127.0.0.1:0").expect("bound");
            println!("{}", serving.local_addr());
            serving.await
        } else {
            server.serve_stdio().await
        }
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn server() -> Result<Server, BuildErrors> {
    let mut limits = Limits::default();
    limits.sessions = 8;
    // All requests of the test have the same address.
    limits.requests_per_peer = limits.concurrent_requests;
    let count = Arc::<Count>::default();
    let (free, freed) = watch::channel(0);
    let holding = Arc::clone(&count);
    let counted = Arc::clone(&count);
    let mut builder = Server::builder("soak", "1")
        .limits(limits)
        .page_size(4)
        .capabilities(|has| {
            has.tools(ToolsCapability::new().list_changed(true))
                .resources(ResourcesCapability::new().subscribe(true))
        })
        .tool("echo", "Says it again", |args: Text| async { args.text })
        .tool("late", "Says it later", |args: Text| async {
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
            args.text
        })
        .tool("talk", "Says it in between", talk)
        .tool(
            "fail",
            "Fails",
            async |args: Text| -> Result<_, HandlerError> {
                Err::<String, _>(HandlerError::tool(args.text))
            },
        )
        .tool("panic", "Panics", panic)
        .tool("ask", "Asks for a word", ask)
        .tool(
            "touch",
            "Changes a resource",
            |args: Text, cx: Context| async move {
                cx.server().resource_updated(args.text.as_str());
                args.text
            },
        )
        .tool("hold", "Waits until it is freed", move |args: Number| {
            let (here, mut freed) = (holding.enter(), freed.clone());
            async move {
                let _here = here;
                freed.wait_for(|freed| *freed >= args.number).await?;
                Ok::<_, HandlerError>("free")
            }
        })
        .tool("free", "Frees who waits", move |args: Number| {
            free.send_modify(|freed| *freed = args.number.max(*freed));
            async { "freed" }
        })
        .tool("count", "Counts who waits", move || {
            let counted = Counted {
                began: counted.began.load(Ordering::Relaxed),
                there: counted.there.load(Ordering::Relaxed),
            };
            async { Json(counted) }
        });
    for number in 0..4 {
        let name = format!("filler-{number}");
        builder = builder.tool(name, "Fills a page", async || "");
    }
    builder.build()
}

async fn talk(args: Text, cx: Context) -> Result<String, HandlerError> {
    for number in 0..3 {
        let said = format!("{}:{number}", args.text);
        cx.progress(f64::from(number), 3.0, None).await?;
        cx.log(LoggingLevel::Warning, None, said).await?;
    }
    Ok(args.text)
}

/// Ready immediately, or on the second poll.
async fn panic(args: Text, _: Context) -> Result<String, HandlerError> {
    if args.text.len().is_multiple_of(2) {
        tokio::task::yield_now().await;
    }
    panic!("as asked")
}

async fn ask(args: Text, cx: Context) -> Result<String, HandlerError> {
    let form = Form::<Object>::new(args.text).required("word", StringSchema::new());
    let answer = cx.elicit(form).key("word").await?.accepted();
    let word = answer
        .as_ref()
        .and_then(|answer| answer.get("word")?.as_str());
    Ok(word.unwrap_or_default().to_owned())
}
