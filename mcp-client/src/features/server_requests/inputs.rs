//! [`Inputs`]: the handlers that answer questions of servers, in both eras.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::form;
use mcp_types::json;
use mcp_types::revision::VersionError;
use mcp_types::rpc::ErrorObject;
use mcp_types::{
    CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, ElicitRequestFormParams,
    ElicitRequestUrlParams, ElicitResult, ListRootsRequest, ListRootsResult, Request, Root,
};
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::question::{Answer, AnswerFuture, Question};
use crate::protocol::error::InputError;

type Handler<P, R> = Arc<dyn Fn(P) -> AnswerFuture<R> + Send + Sync>;

/// Decodes the params of a request of an extension, and returns the future that answers it.
pub(crate) type ExtensionHandler =
    Arc<dyn Fn(&str) -> Result<AnswerFuture<Box<RawValue>>, VersionError> + Send + Sync>;

/// The handlers of the program, by the kind of question.
#[derive(Clone, Default)]
pub(crate) struct Inputs {
    pub(crate) form: Option<Handler<ElicitRequestFormParams, ElicitResult>>,
    pub(crate) url: Option<Handler<ElicitRequestUrlParams, ElicitResult>>,
    pub(crate) sample: Option<Handler<CreateMessageRequestParams, CreateMessageResult>>,
    pub(crate) roots: Option<Handler<(), Vec<Root>>>,
    /// The handlers of extensions, by method.
    pub(crate) extensions: Arc<HashMap<&'static str, ExtensionHandler>>,
}

/// A handler with its type erased.
pub(crate) fn handler<P, R, F>(handler: impl Fn(P) -> F + Send + Sync + 'static) -> Handler<P, R>
where
    F: Future<Output = Result<R, InputError>> + Send + 'static,
{
    Arc::new(move |params| Box::pin(handler(params)))
}

/// A handler of an extension with its type erased.
pub(crate) fn extension_handler<R, F>(
    handler: impl Fn(R::Params) -> F + Send + Sync + 'static,
) -> ExtensionHandler
where
    R: Request,
    F: Future<Output = Result<R::Result, InputError>> + Send + 'static,
{
    let handler = Arc::new(handler);
    Arc::new(move |params| {
        let params: R::Params = json::from_str(params)?;
        let handler = Arc::clone(&handler);
        // The handler is called when the future is polled, within the limits on requests.
        Ok(Box::pin(async move {
            let answering = handler(params);
            Ok(json::to_raw(&answering.await?)?)
        }))
    })
}

impl Inputs {
    /// Answers a question.
    pub(crate) async fn answer(&self, question: Question) -> Result<Answer, InputError> {
        Ok(match question {
            Question::Form(params) => {
                let handler = self.form.as_ref().ok_or_else(|| mode("forms"))?;
                let form = params.requested_schema.clone();
                Answer::Elicit(form::complete(&form, handler(params).await?)?)
            }
            Question::Url(params) => {
                let handler = self.url.as_ref().ok_or_else(|| mode("URLs"))?;
                Answer::Elicit(handler(params).await?)
            }
            Question::Sample(params) => {
                let handler = self
                    .sample
                    .as_ref()
                    .ok_or_else(|| undeclared(CreateMessageRequest::METHOD))?;
                Answer::Sample(handler(*params).await?)
            }
            Question::Roots => {
                let handler = self
                    .roots
                    .as_ref()
                    .ok_or_else(|| undeclared(ListRootsRequest::METHOD))?;
                Answer::Roots(ListRootsResult::new(handler(()).await?))
            }
            Question::Extension(answer) => Answer::Encoded(answer.await?),
            Question::Other(method) => return Err(undeclared(&method)),
        })
    }
}

/// Answers a question when there is a permit, for which it waits at most `time`: otherwise handlers
/// that send calls with questions could wait for each other.
pub(crate) async fn permitted(
    answering: impl Future<Output = Result<Answer, InputError>>,
    permits: Arc<Semaphore>,
    time: Duration,
) -> Result<Answer, InputError> {
    match timeout(time, permits.acquire()).await {
        Ok(_permit) => answering.await,
        Err(_) => Err(InputError::from("too many questions are pending")),
    }
}

/// Answers several questions at once, as far as there are `permits`.
pub(crate) async fn answers<F>(
    questions: impl ExactSizeIterator<Item = (String, F)>,
    permits: &Arc<Semaphore>,
    time: Duration,
) -> Result<Vec<(String, Answer)>, InputError>
where
    F: Future<Output = Result<Answer, InputError>> + Send + 'static,
{
    let mut answers: Vec<(String, Option<Answer>)> = Vec::with_capacity(questions.len());
    // Dropping the set aborts the handlers.
    let mut tasks = JoinSet::new();
    for (index, (key, answering)) in questions.enumerate() {
        answers.push((key, None));
        let answering = permitted(answering, Arc::clone(permits), time);
        tasks.spawn(async move { (index, answering.await) });
    }
    while let Some(answered) = tasks.join_next().await {
        let (index, answer) = answered?;
        let answer = answer?;
        if let Some((_, slot)) = answers.get_mut(index) {
            *slot = Some(answer);
        }
    }
    let answers = answers.into_iter();
    Ok(answers
        .filter_map(|(key, answer)| Some((key, answer?)))
        .collect())
}

/// The error for a mode of elicitation that the client did not declare.
fn mode(what: &str) -> InputError {
    ErrorObject::invalid_params(format!(
        "this client does not support elicitation with {what}"
    ))
    .into()
}

/// The error for a question that the client did not declare to answer.
fn undeclared(what: &str) -> InputError {
    let message = format!("this client does not answer `{what}`");
    ErrorObject::method_not_found(message).into()
}

impl std::fmt::Debug for Inputs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inputs")
            .field("form", &self.form.is_some())
            .field("url", &self.url.is_some())
            .field("sample", &self.sample.is_some())
            .field("roots", &self.roots.is_some())
            .field("extensions", &self.extensions.len())
            .finish()
    }
}
