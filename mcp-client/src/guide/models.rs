//! Tools for language models.
//!
//! A host offers the tools of a server to a language model, and passes the model's calls on. The
//! interfaces of models accept less than the protocol permits: fewer characters in names, no
//! references in schemas, no choice at the root. [`ModelTools`](crate::ModelTools) converts the
//! tools of a server, and knows which tool the model means:
//!
//! ```
//! use mcp_client::{Client, ModelFormat, ModelTools};
//! use mcp_client::types::json::{Object, Value};
//!
//! async fn definitions(client: &Client) -> Result<ModelTools, Box<dyn std::error::Error>> {
//!     let tools = client.tools().all().await?.items;
//!     Ok(ModelTools::new(&tools, ModelFormat::OpenAiChat))
//! }
//!
//! /// Answers a call of the model. `name` and `arguments` are those of the model.
//! async fn call(
//!     client: &Client,
//!     tools: &ModelTools,
//!     name: &str,
//!     arguments: Object,
//! ) -> Result<String, Box<dyn std::error::Error>> {
//!     let tool = tools.tool(name).ok_or("the model invented a tool")?;
//!     let result = client.call_tool(tool).arguments(&arguments).await?;
//!     Ok(result.text())
//! }
//! # let _ = (definitions, call);
//! ```
//!
//! | | Anthropic | OpenAI, Chat Completions | OpenAI, Responses |
//! | --- | --- | --- | --- |
//! | [`ModelFormat`](crate::ModelFormat) | `Anthropic` | `OpenAiChat` | `OpenAiResponses` |
//! | form of a definition | `name`, `description`, `input_schema` | the members of Responses, in `function` | `name`, `description`, `parameters` |
//! | characters of a name | 64 of `A-Za-z0-9_-` | the same | the same |
//! | characters of a description | not limited | 1,024 | 1,024 |
//! | number of tools | not limited | 128 | 128 |
//!
//! The conversion applies the limits of names and descriptions. Which tools to leave out if there
//! are too many is the decision of the host. Descriptions and schemas are texts of the server: a
//! host that does not trust the server should show them to its user before a model reads them.
