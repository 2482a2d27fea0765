//! Handlers that complete an argument of a prompt or a variable of a resource template.

use std::sync::Arc;

use mcp_types::Completion;
use mcp_types::json::Map;

use crate::features::definition_error::DefinitionError;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::requirements::Requirements;
use crate::protocol::handler::{BoxedHandler, Handler, Input, boxed};

/// The argument that the user is typing. The first parameter of a handler of completions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Completing {
    /// The text that the user has typed so far.
    pub value: String,
    /// The arguments that the user has already chosen, by name. Clients before 2025-06-18 do not
    /// send them.
    pub arguments: Map<String>,
}

/// The result of a handler of completions: values, the best first, or a [`Completion`] with the
/// total number.
///
/// At most 100 values are sent; `total` and `hasMore` tell the client that there are more.
///
/// ```
/// use mcp_server::types::PromptArgument;
/// use mcp_server::{Completing, PromptDef, Server};
///
/// let greet = PromptDef::new("greet")
///     .argument(PromptArgument::new("language"))
///     .argument(PromptArgument::new("tone"))
///     .map_handler(async |_| "hello");
/// let server = Server::builder("demo", "1.0.0")
///     .add_prompt(greet)
///     .complete_prompt("greet", "tone", async |_: Completing| ["formal", "friendly"])
///     .complete_prompt("greet", "language", async |typing: Completing| {
///         let mut languages = vec!["french", "german", "greek"];
///         languages.retain(|language| language.starts_with(&typing.value));
///         languages
///     })
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
pub trait IntoCompletion {
    /// Converts the value into a completion.
    ///
    /// # Errors
    ///
    /// The error of the handler.
    fn into_completion(self) -> Result<Completion, HandlerError>;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Result<Completion, HandlerError> {
        Ok(self)
    }
}

impl<S: Into<String>> IntoCompletion for Vec<S> {
    fn into_completion(self) -> Result<Completion, HandlerError> {
        let total = i64::try_from(self.len()).unwrap_or(i64::MAX);
        let values: Vec<String> = self.into_iter().map(Into::into).collect();
        Ok(Completion::new(values).total(total).has_more(false))
    }
}

impl<S: Into<String>, const N: usize> IntoCompletion for [S; N] {
    fn into_completion(self) -> Result<Completion, HandlerError> {
        Vec::from(self).into_completion()
    }
}

impl<C: IntoCompletion, E: Into<HandlerError>> IntoCompletion for Result<C, E> {
    fn into_completion(self) -> Result<Completion, HandlerError> {
        self.map_err(Into::into)?.into_completion()
    }
}

pub(crate) type CompletionHandler = BoxedHandler<Completing, Completion>;

impl Input for Completing {}

/// Marks handlers of completions that are plain functions.
#[doc(hidden)]
#[derive(Debug)]
pub struct PlainCompletion;

/// Plain functions of the text that the user has typed so far.
impl<F, C> Handler<Completing, PlainCompletion> for F
where
    F: Fn(&str) -> C + Send + Sync + 'static,
    C: IntoCompletion + Send + 'static,
{
    type Output = C;

    fn requirements(_: &mut Requirements) {}

    async fn call(self: Arc<Self>, typing: Completing, _: Context) -> Result<C, HandlerError> {
        Ok(self(&typing.value))
    }
}

/// The handlers that a definition has for its arguments, by name.
#[derive(Default)]
pub(crate) struct OwnCompletions(Vec<(String, CompletionHandler)>);

impl OwnCompletions {
    /// Adds the handler of an argument.
    pub(crate) fn add<M, H>(&mut self, argument: String, handler: H)
    where
        H: Handler<Completing, M>,
        H::Output: IntoCompletion + 'static,
    {
        let handler = boxed(handler, H::Output::into_completion);
        self.0.push((argument, handler));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the handler of an argument.
    pub(crate) fn get(&self, argument: &str) -> Option<&CompletionHandler> {
        let mut all = self.0.iter();
        let (_, handler) = all.find(|(name, _)| name == argument)?;
        Some(handler)
    }

    /// Checks that each handler is that of an argument which exists, and the only one.
    pub(crate) fn check(&self, takes: impl Fn(&str) -> bool) -> Result<(), DefinitionError> {
        for (at, (argument, _)) in self.0.iter().enumerate() {
            if !takes(argument) {
                return Err(
                    format!("completes `{argument}`, which is not one of its arguments").into(),
                );
            }
            if self.0.iter().take(at).any(|(before, _)| before == argument) {
                return Err(format!("completes the argument `{argument}` twice").into());
            }
        }
        Ok(())
    }
}
