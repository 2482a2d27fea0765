//! [`Inputs`]: the handlers that answer questions of servers, in both eras.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::form;
use mcp_types::rpc::ErrorObject;
use mcp_types::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestFormParams, ElicitRequestParams,
    ElicitRequestUrlParams, ElicitResult, InputRequest, InputRequests, InputResponse,
    InputResponses, ListRootsResult, Root,
};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

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
    pub(crate) async fn answer(&self, request: InputRequest) -> Result<InputResponse, InputError> {
        Ok(match request {
            InputRequest::Elicit(request) => match (request.params, &self.form, &self.url) {
                (ElicitRequestParams::Form(params), Some(handler), _) => {
                    let form = params.requested_schema.clone();
                    form::complete(&form, handler(params).await?)?.into()
                }
                (ElicitRequestParams::Url(params), _, Some(handler)) => {
                    handler(params).await?.into()
                }
                (ElicitRequestParams::Form(_), _, _) => return Err(mode("forms")),
                (ElicitRequestParams::Url(_), _, _) => return Err(mode("URLs")),
                _ => return Err(undeclared("elicitation/create")),
            },
            InputRequest::CreateMessage(request) => match &self.sample {
                Some(handler) => handler(request.params).await?.into(),
                None => return Err(undeclared("sampling/createMessage")),
            },
            InputRequest::ListRoots(_) => match &self.roots {
                Some(handler) => ListRootsResult::new(handler(()).await?).into(),
                None => return Err(undeclared("roots/list")),
            },
            _ => return Err(undeclared("an unknown request")),
        })
    }

    /// Answers several questions at once, as far as there are `permits`. A question waits for its permit
    /// at most `time`: otherwise handlers that send calls with questions could wait for each other.
    pub(crate) async fn answers(
        &self,
        requests: InputRequests,
        permits: &Arc<Semaphore>,
        time: Duration,
    ) -> Result<InputResponses, InputError> {
        let names: Vec<String> = requests.keys().map(str::to_owned).collect();
        let mut answers: Vec<Option<InputResponse>> = names.iter().map(|_| None).collect();
        // Dropping the set aborts the handlers.
        let mut tasks = JoinSet::new();
        for (index, (_, request)) in requests.into_iter().enumerate() {
            let (inputs, permits) = (self.clone(), Arc::clone(permits));
            tasks.spawn(async move {
                let answer = match timeout(time, permits.acquire()).await {
                    Ok(_permit) => inputs.answer(request).await,
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
