//! Apps: user interfaces of servers.
//!
//! With the feature `apps`, a host shows the HTML documents that servers offer for the results of
//! their tools (extension `io.modelcontextprotocol/ui`). [`AppsHost`](crate::apps::AppsHost) decides
//! which tools the model and an app may call, and reads the document:
//!
//! ```
//! use mcp_client::apps::{AppError, AppsHost};
//! use mcp_client::{ByteStream, Client};
//! use mcp_server::apps::{Apps, UiResourceMeta, UiToolMeta, UiToolVisibility};
//! use mcp_server::{ResourceDef, Server, ToolDef};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = Server::builder("clock", "1.0.0")
//! #     .extension(Apps::new())
//! #     .add_resource(ResourceDef::text("ui://clock", "clock", "<!doctype html>").ui(UiResourceMeta::new()))
//! #     .add_tool(ToolDef::new("time").handler(async || "12:00")
//! #         .ui(UiToolMeta::new().resource_uri("ui://clock").visibility([UiToolVisibility::Model])))
//! #     .add_tool(ToolDef::new("refresh").handler(async || "12:01")
//! #         .ui(UiToolMeta::new().visibility([UiToolVisibility::App])))
//! #     .build()?;
//! # let transport = ByteStream::of(server.in_memory());
//! let client = Client::builder("host", "1.0.0")
//!     .extension(AppsHost::extension())
//!     .connect(transport)
//!     .await?;
//! let host = client.apps().await?;
//! for tool in host.model_tools() {
//!     println!("offered to the model: {}", tool.name);
//! }
//! # assert_eq!(host.model_tools().count(), 1);
//!
//! // The model called `time`: its app shows the result.
//! let result = host.call_from_model("time")?.await?;
//! let app = host.open("time").await?;
//! println!("{}", app.html);
//! println!("Content-Security-Policy: {}", app.content_security_policy());
//! println!("<iframe sandbox=\"allow-scripts\" allow=\"{}\">", app.allow());
//!
//! // The frame sent `tools/call`.
//! let refreshed = host.call_from(&app, "refresh")?.await?;
//! assert_eq!(refreshed.text(), "12:01");
//! let refused = host.call_from(&app, "time");
//! assert!(matches!(refused, Err(AppError::NotForApps { .. })));
//! # drop(result);
//! # Ok(())
//! # }
//! ```
//!
//! # The frame
//!
//! The frame, and the messages between it and the host, are part of the host. A host that is a web page
//! shows a page of another origin in a frame, which in turn shows the document in a frame of its own:
//!
//! - The response with the page of the other origin has the
//!   [policy](crate::apps::App::content_security_policy) of the app, which the document inherits if it
//!   is the `srcdoc` of the inner frame.
//! - The outer frame has `sandbox="allow-scripts allow-same-origin"`, the inner one only
//!   `allow-scripts`, and [`allow`](crate::apps::App::allow).
//! - The page in between passes messages on in both directions, except for those whose method begins
//!   with `ui/notifications/sandbox-`, by which the host sends it the document.
//! - `tools/call` of the frame goes to [`call_from`](crate::apps::AppsHost::call_from). The result is
//!   untrusted text of the server, and so is the document: show the user which server it is from.
//!
//! The test `xtask/interop/apps.js` is such a page, with the example `apps_host`.
//!
//! # What is refused
//!
//! - Documents of another media type, of another resource than the requested one, or larger than
//!   [`max_bytes`](crate::apps::AppsHost::max_bytes), and tools whose app is not at a `ui://` URI.
//! - Domains that are not origins: nothing that a server writes can add a directive to the policy.
//! - Calls of an app for tools that only the model may call, and for tools of another server.
//! - Every call of a tool whose metadata is malformed.
