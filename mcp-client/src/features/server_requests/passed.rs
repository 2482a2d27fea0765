//! Requests of the server that pass through middleware before they are answered.

use std::future::Future;

use mcp_types::Revision;
use mcp_types::json::{self, Map};
use serde::Serialize;
use serde_json::value::RawValue;

use super::input_required::InputQuestion;
use super::inputs::Inputs;
use super::question::{Answer, AnswerFuture, Question};
use crate::protocol::error::{CallError, InputError};
use crate::protocol::middleware::{Direction, Layers, OutcomeFuture, Request, Response};

/// Passes a request through all layers. Behind the last one, `answer` is called with its params.
pub(crate) fn pass<F>(
    layers: &Layers,
    revision: Revision,
    method: String,
    params: Box<RawValue>,
    answer: impl FnOnce(Box<RawValue>) -> F + Send + 'static,
) -> AnswerFuture<Box<RawValue>>
where
    F: Future<Output = Result<Box<RawValue>, InputError>> + Send + 'static,
{
    let end = Box::new(|params| -> OutcomeFuture {
        Box::pin(async move {
            let answered = answer(params).await.map(Response::raw);
            answered.map_err(|source| CallError::Client { source })
        })
    });
    let request = Request::new(Direction::ToClient, method.into(), revision, params);
    let passing = layers.run(request, end);
    Box::pin(async move {
        match passing.await {
            Ok(response) => Ok(response.into_raw()),
            Err(CallError::Client { source }) => Err(source),
            Err(other) => Err(other.into()),
        }
    })
}

/// Answers a question in the result of a modern server.
pub(crate) async fn answer(
    layers: &Layers,
    inputs: Inputs,
    revision: Revision,
    asked: InputQuestion,
) -> Result<Answer, InputError> {
    #[derive(Serialize)]
    struct ComposedRequest<'a> {
        method: &'a str,
        params: Box<RawValue>,
    }
    let members: Map<Box<RawValue>> = json::from_str(asked.text.get())?;
    let params = members
        .get("params")
        .map(|params| (**params).to_owned())
        .map_or_else(no_params, Ok)?;
    let method = asked.question.method().to_owned();
    let known = method.clone();
    let answering = pass(layers, revision, method, params, move |params| async move {
        let method = &known;
        let text = json::to_string(&ComposedRequest { method, params })?;
        let question = Question::decode(revision, &text)?;
        Ok(inputs.answer(question).await?.encode(revision)?)
    });
    answering.await.map(Answer::Encoded)
}

/// Returns the params of a request without params.
pub(crate) fn no_params() -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string("{}".to_owned())
}
