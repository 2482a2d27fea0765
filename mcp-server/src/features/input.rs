//! Input from the client during a request.
//!
//! A modern client gets the open questions as the *result* of its request, and sends the request
//! again with the answers. The handler then runs again from the beginning, and the questions return
//! their answers at once. The answers so far are part of `requestState`, sealed. A client of an
//! older revision gets a request for each question, and the handler waits for the response.

pub(crate) mod ask;
mod checkboxes;
mod detached;
pub(crate) mod error;
pub(crate) mod form;
pub(crate) mod inputs;
pub(crate) mod legacy;
pub(crate) mod once;
pub(crate) mod question;
pub(crate) mod state;
pub(crate) mod typed;

use mcp_types::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestFormParams,
    ElicitRequestUrlParams, Extra, ListRootsResult, Root,
};
use serde::de::DeserializeOwned;

use crate::features::input::ask::{Ask, AskRequest};
use crate::features::input::form::{Elicited, Form};
use crate::features::input::question::Question;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

impl Context {
    /// Asks the user to fill in a form.
    ///
    /// ```
    /// # use mcp_server::{Context, Elicited, Form, HandlerError};
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Name {
    ///     name: String,
    /// }
    ///
    /// async fn greet(cx: &Context) -> Result<String, HandlerError> {
    ///     let form = Form::<Name>::of("What is your name?");
    ///     Ok(match cx.elicit(form).key("user_name").await? {
    ///         Elicited::Accepted(Name { name }) => format!("Hello, {name}!"),
    ///         Elicited::Declined | Elicited::Cancelled => "Hello!".into(),
    ///     })
    /// }
    /// ```
    ///
    /// The [guide](crate::guide::peers) describes what a handler must not do before it asks.
    ///
    /// # Errors
    ///
    /// -32021 (for older clients -32602) if the client did not declare elicitation with forms or
    /// its revision is older than 2025-06-18; [`InputError`](crate::InputError); -32602 if the
    /// answer of a modern client does not fit the form.
    pub fn elicit<T: DeserializeOwned + Send + 'static>(&self, form: Form<T>) -> Ask<Elicited<T>> {
        let (question, schema) = match form.schema {
            Ok(schema) => {
                let params = ElicitRequestFormParams::new(form.message, schema.clone());
                let question = Question::Form {
                    params,
                    extra: Extra::new(),
                };
                (Ok(question), Some(schema))
            }
            Err(error) => (Err(error), None),
        };
        let read = move |revision, text: &str| {
            let schema = schema.as_ref().ok_or("there is no form")?;
            form::filled(schema, revision, text)
        };
        Ask::new(self, question, Box::new(read))
    }

    /// Asks the user to open a page, for something that the client must not see: signing in
    /// elsewhere, a payment, entering a secret. Accepting is consent, not completion.
    ///
    /// `id` names the interaction for clients of 2025-11-25, see
    /// [`elicitation_complete`](Self::elicitation_complete). The page itself must make sure that
    /// its visitor is the user who was asked.
    ///
    /// # Errors
    ///
    /// As [`elicit`](Self::elicit), for elicitation by URL, which exists since 2025-11-25.
    pub fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
        id: impl Into<String>,
    ) -> Ask<Elicited<()>> {
        let question = Question::Url {
            params: ElicitRequestUrlParams::new(message, url),
            id: id.into(),
            extra: Extra::new(),
        };
        Ask::new(self, Ok(question), Box::new(form::visited))
    }

    /// Notifies a client of 2025-11-25 that the interaction on the page is complete. Other
    /// revisions have no such notification, so nothing is sent.
    ///
    /// # Errors
    ///
    /// None that a client can cause.
    pub async fn elicitation_complete(&self, id: impl Into<String>) -> Result<(), HandlerError> {
        use mcp_types::v2025_11_25::{
            ElicitationCompleteNotification, ElicitationCompleteNotificationParams,
        };
        if self.revision() != mcp_types::Revision::V2025_11_25 {
            return Ok(());
        }
        let params = ElicitationCompleteNotificationParams::new(id);
        let method = <ElicitationCompleteNotification as mcp_types::Notification>::METHOD;
        self.notify(method, params).await
    }

    /// Requests a completion of a conversation from the client's model (sampling).
    ///
    /// ```
    /// # use mcp_server::{Context, HandlerError};
    /// use mcp_server::types::{
    ///     CreateMessageRequestParams, Role, SamplingMessage, SamplingMessageContentBlock,
    ///     TextContent,
    /// };
    ///
    /// async fn title(text: &str, cx: &Context) -> Result<String, HandlerError> {
    ///     let text = SamplingMessageContentBlock::Text(TextContent::new(text));
    ///     let params = CreateMessageRequestParams::new([SamplingMessage::new(Role::User, text)], 20)
    ///         .system_prompt("Find a title.");
    ///     let answer = cx.sample(params).await?;
    ///     Ok(answer.model)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// -32021 (for older clients -32602) if the client did not declare sampling, or not the tools
    /// or the context that the params use; [`InputError`](crate::InputError); -32602 if the answer
    /// of a modern client is malformed.
    pub fn sample(&self, params: CreateMessageRequestParams) -> Ask<CreateMessageResult> {
        let read = |revision: mcp_types::Revision, text: &str| {
            revision.decode(text).map_err(|error| error.to_string())
        };
        #[cfg(feature = "proposals")]
        let params = without_withheld_members(params, self);
        let question = Question::Sample {
            params: Box::new(params),
            extra: Extra::new(),
        };
        Ask::new(self, Ok(question), Box::new(read))
    }

    /// Returns the directories and files that the server may work on.
    ///
    /// # Errors
    ///
    /// -32021 (for older clients -32602) if the client did not declare roots;
    /// [`InputError`](crate::InputError); -32602 if the answer of a modern client is malformed.
    pub fn roots(&self) -> Ask<Vec<Root>> {
        let read = |revision: mcp_types::Revision, text: &str| {
            let result: ListRootsResult =
                revision.decode(text).map_err(|error| error.to_string())?;
            Ok(result.roots)
        };
        let question = Question::Roots {
            params: None,
            extra: Extra::new(),
        };
        Ask::new(self, Ok(question), Box::new(read))
    }

    /// Sends an input request in the form of the specification, with all members that it may have,
    /// including unknown ones: an [`ElicitRequest`], a [`CreateMessageRequest`] or a
    /// [`ListRootsRequest`] for their result, or an [`InputRequest`] for an
    /// [`InputResponse`](mcp_types::InputResponse).
    ///
    /// The result of a form is not validated against its schema. Clients of older revisions do not
    /// get unknown members beside the params.
    ///
    /// ```
    /// use mcp_server::types::{ElicitRequest, ElicitRequestFormParams, RequestedSchema};
    /// use mcp_server::types::json::{Map, Value};
    /// use mcp_server::{Context, HandlerError};
    ///
    /// async fn confirm(cx: Context) -> Result<String, HandlerError> {
    ///     let mut params = ElicitRequestFormParams::new("Sure?", RequestedSchema::new(Map::new()));
    ///     params.extra.insert("com.example/style", Value::from("dialog"));
    ///     let result = cx.ask(ElicitRequest::new(params)).key("sure").await?;
    ///     Ok(format!("{:?}", result.action))
    /// }
    /// ```
    ///
    /// [`ElicitRequest`]: mcp_types::ElicitRequest
    /// [`CreateMessageRequest`]: mcp_types::CreateMessageRequest
    /// [`ListRootsRequest`]: mcp_types::ListRootsRequest
    /// [`InputRequest`]: mcp_types::InputRequest
    ///
    /// # Errors
    ///
    /// Of the question: as [`elicit`](Self::elicit), [`sample`](Self::sample) and
    /// [`roots`](Self::roots).
    pub fn ask<R: AskRequest>(&self, request: R) -> Ask<R::Answer> {
        let (question, read) = request.into_question();
        #[cfg(feature = "proposals")]
        let question = question.map(|question| match question {
            Question::Sample { params, extra } => Question::Sample {
                params: Box::new(without_withheld_members(*params, self)),
                extra,
            },
            question => question,
        });
        Ask::new(self, question, read)
    }
}

/// Returns the params without what the client must not see: results of tools in them may contain
/// resources.
#[cfg(feature = "proposals")]
fn without_withheld_members(
    mut params: CreateMessageRequestParams,
    cx: &Context,
) -> CreateMessageRequestParams {
    use mcp_types::{SamplingContent, SamplingMessageContentBlock as Block};

    for message in &mut params.messages {
        let blocks = match &mut message.content {
            SamplingContent::Block(block) => std::slice::from_mut(block),
            SamplingContent::Array(blocks) => blocks.as_mut_slice(),
            _ => continue,
        };
        for block in blocks {
            if let Block::ToolResult(result) = block {
                for block in &mut result.content {
                    (cx.core().withhold)(block, cx);
                }
            }
        }
    }
    params
}
