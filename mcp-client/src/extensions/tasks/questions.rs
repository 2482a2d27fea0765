//! [`Questions`]: what a task asks, each question once.

use std::collections::HashSet;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::json::{self, Object, Value};
use mcp_types::{GetTaskRequest, Request};
use serde_json::value::RawValue;
use tokio::task::JoinSet;

use crate::features::server_requests::input_required::questions;
use crate::features::server_requests::inputs::permitted;
use crate::features::server_requests::question::Answer;
use crate::features::shared_connection::SharedConnection;
use crate::protocol::error::{CallError, InputError, TaskError};

/// The maximum number of questions of a task, and of the bytes of their keys.
const QUESTIONS: usize = 1_000;
const KEY_BYTES: usize = 256 << 10;

/// The questions of a task. Dropping this aborts their handlers.
#[derive(Default)]
pub(super) struct Questions {
    /// The keys of all questions so far.
    asked: HashSet<String>,
    key_bytes: usize,
    running: JoinSet<(String, Result<Answer, InputError>)>,
    /// The answers that the server has not acknowledged.
    answers: Object,
}

impl Questions {
    /// Calls the handlers of the questions that are new.
    pub(super) fn ask(
        &mut self,
        connection: &SharedConnection,
        text: &RawValue,
        permit_time: Duration,
    ) -> Result<(), CallError> {
        let method = GetTaskRequest::METHOD;
        let revision = connection.connection().revision();
        let features = connection.features();
        let asked =
            questions(revision, text).map_err(|source| CallError::Answer { method, source })?;
        let (count, limit) = (asked.len(), connection.connection().limits.server_requests);
        if count > limit {
            return Err(CallError::Questions {
                method,
                count,
                limit,
            });
        }
        for question in asked {
            if self.asked.contains(&question.key) {
                continue;
            }
            self.key_bytes += question.key.len();
            if self.asked.len() >= QUESTIONS || self.key_bytes > KEY_BYTES {
                return Err(TaskError::Questions { limit: QUESTIONS }.into());
            }
            let key = question.key.clone();
            self.asked.insert(key.clone());
            let answering = features.server_requests.answering(question, revision);
            let permits = Arc::clone(&features.input_permits);
            let answering = permitted(answering, permits, permit_time);
            self.running.spawn(async move { (key, answering.await) });
        }
        Ok(())
    }

    /// Waits for answers; for ever if no handler runs. Loses none if it is dropped.
    pub(super) async fn answered(
        &mut self,
        connection: &SharedConnection,
    ) -> Result<(), CallError> {
        let Some(answered) = self.running.join_next().await else {
            return pending().await;
        };
        let mut next = Some(answered);
        while let Some(answered) = next {
            let method = GetTaskRequest::METHOD;
            let failed = |source| CallError::Input { method, source };
            let (key, answer) = answered.map_err(|error| failed(error.into()))?;
            let revision = connection.connection().revision();
            let encoded = answer.map_err(failed)?.encode(revision);
            let value = encoded
                .and_then(|text| Ok(json::from_str::<Value>(text.get())?))
                .map_err(|source| CallError::Params {
                    method: method.into(),
                    source,
                })?;
            self.answers.insert(key, value);
            next = self.running.try_join_next();
        }
        Ok(())
    }

    /// Returns the answers that the server has not acknowledged, if there are any.
    pub(super) fn unsent(&self) -> Option<&Object> {
        (!self.answers.is_empty()).then_some(&self.answers)
    }

    /// Forgets the answers: the server has them.
    pub(super) fn sent(&mut self) {
        self.answers = Object::new();
    }
}
