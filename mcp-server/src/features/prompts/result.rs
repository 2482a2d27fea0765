//! What a prompt may be.

use crate::protocol::handler_error::HandlerError;
use mcp_types::{ContentBlock, GetPromptResult, PromptMessage, Role, TextContent};

/// What can be one message of a prompt: text, which the user says, content with the role of who
/// says it, or a whole [`PromptMessage`].
pub trait IntoMessage {
    /// Makes the message.
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

/// What a prompt's handler may answer with: a message or several, see [`IntoMessage`], or a whole
/// [`GetPromptResult`].
pub trait IntoPrompt {
    /// Makes the prompt.
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
