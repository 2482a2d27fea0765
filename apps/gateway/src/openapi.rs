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
//! OpenAPI 3.0, 3.1 and 3.2, in JSON or YAML, also with anchors, aliases and `<<`. References must stay
//! within the document. Webhooks, callbacks and the method `trace` are ignored. An operation that cannot
//! be called gets no tool and a [`Fault`]; the others are not affected. Of what 3.2 added, the method
//! `query`, `additionalOperations`, parameters in `querystring`, and multipart bodies of a sequence are
//! such faults. A document of Swagger 2.0 must be converted before, for example with the program
//! `swagger2openapi`.
//!
//! # Arguments
//!
//! Each parameter is an argument, and so is each member of the body if that is an object of JSON or of a
//! form, without members that the document does not name, and without alternatives (`oneOf` and others)
//! if it is JSON. Any other body is the argument `body`. Characters that models do not accept in names are replaced
//! by `_`. If a name occurs twice, the one in the path keeps it, then those in the query, in headers, in
//! cookies and in the body: the later one begins with its place, as in `body_id`.
//!
//! | body | argument |
//! | --- | --- |
//! | JSON | any JSON |
//! | `application/x-www-form-urlencoded` | members, written as `encoding` says; without a style there, objects and lists of them are JSON |
//! | `multipart/form-data` | members; a file is an object with `data` in base64, `filename` and `mediaType`, also where its schema is behind `$ref`, `anyOf`, `allOf` or `oneOf` |
//! | text, XML | a string |
//! | anything else | a string in base64 |
//!
//! OpenAPI does not say how lists within the style `deepObject` are written. They have their index, as
//! in `filter[tags][0]=a`, unless [`OpenApi::nested_lists`] says otherwise.
//!
//! Schemas are converted to JSON Schema 2020-12, with what they refer to in `$defs`, and with `anyOf` for
//! `oneOf`. Alternatives with a `discriminator` have its value as a constant. Values of an `enum` that do
//! not fit the type beside it are a fault; they become values of that type, or are left out. The schema of
//! the arguments has at most some 48 KB, and that of the result 16 KB. Parts that do
//! not fit permit any value. When the schemas of a document have 64 MiB together, further tools get shorter
//! ones. When they have 256 MiB, the remaining operations get no tool: filter such a document.
//!
//! # Results
//!
//! JSON is structured content; what is not an object is wrapped into `{"result": ...}`. Text in any charset
//! that browsers know, images, audio and bytes are content. Statuses of 400 and more and redirects are
//! failures of the tool, with the beginning of the body.
//!
//! The tool has an output schema if all successful responses of its operation have JSON of the same
//! schema. A call that has worked does not fail because the document is wrong: the schema has no bounds,
//! formats and patterns, permits `null` everywhere, and has the values of `enum` as examples only. Any
//! other result, such as one without a required member, a text, or none with the status 204, has the
//! structured content `{"undocumented": ...}`, which is the other alternative of the schema.
//! [`OpenApi::output_schemas`] leaves out the schemas.
//!
//! # Servers
//!
//! Requests go to the first URL in `servers` of the document, or to that of [`OpenApi::base_url`]. An
//! operation or a path with `servers` of its own is called there if they have the same scheme, host and
//! port: with another path, or relative to that host. If they have another host,
//! [`OpenApi::allow_origin`] decides.
//!
//! # Safety
//!
//! The model chooses only values. Requests go to the host of the URL of the API, and to other servers only
//! if the program allows them, or if the document lists them and the program sets no URL; the latter get
//! no authorization. Redirects are not followed. A value in the path is percent-encoded, and it is refused if it is empty or has a segment
//! `.` or `..`. Headers cannot contain line breaks, and boundaries of multipart bodies are random. The model
//! cannot set `Authorization`, `Cookie`, `Host` and similar headers, nor those in which proxies tell the
//! sender (`Forwarded`, `X-Forwarded-For`, `X-Real-IP` and others), nor any parameter that a security
//! scheme of the document names, in any spelling such as `api_key[]`: [`OpenApi::authorize`] does. The size of a response and the time of a
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
mod servers;
mod tools;

pub use api::{ApiRequest, ApiResponse, OpenApi};
pub use error::{Fault, FaultKind, OpenApiError};
pub use operation::Operation;
pub use parameter::NestedLists;
pub use tools::OpenApiTools;
