//! What a server offers: tools, resources, prompts, completions, and requests of any other kind.
//!
//! # Tools
//!
//! A tool is an async function. Its first parameter are the arguments, a type that implements
//! `serde::Deserialize` and `schemars::JsonSchema`; a tool without arguments leaves it out. The
//! schema is derived from the type, and doc comments become descriptions. After the arguments come
//! [extractors](super::state), such as [`Context`](crate::Context).
//! [`tool`](crate::ServerBuilder::tool) is enough for most tools, [`ToolDef`](crate::ToolDef)
//! describes one in full:
//!
//! ```
//! use mcp_server::types::{Icon, ToolAnnotations};
//! use mcp_server::{Context, HandlerError, Json, Server, ToolDef};
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
//! /// `Json` returns structured content. The schema of the output is derived as well.
//! async fn weather(place: Place) -> Json<Weather> {
//!     let celsius = if place.city == "Oslo" { -3.0 } else { 20.0 };
//!     Json(Weather { celsius })
//! }
//!
//! async fn refresh(cx: Context) -> Result<&'static str, HandlerError> {
//!     cx.progress(1.0, 2.0, "downloading").await?;
//!     Ok("refreshed")
//! }
//!
//! let weather = ToolDef::new("weather")
//!     .title("Weather")
//!     .description("Returns the weather of a city")
//!     .annotations(ToolAnnotations::new().read_only_hint(true).open_world_hint(true))
//!     .icon(Icon::new("https://example.com/sun.png"))
//!     .handler(weather);
//! let server = Server::builder("weather", "1.0.0")
//!     .add_tool(weather)
//!     .tool("refresh", "Downloads new data", refresh)
//!     .tool("stations", "Counts the stations", async || 12)
//!     .build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! Arguments are validated before the function runs: against their schema with the feature
//! `json-schema`, which also checks formats such as `date`, otherwise by their type. Errors name
//! all places and what is expected there; for an enum that is the list of its values, or what is
//! wrong with the variant that the tag chooses. Clients since 2025-11-25 get them as a result with
//! `isError`, so that the model can correct itself, older ones as -32602. The page
//! [`errors`](super::errors) describes the errors that handlers return.
//!
//! A schema can also be written by hand, for typed arguments or instead of them. Its dialect is
//! JSON Schema 2020-12 unless `$schema` names another draft. It must not refer to other documents:
//! the server does not download schemas.
//!
//! ```
//! use mcp_server::types::json::{Object, Value};
//! use mcp_server::{Server, ToolDef};
//!
//! async fn query(arguments: Object) -> String {
//!     let sql = arguments.get("sql").and_then(Value::as_str).unwrap_or_default();
//!     format!("no rows for {sql}")
//! }
//!
//! let schema = serde_json::json!({
//!     "$schema": "http://json-schema.org/draft-07/schema#",
//!     "type": "object",
//!     "properties": { "sql": { "type": "string", "pattern": "^SELECT " } },
//!     "required": ["sql"],
//! });
//! let query = ToolDef::new("query").input_schema(schema).object_handler(query);
//! let server = Server::builder("tables", "1.0.0").add_tool(query).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! Properties of arguments are listed in the order of the struct's fields, in nested structs, too.
//! Those of results, of variants of enums and of structs with flattened fields are sorted by name,
//! unless the program enables the feature `preserve_order` of `schemars`. That feature enables the
//! one of `serde_json`, which changes the order of `serde_json::Map` in the whole program. Integers
//! may be written as `30.0`, which JSON Schema counts as integers, too: handlers get them as `30`.
//!
//! # What clients accept
//!
//! Some clients, and the model providers behind them, accept less than the protocol permits. Often
//! one such tool makes all tools of a server unusable. `build` writes a warning to the log where
//! the column says so.
//!
//! | What | Who refuses it | Instead | Warning |
//! | --- | --- | --- | --- |
//! | `oneOf`, `anyOf` or `allOf` at the root of the arguments' schema, such as for an enum | Anthropic ([report](https://github.com/anthropics/claude-code/issues/5973)), OpenAI, with `not` and `enum` ([report](https://github.com/langchain-ai/langchainjs/issues/9804)) | [`ToolDef::one_object`](crate::ToolDef::one_object), or one tool for each variant | yes |
//! | arguments without `properties` | OpenAI ([report](https://github.com/langchain-ai/langchain-mcp-adapters/issues/137)) | always added | |
//! | names with other characters than letters, digits, `_`, `-` and `.`, or with more than 128 | Claude Desktop ([report](https://github.com/NetApp/netapp-dataops-toolkit/issues/38)), VS Code ([report](https://github.com/sxhxliang/mcp-access-point/issues/10)) | | yes |
//! | names with `.` | OpenAI ([report](https://github.com/openai/codex/issues/8174)), Copilot CLI ([report](https://github.com/github/copilot-cli/issues/1879)) | `_` | |
//! | names with more than 64 characters | Claude Desktop ([report](https://github.com/NetApp/netapp-dataops-toolkit/issues/38)) | shorter names; clients may add the name of the server | |
//! | `$ref` and `$defs` | Gemini ([report](https://github.com/google-gemini/gemini-cli/issues/13326)) | arguments without nested structs, or `#[schemars(inline)]` on these | at the root |
//! | `additionalProperties` | Gemini, by way of some clients ([report](https://github.com/promptfoo/promptfoo/issues/6902)) | for tools without arguments [`ignore_extra_arguments`](crate::ServerBuilder::ignore_extra_arguments) | |
//! | results that are no object, in the output schema | clients with the TypeScript SDK ([report](https://github.com/opentokenz/mcpx/issues/28)) | a struct; clients up to 2025-11-25 do not get such a schema | |
//!
//! # Results of tools
//!
//! A tool returns text, a number, a `bool` or nothing, [`Json`](crate::Json), blocks of content, or
//! a whole `CallToolResult`; each of them plain or in a `Result`. Blocks of different kinds can be
//! mixed:
//!
//! ```
//! use mcp_server::types::{
//!     AudioContent, Base64Text, ContentBlock, EmbeddedResource, ImageContent, ResourceLink,
//!     TextContent, TextResourceContents,
//! };
//!
//! async fn everything() -> Vec<ContentBlock> {
//!     let bytes = Base64Text::encode(b"...");
//!     let notes = TextResourceContents::new("notes://1", "Buy milk").mime_type("text/plain");
//!     vec![
//!         TextContent::new("These were found:").into(),
//!         ImageContent::new(bytes.clone(), "image/png").into(),
//!         AudioContent::new(bytes, "audio/wav").into(),
//!         ResourceLink::new("notes://2", "another note").into(),
//!         EmbeddedResource::new(notes).into(),
//!     ]
//! }
//! # drop(mcp_server::ToolDef::new("everything").handler(everything));
//! ```
//!
//! # Resources
//!
//! A resource has static contents, or a handler that runs whenever the resource is read. The first
//! parameter of a template's handler are the variables of the template.
//! [`ResourceUri`](crate::ResourceUri) extracts the URI.
//!
//! ```
//! use mcp_server::{HandlerError, ResourceDef, ResourceUri, Server};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct Page {
//!     book: String,
//!     page: u32,
//! }
//!
//! async fn hours() -> &'static str {
//!     "9 to 5"
//! }
//!
//! async fn page(at: Page, ResourceUri(uri): ResourceUri) -> Result<String, HandlerError> {
//!     if at.page == 0 {
//!         return Err(HandlerError::resource_not_found(uri));
//!     }
//!     Ok(format!("Page {} of {}", at.page, at.book))
//! }
//!
//! let logo = ResourceDef::bytes("library://logo", "logo", [0x89, b'P', b'N', b'G']);
//! let server = Server::builder("library", "1.0.0")
//!     // Static contents: text and bytes.
//!     .add_resource(ResourceDef::text("library://rules", "rules", "Be quiet."))
//!     .add_resource(logo.mime_type("image/png"))
//!     .resource("library://hours", "hours", hours)
//!     // All URIs that a template of RFC 6570 matches.
//!     .resource_template("library://books/{book}/{page}", "page", page)
//!     .build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! # Prompts and completions
//!
//! Clients send the arguments of prompts as text. They are parsed into the fields of a type, lists,
//! structs and enums with data as JSON, or passed on as a [map](crate::PromptDef::map_handler),
//! with arguments that are listed by hand. An empty text for an optional number, boolean or enum
//! counts as absent. A handler of completions gets what the user has typed; it can also be a plain
//! function of that text, such as `|typed: &str| vec![format!("{typed}!")]`.
//!
//! ```
//! use mcp_server::types::json::Map;
//! use mcp_server::types::{PromptArgument, Role};
//! use mcp_server::{Completing, PromptDef, Server};
//!
//! async fn translate(arguments: Map<String>) -> Vec<(Role, String)> {
//!     let text = arguments.get("text").cloned().unwrap_or_default();
//!     let language = arguments.get("language").map_or("English", String::as_str);
//!     vec![
//!         (Role::User, format!("Translate into {language}: {text}")),
//!         (Role::Assistant, "Here it is:".to_owned()),
//!     ]
//! }
//!
//! async fn languages(typing: Completing) -> Vec<&'static str> {
//!     let mut all = vec!["Danish", "Dutch", "English"];
//!     all.retain(|language| language.starts_with(&typing.value));
//!     all
//! }
//!
//! async fn words(typing: Completing) -> Vec<String> {
//!     // The other variables, if the user has chosen them already.
//!     let language = typing.arguments.get("language").map_or("any", String::as_str);
//!     vec![format!("{}... ({language})", typing.value)]
//! }
//!
//! let translate = PromptDef::new("translate")
//!     .description("Translates a text")
//!     .argument(PromptArgument::new("text").required(true))
//!     .argument(PromptArgument::new("language"))
//!     .map_handler(translate);
//! let server = Server::builder("words", "1.0.0")
//!     .add_prompt(translate)
//!     .complete_prompt("translate", "language", languages)
//!     .resource_template("words://{language}/{word}", "entry", async || "...")
//!     .complete_resource("words://{language}/{word}", "word", words)
//!     .build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! # Lists: pages, caches, changes
//!
//! Lists have the order in which definitions were added. A page size splits them into pages.
//! Cursors are sealed: a forged one, or one of another list, is rejected with -32602. Caching hints
//! tell clients of 2026-07-28 for how long, and for whom, they may keep a result.
//!
//! ```
//! use std::time::Duration;
//!
//! use mcp_server::types::{CacheScope, ToolsCapability};
//! use mcp_server::{ResourceDef, Server, ToolDef};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules = ResourceDef::text("x://rules", "rules", "...")
//!     .cache(Duration::from_secs(3600), CacheScope::Public);
//! let server = Server::builder("demo", "1.0.0")
//!     .page_size(50)
//!     .cache_tools(Duration::from_secs(60), CacheScope::Public)
//!     .add_resource(rules)
//!     // Declared although there is no tool yet.
//!     .capabilities(|all| all.tools(ToolsCapability::new().list_changed(true)))
//!     .build()?;
//!
//! // While the server runs, from any task. Subscribed clients are notified of each change.
//! let late = ToolDef::new("late").handler(async || "here I am");
//! server.tools().add(late)?;
//! server.resource_updated("x://rules");
//! let was_there = server.tools().remove("late");
//! # assert!(was_there);
//! # Ok(())
//! # }
//! ```
//!
//! # Other requests
//!
//! [`on`](crate::ServerBuilder::on) handles any request of the protocol, also in place of a feature
//! of this crate, and requests of the application's own.
//! [`on_notification`](crate::ServerBuilder::on_notification) handles any notification. The first
//! parameter is [`Params<R>`](crate::Params) or
//! [`NotificationParams<N>`](crate::NotificationParams).
//!
//! ```
//! use mcp_server::types::{
//!     CacheScope, ListToolsRequest, ListToolsResult, ProgressNotification, Tool, ToolInputSchema,
//! };
//! use mcp_server::{NotificationParams, Params, Server};
//!
//! async fn list(Params(list): Params<ListToolsRequest>) -> ListToolsResult {
//!     let tools = [Tool::new("echo", ToolInputSchema::new())];
//!     tracing::debug!(cursor = ?list.cursor, "listing tools");
//!     ListToolsResult::new(tools, 0, CacheScope::Private)
//! }
//!
//! async fn progress(NotificationParams(report): NotificationParams<ProgressNotification>) {
//!     println!("{:?}", report.message);
//! }
//!
//! let server = Server::builder("proxy", "1.0.0").on(list).on_notification(progress).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
