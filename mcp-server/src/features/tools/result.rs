//! What a tool may answer with.

use mcp_types::json::{self, Object};
use mcp_types::{
    AudioContent, CallToolResult, ContentBlock, EmbeddedResource, ImageContent, ResourceLink,
    TextContent,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::features::definition_error::DefinitionError;
use crate::features::schema;
use crate::protocol::handler_error::HandlerError;

/// What a tool's handler may return: text, a number or a truth value, nothing, a block of content
/// or several, [`Json`] for structured content, or a whole [`CallToolResult`]; each of them plain or
/// in a `Result` with any error that becomes a [`HandlerError`].
///
/// ```
/// use mcp_server::types::{Base64Text, ContentBlock, ImageContent, TextContent};
/// use mcp_server::Server;
///
/// let server = Server::builder("demo", "1.0.0")
///     .tool("dot", "Draws a dot", async || {
///         let picture = ImageContent::new(Base64Text::encode(b"..."), "image/png");
///         vec![ContentBlock::from(TextContent::new("A dot:")), picture.into()]
///     })
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the result of a tool",
    label = "a tool cannot return this",
    note = "a struct is returned as structured content: wrap it in `mcp_server::Json` and derive \
            `serde::Serialize` and `schemars::JsonSchema`"
)]
pub trait IntoToolResult {
    /// Makes the result.
    ///
    /// # Errors
    ///
    /// Where it cannot be written as JSON.
    fn into_tool_result(self) -> Result<CallToolResult, HandlerError>;

    /// The schema of the structured content, if there always is some.
    #[doc(hidden)]
    #[must_use]
    fn output_schema() -> Option<Result<Object, DefinitionError>> {
        None
    }
}

/// Structured content, which is also given as text, for peers and models that read only that. The
/// schema of the tool's output is derived from the type.
///
/// ```
/// use mcp_server::{Json, Server};
/// use schemars::JsonSchema;
/// use serde::Serialize;
///
/// #[derive(Serialize, JsonSchema)]
/// struct Weather {
///     celsius: f64,
/// }
///
/// let server = Server::builder("weather", "1.0.0")
///     .tool("now", "The weather now", async || Json(Weather { celsius: 3.5 }))
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Json<T>(pub T);

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> Result<CallToolResult, HandlerError> {
        let text = json::to_string(&self.0)?;
        let value: json::Value = json::from_str(&text)?;
        Ok(CallToolResult::new([TextContent::new(text).into()]).structured_content(value))
    }

    fn output_schema() -> Option<Result<Object, DefinitionError>> {
        Some(schema::of_output::<T>())
    }
}

impl<T: IntoToolResult, E: Into<HandlerError>> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> Result<CallToolResult, HandlerError> {
        self.map_err(Into::into)?.into_tool_result()
    }

    fn output_schema() -> Option<Result<Object, DefinitionError>> {
        T::output_schema()
    }
}

impl IntoToolResult for CallToolResult {
    fn into_tool_result(self) -> Result<CallToolResult, HandlerError> {
        Ok(self)
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> Result<CallToolResult, HandlerError> {
        Ok(CallToolResult::new([]))
    }
}

impl<B: Into<ContentBlock>> IntoToolResult for Vec<B> {
    fn into_tool_result(self) -> Result<CallToolResult, HandlerError> {
        let content: Vec<ContentBlock> = self.into_iter().map(Into::into).collect();
        Ok(CallToolResult::new(content))
    }
}

macro_rules! blocks {
    ($($block:ty)*) => {$(
        impl IntoToolResult for $block {
            fn into_tool_result(self) -> Result<CallToolResult, HandlerError> {
                Ok(CallToolResult::new([ContentBlock::from(self)]))
            }
        }
    )*};
}

blocks! { ContentBlock TextContent ImageContent AudioContent ResourceLink EmbeddedResource }

macro_rules! texts {
    ($($text:ty)*) => {$(
        impl IntoToolResult for $text {
            fn into_tool_result(self) -> Result<CallToolResult, HandlerError> {
                TextContent::new(self.to_string()).into_tool_result()
            }
        }
    )*};
}

texts! { &str bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }

impl IntoToolResult for String {
    fn into_tool_result(self) -> Result<CallToolResult, HandlerError> {
        TextContent::new(self).into_tool_result()
    }
}
