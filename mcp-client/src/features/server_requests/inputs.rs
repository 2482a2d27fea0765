//! [`Inputs`]: the handlers that answer questions of servers, in both eras.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::form;
use mcp_types::rpc::ErrorObject;
use mcp_types::{
    CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, ElicitRequest,
    ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams, ElicitResult,
    ListRootsRequest, ListRootsResult, Request, Root,
};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::question::{InputReply, Question};
use crate::protocol::error::InputError;

type Answer<R> = Pin<Box<dyn Future<Output = Result<R, InputError>> + Send>>;
type Handler<P, R> = Arc<dyn Fn(P) -> Answer<R> + Send + Sync>;

/// The handlers of the program, by the kind of question.
#[derive(Clone, Default)]
pub(crate) struct Inputs {
    pub(crate) form: Option<Handler<ElicitRequestFormParams, ElicitResult>>,
    pub(crate) url: Option<Handler<ElicitRequestUrlParams, ElicitResult>>,
    pub(crate) sample: Option<Handler<CreateMessageRequestParams, CreateMessageResult>>,
    pub(crate) roots: Option<Handler<(), Vec<Root>>>,
}

/// A handler with its type erased.
pub(crate) fn handler<P, R, F>(handler: impl Fn(P) -> F + Send + Sync + 'static) -> Handler<P, R>
where
    F: Future<Output = Result<R, InputError>> + Send + 'static,
{
    Arc::new(move |params| Box::pin(handler(params)))
}

impl Inputs {
    /// Answers a question.
    pub(crate) async fn answer(&self, question: Question) -> Result<InputReply, InputError> {
        Ok(match question {
            Question::Elicit(params) => InputReply::Elicit(self.elicit(params).await?),
            Question::Sample(params) => match &self.sample {
                Some(handler) => InputReply::Sample(Box::new(handler(*params).await?)),
                None => return Err(undeclared(CreateMessageRequest::METHOD)),
            },
            Question::Roots => match &self.roots {
                Some(handler) => InputReply::Roots(ListRootsResult::new(handler(()).await?)),
                None => return Err(undeclared(ListRootsRequest::METHOD)),
            },
        })
    }

    /// Shows a form or a page to the user.
    pub(crate) async fn elicit(
        &self,
        params: ElicitRequestParams,
    ) -> Result<ElicitResult, InputError> {
        match (params, &self.form, &self.url) {
            (ElicitRequestParams::Form(params), Some(handler), _) => {
                let form = params.requested_schema.clone();
                Ok(form::complete(&form, handler(params).await?)?)
            }
            (ElicitRequestParams::Url(params), _, Some(handler)) => handler(params).await,
            (ElicitRequestParams::Form(_), _, _) => Err(mode("forms")),
            (ElicitRequestParams::Url(_), _, _) => Err(mode("URLs")),
            _ => Err(undeclared(ElicitRequest::METHOD)),
        }
    }

    /// Answers several questions at once, as far as there are `permits`. A question waits for its permit
    /// at most `time`: otherwise handlers that send calls with questions could wait for each other.
    pub(crate) async fn answers(
        &self,
        questions: Vec<(String, Question)>,
        permits: &Arc<Semaphore>,
        time: Duration,
    ) -> Result<Vec<(String, InputReply)>, InputError> {
        let names: Vec<String> = questions.iter().map(|(name, _)| name.clone()).collect();
        let mut answers: Vec<Option<InputReply>> = names.iter().map(|_| None).collect();
        // Dropping the set aborts the handlers.
        let mut tasks = JoinSet::new();
        for (index, (_, question)) in questions.into_iter().enumerate() {
            let (inputs, permits) = (self.clone(), Arc::clone(permits));
            tasks.spawn(async move {
                let answer = match timeout(time, permits.acquire()).await {
                    Ok(_permit) => inputs.answer(question).await,
                    Err(_) => Err(InputError::from("too many questions are pending")),
                };
                (index, answer)
            });
        }
        while let Some(answered) = tasks.join_next().await {
            let (index, answer) = answered?;
            let answer = answer?;
            if let Some(slot) = answers.get_mut(index) {
                *slot = Some(answer);
            }
        }
        let pairs = names.into_iter().zip(answers);
        Ok(pairs
            .filter_map(|(name, answer)| Some((name, answer?)))
            .collect())
    }
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
            .finish()
    }
}
