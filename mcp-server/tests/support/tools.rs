//! A server whose tools can wait, fail and send messages, for tests of transports.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_server::types::{
    CallToolOutcome, CallToolRequest, CallToolRequestParams, CallToolResult, LoggingLevel,
    ResourcesCapability, TextContent, ToolsCapability,
};
use mcp_server::{Context, HandlerError, Limits, Params, Principal, Server};
use tokio::sync::Semaphore;

/// The gates at which tools wait, and events of handlers.
#[derive(Clone, Default)]
pub(crate) struct Gates(Arc<Mutex<HashMap<String, Arc<Gate>>>>);

struct Gate {
    open: Semaphore,
    /// Receives a value for each handler that arrived.
    entered: Semaphore,
    /// Receives a value for each handler that ended, in whatever way.
    left: Semaphore,
}

impl Gates {
    fn at(&self, name: &str) -> Arc<Gate> {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gate = gates.entry(name.to_owned()).or_insert_with(|| {
            Arc::new(Gate {
                open: Semaphore::new(0),
                entered: Semaphore::new(0),
                left: Semaphore::new(0),
            })
        });
        Arc::clone(gate)
    }

    /// Lets one handler pass.
    pub(crate) fn open(&self, name: &str) {
        self.at(name).open.add_permits(1);
    }

    /// The number of handlers that may still pass.
    pub(crate) fn opened(&self, name: &str) -> usize {
        self.at(name).open.available_permits()
    }

    /// Waits until one more handler has arrived.
    pub(crate) async fn entered(&self, name: &str) {
        pass(&self.at(name).entered).await;
    }

    /// Waits until one more handler has ended.
    pub(crate) async fn left(&self, name: &str) {
        pass(&self.at(name).left).await;
    }
}

async fn pass(semaphore: &Semaphore) {
    if let Ok(permit) = semaphore.acquire().await {
        permit.forget();
    }
}

struct Inside(Arc<Gate>);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.left.add_permits(1);
    }
}

/// Returns the server, with these limits.
pub(crate) fn server(limits: Limits, gates: &Gates) -> Server {
    let gates = gates.clone();
    Server::builder("subject", "1.0.0")
        .limits(limits)
        .capabilities(|capabilities| {
            capabilities
                .tools(ToolsCapability::new().list_changed(true))
                .resources(ResourcesCapability::new().subscribe(true))
        })
        .on(
            move |Params(params): Params<CallToolRequest>, cx: Context| {
                tool(params, cx, gates.clone())
            },
        )
        .build()
        .expect("the definition is sound")
}

async fn tool(
    params: CallToolRequestParams,
    cx: Context,
    gates: Gates,
) -> Result<CallToolOutcome, HandlerError> {
    let argument = |name: &str| {
        let arguments = params.arguments.as_ref();
        arguments.and_then(|all| all.get(name)?.as_str().map(str::to_owned))
    };
    let text = argument("text").unwrap_or_default();
    let text = match params.name.as_str() {
        "echo" => text,
        "who" => {
            let principal = cx.extension::<Principal>();
            principal.map_or("nobody".to_owned(), |principal| principal.0.clone())
        }
        "wait" => {
            let gate = gates.at(&text);
            let inside = Inside(Arc::clone(&gate));
            gate.entered.add_permits(1);
            pass(&gate.open).await;
            drop(inside);
            text
        }
        "open" => {
            gates.open(&text);
            text
        }
        "opened" => gates.opened(&text).to_string(),
        "entered" => {
            gates.entered(&text).await;
            text
        }
        "left" => {
            gates.left(&text).await;
            text
        }
        "talk" => {
            let count: usize = text.parse()?;
            let words = "word ".repeat(200);
            for number in 0..count {
                let message = format!("{number} {words}");
                cx.log(LoggingLevel::Info, None, message.as_str()).await?;
            }
            text
        }
        "chatter" => {
            let (cx, said) = (cx.clone(), gates.clone());
            tokio::spawn(async move {
                let words = "word ".repeat(200);
                while cx.log(LoggingLevel::Info, None, &*words).await.is_ok() && !cx.is_cancelled()
                {
                    said.open("said");
                }
            });
            let gate = gates.at(&text);
            let _inside = Inside(Arc::clone(&gate));
            pass(&gate.open).await;
            text
        }
        "long" => "x".repeat(text.parse()?),
        "late" => {
            tokio::task::yield_now().await;
            "x".repeat(text.parse()?)
        }
        "panic" => panic!("as asked"),
        "late panic" => {
            tokio::task::yield_now().await;
            panic!("as asked, later")
        }
        "touch" => {
            cx.server().resource_updated(text.as_str());
            text
        }
        "tools changed" => {
            cx.server().tools_changed();
            text
        }
        "stop" => {
            cx.server().shutdown();
            text
        }
        other => return Err(HandlerError::invalid_params(format!("no tool `{other}`"))),
    };
    Ok(CallToolResult::new([TextContent::new(text).into()]).into())
}
