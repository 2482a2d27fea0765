//! [`Context::once`]: operations that are not repeated when a handler runs again.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::features::input::error::InputError;
use crate::features::input::inputs;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

impl Context {
    /// Runs an operation once, however often the handler runs again for answers. The client sends
    /// its value along, sealed, and the next rounds get it from there.
    ///
    /// For operations before a question that must not run twice, or whose value must not change:
    ///
    /// ```
    /// # use mcp_server::{Context, Form, HandlerError};
    /// # use mcp_server::types::BooleanSchema;
    /// # async fn reserve() -> Result<u64, HandlerError> { Ok(1) }
    /// # async fn pay(_: u64) -> Result<(), HandlerError> { Ok(()) }
    /// async fn book(cx: Context) -> Result<String, HandlerError> {
    ///     let seat = cx.once("seat", reserve()).await?;
    ///     let sure = Form::new(format!("Take seat {seat}?")).required("ok", BooleanSchema::new());
    ///     if cx.elicit(sure).await?.accepted().is_some() {
    ///         pay(seat).await?;
    ///     }
    ///     Ok(format!("seat {seat}"))
    /// }
    /// ```
    ///
    /// Every later message of the request contains the value, so keep it small. The client cannot
    /// read it. Questions that are asked meanwhile are sent when the operation is done. A client
    /// that sends the first request again, without the state, starts over: this does not protect
    /// against a client that wants the operation to run twice.
    ///
    /// In a [task](crate::Tasks), the value is stored before this returns, and the task that is started
    /// again gets it from there. If the process ends between the operation and that, the operation runs
    /// again: pass [`idempotency_key`](Self::idempotency_key) on to whatever has the effect.
    ///
    /// # Errors
    ///
    /// The error of the operation, whose outcome is then not stored; [`InputError::Key`] if an
    /// operation with the same key is running; an error if the value cannot be converted to or from
    /// JSON.
    pub async fn once<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
        work: impl Future<Output = Result<T, HandlerError>>,
    ) -> Result<T, HandlerError> {
        let inputs = inputs::of(self).ok_or(InputError::Ended)?;
        inputs.check_state()?;
        let known = {
            let mut rounds = inputs.rounds();
            let known = rounds.once.get(key).cloned();
            if known.is_none() && !rounds.working.insert(key.to_owned()) {
                return Err(InputError::Key(key.to_owned()).into());
            }
            known
        };
        if let Some(known) = known {
            return Ok(serde_json::from_str(known.get())?);
        }
        let _working = WorkGuard { cx: self, key };
        let value = work.await?;
        let raw = mcp_types::json::to_raw(&value)?;
        inputs.rounds().once.insert(key.to_owned(), raw);
        if let Some(kept) = &inputs.kept {
            tokio::select! {
                biased;
                () = kept.store() => {}
                () = self.cancelled() => return Err(InputError::Ended.into()),
            }
        }
        Ok(value)
    }
}

/// A running operation. When it is dropped, questions may be sent.
struct WorkGuard<'a> {
    cx: &'a Context,
    key: &'a str,
}

impl Drop for WorkGuard<'_> {
    fn drop(&mut self) {
        let Some(inputs) = inputs::of(self.cx) else {
            return;
        };
        let mut rounds = inputs.rounds();
        rounds.working.remove(self.key);
        rounds.wake();
    }
}
