//! The server, which has all features.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::types::json::Map;
use mcp_client::types::{
    AudioContent, Base64Text, BooleanSchema, CallToolResult, ContentBlock,
    CreateMessageRequestParams, Icon, ImageContent, LoggingLevel, ResourceLink, Role,
    SamplingMessage, SamplingMessageContentBlock, StringSchema, TextContent,
};
use mcp_server::{
    Completing, Context, Elicited, Form, HandlerError, Json, ResourceDef, Server, ToolDef,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Numbers {
    a: f64,
    b: f64,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Sum {
    sum: f64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Steps {
    steps: u32,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Hello {
    name: String,
}

/// Counts handlers that are dropped before they end.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

pub(crate) fn server() -> Server {
    let dropped = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&dropped);
    let mut builder = Server::builder("matrix", "1.0.0")
        .draft()
        .title("Matrix")
        .instructions("Use all of it.")
        .page_size(4)
        .add_tool(
            ToolDef::new("add")
                .description("Adds")
                .icon(Icon::new("https://example.com/add.png"))
                .handler(|args: Numbers| async move {
                    Json(Sum {
                        sum: args.a + args.b,
                    })
                }),
        )
        .tool("fail", "Fails", async || -> Result<_, HandlerError> {
            Err::<(), _>(HandlerError::tool("on purpose"))
        })
        .tool("media", "Shows and plays", || async {
            let bytes = Base64Text::encode(b"not really");
            CallToolResult::new([
                ContentBlock::from(ImageContent::new(bytes.clone(), "image/png")),
                ContentBlock::from(AudioContent::new(bytes, "audio/wav")),
            ])
        })
        .tool("link", "Links", || async {
            let link = ResourceLink::new("test://text", "text");
            CallToolResult::new([ContentBlock::from(link)])
        })
        .tool(
            "count",
            "Reports",
            async |args: Steps, cx: Context| -> Result<_, HandlerError> {
                for step in 1..=args.steps {
                    cx.progress(f64::from(step), f64::from(args.steps), None)
                        .await?;
                }
                Ok(args.steps.to_string())
            },
        )
        .tool(
            "log",
            "Logs",
            async |cx: Context| -> Result<_, HandlerError> {
                cx.log(LoggingLevel::Debug, None, "small").await?;
                cx.log(LoggingLevel::Error, "matrix", "large").await?;
                Ok("logged")
            },
        )
        .tool("never", "Never ends", move || {
            let guard = Dropped(Arc::clone(&counted));
            async move {
                let _guard = guard;
                std::future::pending::<Result<(), HandlerError>>().await
            }
        })
        .tool("dropped", "Counts what was given up", move || {
            let dropped = dropped.load(Ordering::Relaxed);
            async move { dropped.to_string() }
        })
        .tool("change", "Changes all", |cx: Context| async move {
            cx.server().tools_changed();
            cx.server().resource_updated("test://text");
            "changed"
        });
    builder = questions(builder);
    offers(builder).build().expect("the definition is valid")
}

fn questions(builder: mcp_server::ServerBuilder) -> mcp_server::ServerBuilder {
    builder
        .tool(
            "form",
            "Asks for a name",
            async |cx: Context| -> Result<_, HandlerError> {
                let form = Form::new("Name?")
                    .required("name", StringSchema::new())
                    .optional("old", BooleanSchema::new().default(true));
                let Elicited::Accepted(answer) = cx.elicit(form).await? else {
                    return Ok("nobody".to_owned());
                };
                Ok(serde_json::to_string(&answer)?)
            },
        )
        .tool(
            "page",
            "Shows a page",
            async |cx: Context| -> Result<_, HandlerError> {
                let shown = cx
                    .elicit_url("Log in.", "https://example.com/login", "1")
                    .await?;
                Ok(format!("{}", matches!(shown, Elicited::Accepted(()))))
            },
        )
        .tool(
            "sample",
            "Asks a model",
            async |cx: Context| -> Result<_, HandlerError> {
                let text = SamplingMessageContentBlock::from(TextContent::new("Hello?"));
                let asked = SamplingMessage::new(Role::User, text);
                let said = cx
                    .sample(CreateMessageRequestParams::new([asked], 10))
                    .await?;
                Ok(said.model)
            },
        )
        .tool(
            "roots",
            "Asks for roots",
            async |cx: Context| -> Result<_, HandlerError> {
                let roots = cx.roots().await?;
                Ok(roots.into_iter().map(|root| root.uri).collect::<String>())
            },
        )
}

fn offers(builder: mcp_server::ServerBuilder) -> mcp_server::ServerBuilder {
    let mut builder = builder
        .add_resource(ResourceDef::text("test://text", "text", "some text"))
        .add_resource(ResourceDef::bytes("test://bytes", "bytes", vec![0, 1, 2]))
        .resource_template(
            "test://item/{id}",
            "item",
            |variables: Map<String>| async move { variables.get("id").cloned().unwrap_or_default() },
        )
        .prompt("hello", "Greets", |args: Hello| async move { format!("Say hello to {}.", args.name) })
        .complete_prompt("hello", "name", |typing: Completing| async move { let known = ["Ada", "Alan", "Grace"];
            let found = known.iter().filter(|name| name.starts_with(&typing.value));
            found.map(|&name| name.to_owned()).collect::<Vec<_>>() });
    for number in 0..10 {
        let uri = format!("test://page/{number}");
        builder = builder.add_resource(ResourceDef::text(uri, format!("page {number}"), "page"));
    }
    builder
}
