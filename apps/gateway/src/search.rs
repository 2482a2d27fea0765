//! Search in place of long lists: a server with many tools lists two, one that finds tools and one that
//! calls them.
//!
//! ```
//! use mcp_client::{ByteStream, Client};
//! use mcp_gateway::search::Search;
//! use mcp_server::Server;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut server = Server::builder("office", "1.0.0").layer(Search::new().pin(["help"]));
//! for room in 0..100 {
//!     server = server.tool(format!("heat_room_{room}"), "Turns the heating on", async || "warm");
//! }
//! let server = server
//!     .tool("help", "Explains this server", async || "Ask the porter.")
//!     .tool("bookTable", "Books a table in the canteen", async || "booked")
//!     .build()?;
//!
//! let client = Client::builder("demo", "1.0.0");
//! let client = client.connect(ByteStream::of(server.in_memory())).await?;
//! let listed = client.tools().all().await?.items;
//! let names: Vec<_> = listed.iter().map(|tool| &*tool.name).collect();
//! assert_eq!(names, ["help", "search_tools", "call_tool"]);
//!
//! let query = json!({ "query": "canteen table" });
//! let found = client.call_tool("search_tools").arguments(&query).await?;
//! assert!(found.text().contains("bookTable"));
//! let call = json!({ "name": "bookTable", "arguments": {} });
//! let booked = client.call_tool("call_tool").arguments(&call).await?;
//! assert_eq!(booked.text(), "booked");
//! # Ok(())
//! # }
//! ```
//!
//! [`Search`] is a [middleware](mcp_server::middleware), so it works for the tools of any server, also
//! for those of other servers behind a gateway. Add it before other middleware, which then sees the calls
//! of the tools themselves. Guards, scopes and visibility apply as always.
//!
//! # The list
//!
//! Up to [a number of tools](Search::threshold), the list stays as it is. Otherwise it has the
//! [pinned](Search::pin) tools and the two of the search. Tools whose arguments are repeated in HTTP
//! headers (`x-mcp-header`) stay listed as well: clients have to know them to call them. So do tools with
//! an app, and those that apps call. Those that only apps call are not found, and `call_tool` refuses
//! them.
//!
//! # The search
//!
//! Each search reads the list that the server shows to this caller, so it finds no other tools, and
//! changes need no notification. A tool whose name or title is the query is the first. Others are
//! ranked with BM25 by the words of their names, titles, descriptions and arguments. The result has each
//! tool as it is listed, without its output schema. Indexes are kept by the content of a list, 16 at
//! most. Lists of more than 20,000 tools or 64 MiB are an error.
//!
//! # The call
//!
//! Each call reads the list first, so that no model calls a tool that is only for apps.
//! `call_tool` takes the arguments of the tool as an object, or as a text with the JSON of one, as some
//! models write it. It becomes the call of the inner tool, with the same metadata: progress, questions to the
//! client, errors, tasks and cancellation work as for the tool itself.

mod apps;
mod index;
mod listing;
mod middleware;

pub(crate) use apps::ByModel;
pub use middleware::Search;
