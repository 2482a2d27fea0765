//! What a server offers: tools, resources, prompts, completions, and requests of any other kind.
//!
//! # Tools
//!
//! [`tool`](crate::ServerBuilder::tool) takes a function of typed arguments. Their schema is
//! derived, doc comments are descriptions, and `()` takes none. [`ToolDef`](crate::ToolDef) says
//! more of a tool:
//!
//! ```
//! use mcp_server::types::{Icon, ToolAnnotations};
//! use mcp_server::{Context, Json, Server, ToolDef};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Place {
//!     /// The name of a city
//!     #[schemars(length(min = 1))]
//!     city: String,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Weather {
//!     celsius: f64,
//! }
//!
//! let tool = ToolDef::new("weather")
//!     .title("Weather")
//!     .description("The weather of a city")
//!     .annotations(ToolAnnotations::new().read_only_hint(true).open_world_hint(true))
//!     .icon(Icon::new("https://example.com/sun.png"))
//!     // Structured: the schema of the output is derived, too, and the result is held to it.
//!     .handler(|place: Place, _: Context| async move {
//!         let celsius = if place.city == "Oslo" { -3.0 } else { 20.0 };
//!         Ok(Json(Weather { celsius }))
//!     });
//! let server = Server::builder("weather", "1.0.0").add_tool(tool).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! Arguments are validated before the function runs: against their schema with the feature
//! `json-schema`, in any case by their type. What is wrong is said with its place: in a result
//! with `isError` from 2025-11-25 on, so that the model can mend it, before that as -32602.
//!
//! A schema can also be given as it is, beside typed arguments or instead of them. It is one of
//! JSON Schema 2020-12 unless its `$schema` says another draft. It refers to nothing outside of
//! itself: a server fetches no schema.
//!
//! ```
//! use mcp_server::types::json::{Object, Value};
//! use mcp_server::{Context, Server, ToolDef};
//!
//! let schema = serde_json::json!({
//!     "$schema": "http://json-schema.org/draft-07/schema#",
//!     "type": "object",
//!     "properties": { "sql": { "type": "string", "pattern": "^SELECT " } },
//!     "required": ["sql"],
//! });
//! let tool = ToolDef::new("query")
//!     .input_schema(schema)
//!     .object_handler(|args: Object, _: Context| async move {
//!         let sql = args.get("sql").and_then(Value::as_str).unwrap_or_default();
//!         Ok(format!("no rows for {sql}"))
//!     });
//! let server = Server::builder("tables", "1.0.0").add_tool(tool).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! A result is text, a number, a truth value or nothing, [`Json`](crate::Json), blocks of content,
//! or a whole `CallToolResult`. Blocks of all kinds can stand beside each other:
//!
//! ```
//! use mcp_server::HandlerError;
//! use mcp_server::types::{
//!     AudioContent, Base64Text, ContentBlock, EmbeddedResource, ImageContent, ResourceLink,
//!     TextContent, TextResourceContents,
//! };
//!
//! async fn everything() -> Result<Vec<ContentBlock>, HandlerError> {
//!     let bytes = Base64Text::encode(b"...");
//!     let notes = TextResourceContents::new("notes://1", "Buy milk").mime_type("text/plain");
//!     Ok(vec![
//!         TextContent::new("What I found:").into(),
//!         ImageContent::new(bytes.clone(), "image/png").into(),
//!         AudioContent::new(bytes, "audio/wav").into(),
//!         ResourceLink::new("notes://2", "another note").into(),
//!         EmbeddedResource::new(notes).into(),
//!     ])
//! }
//! ```
//!
//! # Errors
//!
//! An error of a tool is a result with `isError`, for the model to read; an error of the protocol
//! is for the program that called. A tool makes the first of any error by `?`, and the second by
//! the constructors of [`HandlerError`](crate::HandlerError):
//!
//! ```
//! use mcp_server::HandlerError;
//!
//! async fn read(path: &str) -> Result<String, HandlerError> {
//!     if path.is_empty() {
//!         return Err(HandlerError::invalid_params("`path` is empty")); // -32602
//!     }
//!     if path.starts_with("/etc") {
//!         return Err(HandlerError::tool("that is none of your business")); // isError
//!     }
//!     Ok(std::fs::read_to_string(path)?) // isError, with the text of the error
//! }
//! ```
//!
//! In a handler of resources, prompts, completions or any other request, an error by `?` is the
//! protocol's error -32603. For all handlers the rule is the same:
//!
//! * The peer gets the error's own text, its `Display`. In a tool the model reads it.
//! * The texts of its [sources](std::error::Error::source) do not leave: they tend to name tables,
//!   files and hosts. Some errors repeat them in their own text; give such an error a text of its
//!   own before `?`, or hide it.
//! * The log has all of it, as a warning "handler failed" with the fields `method`, `tool`,
//!   `request.id`, `principal`, `error` and `causes`.
//!
//! [`error_detail`](crate::ServerBuilder::error_detail) changes what the peer gets:
//!
//! | [`ErrorDetail`](crate::ErrorDetail) | a tool's result | message of -32603 |
//! | --- | --- | --- |
//! | `Hidden` | "the tool failed" | "internal error" |
//! | `Message`, the default | the error's own text | the error's own text |
//! | `Causes` | its own text and those of its sources | the same |
//!
//! ```
//! use mcp_server::{ErrorDetail, Server};
//!
//! let server = Server::builder("demo", "1.0.0").error_detail(ErrorDetail::Hidden).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! What is read by a [URL](crate::guide::urls) never has a text of the handler's error: the client
//! gets the status 500 and the log has the error.
//!
//! # Resources
//!
//! ```
//! use mcp_server::{Context, HandlerError, ResourceDef, Server};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct Page {
//!     book: String,
//!     page: u32,
//! }
//!
//! let server = Server::builder("library", "1.0.0")
//!     // Static: text and bytes.
//!     .add_resource(ResourceDef::text("library://rules", "rules", "Be quiet."))
//!     .add_resource(ResourceDef::bytes("library://seal", "seal", [0x89, b'P', b'N', b'G'])
//!         .mime_type("image/png"))
//!     // Made when it is read.
//!     .resource("library://hours", "hours", |_uri: String, _: Context| async {
//!         Ok("9 to 5")
//!     })
//!     // A template of RFC 6570, with its variables as a type.
//!     .resource_template(
//!         "library://books/{book}/{page}",
//!         "page",
//!         |uri: String, at: Page, _: Context| async move {
//!             if at.page == 0 {
//!                 return Err(HandlerError::resource_not_found(uri));
//!             }
//!             Ok(format!("Page {} of {}", at.page, at.book))
//!         },
//!     )
//!     .build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! # Prompts and completions
//!
//! Arguments of prompts are texts. They come as the fields of a type, or
//! [as they are](crate::PromptDef::map_handler), with arguments that are listed by hand.
//!
//! ```
//! use mcp_server::types::{PromptArgument, Role};
//! use mcp_server::{Completing, Context, PromptDef, Server};
//!
//! let translate = PromptDef::new("translate")
//!     .description("Translates a text")
//!     .argument(PromptArgument::new("text").required(true))
//!     .argument(PromptArgument::new("language"))
//!     .map_handler(|args, _: Context| async move {
//!         let text = args.get("text").cloned().unwrap_or_default();
//!         let language = args.get("language").map_or("English", String::as_str);
//!         Ok(vec![
//!             (Role::User, format!("Translate into {language}: {text}")),
//!             (Role::Assistant, "Here it is:".to_owned()),
//!         ])
//!     });
//! let server = Server::builder("words", "1.0.0")
//!     .add_prompt(translate)
//!     .complete_prompt("translate", "language", |typing: Completing, _: Context| async move {
//!         let mut all = vec!["Danish", "Dutch", "English"];
//!         all.retain(|language| language.starts_with(&typing.value));
//!         Ok(all)
//!     })
//!     .resource_template(
//!         "words://{language}",
//!         "dictionary",
//!         |_uri: String, (): (), _: Context| async { Ok("...") },
//!     )
//!     .complete_resource("words://{language}", "language", |typing: Completing, _| async move {
//!         // What is settled already is in `typing.arguments`.
//!         Ok(vec![format!("{}...", typing.value)])
//!     })
//!     .build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! # Lists: pages, caches, changes
//!
//! Lists have the order in which things were added. With a page size they come in pages, whose
//! cursors are sealed: one that was made up, or is of another list, is -32602. Caching hints tell
//! peers of 2026-07-28 how long, and for whom, an answer stays good.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::time::Duration;
//!
//! use mcp_server::types::{CacheScope, ToolsCapability};
//! use mcp_server::{Context, ResourceDef, Server, ToolDef};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules = ResourceDef::text("x://rules", "rules", "...")
//!     .cache(Duration::from_secs(3600), CacheScope::Public);
//! let server = Server::builder("demo", "1.0.0")
//!     .page_size(NonZeroUsize::new(50).ok_or("a page has at least one item")?)
//!     .cache_tools(Duration::from_secs(60), CacheScope::Public)
//!     .add_resource(rules)
//!     // Tools will come later.
//!     .capabilities(|all| all.tools(ToolsCapability::new().list_changed(true)))
//!     .build()?;
//!
//! // While it runs, from any task; each change is announced to whoever subscribed.
//! let late = ToolDef::new("late").handler(|(), _: Context| async { Ok("here I am") });
//! server.tools().add(late)?;
//! server.resource_updated("x://rules");
//! let gone = server.tools().remove("late");
//! # assert!(gone);
//! # Ok(())
//! # }
//! ```
//!
//! # Anything else
//!
//! [`on`](crate::ServerBuilder::on) takes any request of the method table, in place of what the
//! crate would do, and requests of the application's own; `on_notification` any notification.
//!
//! ```
//! use mcp_server::types::{ListToolsRequest, ListToolsResult, Tool, ToolInputSchema};
//! use mcp_server::types::{PaginatedRequestParams, ProgressNotification, ProgressNotificationParams};
//! use mcp_server::{Context, Server};
//!
//! let server = Server::builder("proxy", "1.0.0")
//!     .on::<ListToolsRequest, _>(|_: PaginatedRequestParams, _: Context| async {
//!         let tools = [Tool::new("echo", ToolInputSchema::new())];
//!         Ok(ListToolsResult::new(tools, 0, mcp_server::types::CacheScope::Private))
//!     })
//!     .on_notification::<ProgressNotification, _>(
//!         |params: ProgressNotificationParams, _: Context| async move {
//!             println!("{:?}", params.message);
//!         },
//!     )
//!     .build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
