//! OpenAPI documents as tools: each operation of an HTTP API becomes a tool that calls it.
//!
//! ```no_run
//! use mcp_gateway::openapi::{ApiRequest, OpenApi};
//! use mcp_server::{Context, HandlerError, Server};
//!
//! async fn authorize(mut request: ApiRequest, _: Context) -> Result<ApiRequest, HandlerError> {
//!     let token = std::env::var("PETS_TOKEN")?;
//!     request.headers_mut().insert("authorization", format!("Bearer {token}").parse()?);
//!     Ok(request)
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let document = std::fs::read_to_string("pets.yaml")?;
//!     let pets = OpenApi::parse(&document)?
//!         .base_url("https://pets.example/v1")
//!         .filter(|operation| operation.method == "GET")
//!         .authorize(authorize)
//!         .tools()?;
//!     for fault in &pets.faults {
//!         eprintln!("{fault}");
//!     }
//!     let server = Server::builder("pets", "1.0.0").merge(pets.into_group()).build()?;
//!     server.serve_stdio().await?;
//!     Ok(())
//! }
//! ```
//!
//! The example `openapi` is such a program for any document. The example `openapi-check` converts documents,
//! and prints the tools and the faults. A document with many operations makes a list of tools that no model should read as a whole:
//! filter it, or add the middleware `Search` of the feature `search`.
//!
//! # Documents
//!
//! OpenAPI 3.0 and 3.1, in JSON or YAML. References must stay within the document. Webhooks, callbacks
//! and the method `trace` are ignored. An operation that cannot be called gets no tool and a
//! [`Fault`]; the others are not affected.
//!
//! # Arguments
//!
//! Each parameter is an argument, and so is each member of the body if that is an object of JSON or of a
//! form: one without alternatives (`oneOf` and others) and without members that the document does not
//! name. Any other body is the argument `body`. Characters that models do not accept in names are replaced
//! by `_`. If a name occurs twice, the one in the path keeps it, then those in the query, in headers, in
//! cookies and in the body: the later one begins with its place, as in `body_id`.
//!
//! | body | argument |
//! | --- | --- |
//! | JSON | any JSON |
//! | `application/x-www-form-urlencoded` | members, written as `encoding` says |
//! | `multipart/form-data` | members; a file is an object with `data` in base64, `filename` and `mediaType` |
//! | text, XML | a string |
//! | anything else | a string in base64 |
//!
//! Schemas are converted to JSON Schema 2020-12, with what they refer to in `$defs`, and with `anyOf` for
//! `oneOf`. The schema of the arguments has at most some 48 KB, and that of the result 16 KB. Parts that do
//! not fit permit any value. When the schemas of a document have 64 MiB together, further tools get shorter
//! ones. When they have 256 MiB, the remaining operations get no tool: filter such a document.
//!
//! # Results
//!
//! JSON is structured content; what is not an object is wrapped into `{"result": ...}`. The tool has an
//! output schema if all successful responses of its operation have JSON of the same schema, without
//! bounds, formats and patterns: an API that returns a longer text than it promised is still useful.
//! Text, images, audio and bytes are content. Statuses of 400 and more, redirects, and results that do not
//! fit the output schema are failures of the tool, with the beginning of the body.
//!
//! # Safety
//!
//! The model chooses only values. Requests go to the host of the URL of the API, and redirects are not
//! followed. A value in the path is percent-encoded, and it is refused if it is empty or has a segment
//! `.` or `..`. Headers cannot contain line breaks, and boundaries of multipart bodies are random. The model
//! cannot set `Authorization`, `Cookie`, `Host` and similar headers, nor any parameter that a security
//! scheme of the document names: [`OpenApi::authorize`] does. The size of a response and the time of a
//! call are limited.
//!
//! Descriptions are read by the model. Use documents of authors that you trust as you trust the API.

mod api;
mod base;
mod body;
mod client;
mod document;
mod error;
mod names;
mod operation;
mod output;
mod parameter;
mod plan;
mod request;
mod response;
mod schema;
mod tools;

pub use api::{ApiRequest, ApiResponse, OpenApi};
pub use error::{Fault, FaultKind, OpenApiError};
pub use operation::Operation;
pub use tools::OpenApiTools;
