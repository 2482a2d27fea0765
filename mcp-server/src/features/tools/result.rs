//! Results of the handlers of tools.

use mcp_types::json::{self, Object};
use mcp_types::{
    AudioContent, CallToolResult, ContentBlock, EmbeddedResource, ImageContent, ResourceLink,
    TextContent,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::features::definition_error::DefinitionError;
use crate::features::schema;
use crate::protocol::error::handler_error::HandlerError;

/// The result of a tool's handler: text, a number, a `bool` or nothing, one or several blocks of
/// content, [`Json`] for structured content, or a whole [`CallToolResult`]; each of them plain or
/// in a `Result` with any error that converts into a [`HandlerError`].
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
    /// Converts the value into a result.
    ///
    /// # Errors
    ///
    /// The error of the handler, or if the value cannot be converted to JSON.
    fn into_tool_result(self) -> Result<CallToolResult, HandlerError>;

    /// Returns the schema of the structured content, if the result always has some.
    #[doc(hidden)]
    #[must_use]
    fn output_schema() -> Option<Result<Object, DefinitionError>> {
        None
    }
}

/// Structured content. The result also contains it as text, for clients and models that only read
/// text. The schema of the tool's output is derived from the type.
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
