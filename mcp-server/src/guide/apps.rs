//! Apps: tools with a user interface.
//!
//! With the feature `apps`, a server offers HTML documents that show the results of its tools
//! (extension `io.modelcontextprotocol/ui`, for clients of all revisions that announce it). A host
//! displays the document in a frame, passes it the arguments and the result of the call, and forwards
//! its calls of other tools:
//!
//! ```
//! use std::sync::{Arc, Mutex};
//!
//! use mcp_client::apps::AppsHost;
//! use mcp_client::{ByteStream, Client};
//! use mcp_server::apps::{Apps, UiResourceCsp, UiResourceMeta, UiToolMeta, UiToolVisibility};
//! use mcp_server::{Json, ResourceDef, Server, State, ToolDef};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! type Sold = Arc<Mutex<Vec<u32>>>;
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Sales {
//!     amounts: Vec<u32>,
//! }
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Sale {
//!     amount: u32,
//! }
//!
//! async fn sales(State(sold): State<Sold>) -> Json<Sales> {
//!     let amounts = sold.lock().unwrap().clone();
//!     Json(Sales { amounts })
//! }
//!
//! async fn add_sale(sale: Sale, State(sold): State<Sold>) -> Json<Sales> {
//!     sold.lock().unwrap().push(sale.amount);
//!     sales(State(sold)).await
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! const CHART: &str = "ui://sales/chart.html";
//! let chart = "<!doctype html><title>Sales</title>..."; // include_str!("chart.html")
//! let server = Server::builder("sales", "1.0.0")
//!     .state(Sold::default())
//!     .extension(Apps::new())
//!     .add_resource(
//!         ResourceDef::text(CHART, "chart", chart).ui(UiResourceMeta::new()
//!             .csp(UiResourceCsp::new().connect_domains(["https://rates.example.com"]))
//!             .prefers_border(true)),
//!     )
//!     .add_tool(
//!         ToolDef::new("sales")
//!             .description("Returns the sales of today")
//!             .handler(sales)
//!             .ui(UiToolMeta::new().resource_uri(CHART)),
//!     )
//!     .add_tool(
//!         ToolDef::new("add_sale")
//!             .description("Adds a sale, for the form of the app")
//!             .handler(add_sale)
//!             .ui(UiToolMeta::new().visibility([UiToolVisibility::App])),
//!     )
//!     .build()?;
//!
//! // A client that shows no apps gets the data as text, and does not see `add_sale`.
//! let transport = ByteStream::of(server.in_memory());
//! let client = Client::builder("text", "1.0.0").connect(transport).await?;
//! assert_eq!(client.tools().all().await?.items.len(), 1);
//! assert_eq!(client.call_tool("sales").await?.text(), r#"{"amounts":[]}"#);
//!
//! let transport = ByteStream::of(server.in_memory());
//! let builder = Client::builder("host", "1.0.0").extension(AppsHost::extension());
//! let host = builder.connect(transport).await?.apps().await?;
//! assert_eq!((host.tools().len(), host.model_tools().count()), (2, 1));
//! assert_eq!(host.open("sales").await?.html, chart);
//! # Ok(())
//! # }
//! ```
//!
//! # The document
//!
//! The document runs in a frame without access to the host or to the network, except for the domains in
//! [`UiResourceCsp`](crate::apps::UiResourceCsp). So it contains its scripts and styles, or declares
//! where they are. It speaks JSON-RPC with the host by `postMessage`: first `ui/initialize` and
//! `ui/notifications/initialized`; then it gets the arguments of the call
//! (`ui/notifications/tool-input`) and the result (`ui/notifications/tool-result`), and may send
//! `tools/call`. The example `apps` has a document with a chart and a form, and no library.
//!
//! Frames are often created without `allow-forms`. Handle the click of a button in place of the
//! submission of a form.
//!
//! # Clients without the extension
//!
//! - They get tools without `_meta.ui`.
//! - A tool whose visibility is [`App`](crate::apps::UiToolVisibility::App) alone does not exist for
//!   them: it is not listed, and a call is answered like that of an unknown tool.
//! - The result of a tool has to say the same in text. [`Json`](crate::Json) adds the text, and so
//!   does `ui` for a result that has structured content and no other.
//!
//! The visibility is not a permission: which tools the model and an app may call is enforced by the
//! host, and the server cannot tell their calls apart. [Guards](crate::guide::access) decide what a user
//! may do.
//!
//! # What `build()` refuses
//!
//! Tools that name an app that the server does not have, URIs of other schemes than `ui://`, domains
//! that are not origins, and a `ui` of tools without the extension [`Apps`](crate::apps::Apps).
