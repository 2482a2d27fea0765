//! Results of the handlers of prompts.

use mcp_types::{ContentBlock, GetPromptResult, PromptMessage, Role, TextContent};

use crate::protocol::error::handler_error::HandlerError;

/// A message of a prompt: text, which is the user's, content with the role of the speaker, or a
/// whole [`PromptMessage`].
pub trait IntoMessage {
    /// Converts the value into a message.
    fn into_message(self) -> PromptMessage;
}

impl IntoMessage for PromptMessage {
    fn into_message(self) -> PromptMessage {
        self
    }
}

impl IntoMessage for String {
    fn into_message(self) -> PromptMessage {
        (Role::User, self).into_message()
    }
}

impl IntoMessage for &str {
    fn into_message(self) -> PromptMessage {
        (Role::User, self).into_message()
    }
}

impl IntoMessage for (Role, String) {
    fn into_message(self) -> PromptMessage {
        PromptMessage::new(self.0, TextContent::new(self.1))
    }
}

impl IntoMessage for (Role, &str) {
    fn into_message(self) -> PromptMessage {
        PromptMessage::new(self.0, TextContent::new(self.1))
    }
}

impl IntoMessage for (Role, ContentBlock) {
    fn into_message(self) -> PromptMessage {
        PromptMessage::new(self.0, self.1)
    }
}

/// The result of a prompt's handler: one or several messages, see [`IntoMessage`], or a whole
/// [`GetPromptResult`]; each of them plain or in a `Result` with any error that converts into a
/// [`HandlerError`](crate::HandlerError).
pub trait IntoPrompt {
    /// Converts the value into a prompt.
    ///
    /// # Errors
    ///
    /// The error of the handler.
    fn into_prompt(self) -> Result<GetPromptResult, HandlerError>;
}

impl<M: IntoMessage> IntoPrompt for M {
    fn into_prompt(self) -> Result<GetPromptResult, HandlerError> {
        Ok(GetPromptResult::new([self.into_message()]))
    }
}

impl<M: IntoMessage> IntoPrompt for Vec<M> {
    fn into_prompt(self) -> Result<GetPromptResult, HandlerError> {
        let messages: Vec<_> = self.into_iter().map(IntoMessage::into_message).collect();
        Ok(GetPromptResult::new(messages))
    }
}

impl IntoPrompt for GetPromptResult {
    fn into_prompt(self) -> Result<GetPromptResult, HandlerError> {
        Ok(self)
    }
}

impl<P: IntoPrompt, E: Into<HandlerError>> IntoPrompt for Result<P, E> {
    fn into_prompt(self) -> Result<GetPromptResult, HandlerError> {
        self.map_err(Into::into)?.into_prompt()
    }
}
