//! The extension `io.modelcontextprotocol/tasks`: calls of tools that outlive their request.
//!
//! A call of a tool with [`ToolDef::as_task`](crate::ToolDef::as_task) is stored, and answered with
//! the id of a task (`layer.rs`). Its handler runs in a task of tokio (`run.rs`), which stores what
//! must not be lost: values of `once`, answers, the result (`record.rs`, `storage.rs`). Clients ask
//! for the state, answer questions and cancel (`methods.rs`), or subscribe (`watch.rs`). If a process
//! ends, another one takes over its tasks (`recovery.rs`).

mod layer;
mod methods;
mod record;
mod recovery;
mod run;
pub(crate) mod settings;
mod state;
mod storage;
mod watch;

use std::sync::Arc;

use crate::extensions::tasks::layer::TaskLayer;
use crate::extensions::tasks::settings::{IDENTIFIER, Tasks};
use crate::extensions::tasks::state::TaskState;
use crate::protocol::dispatch::extension::ServerExtension;

impl From<Tasks> for ServerExtension {
    fn from(settings: Tasks) -> Self {
        let state = Arc::new(TaskState::new(settings));
        let built = Arc::clone(&state);
        let extension = Self::new(IDENTIFIER)
            .modern()
            .innermost()
            .layer(TaskLayer::new(Arc::clone(&state)))
            .on_core(move |core, layers| built.start(core, layers));
        methods::add(extension, &state)
    }
}
