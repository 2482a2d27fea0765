//! [`TaskLayer`]: the middleware that turns calls of tools into tasks.

use std::sync::Arc;

use mcp_types::json::{Map, Value};
use mcp_types::peer_text::Chain;
use mcp_types::{CallToolOutcome, CallToolRequest, Request as _, json};
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::extensions::tasks::record::{TaskRecord, VERSION};
use crate::extensions::tasks::settings::{IDENTIFIER, TaskOptions};
use crate::extensions::tasks::state::TaskState;
use crate::extensions::tasks::storage::TaskError;
use crate::extensions::tasks::{run, storage, watch};
use crate::features::catalog::{Definition, List};
use crate::features::input::error::InputError;
use crate::features::input::inputs;
use crate::features::input::state::RawValues;
use crate::features::tools;
use crate::features::tools::definition::ToolDef;
use crate::protocol::core::{Context, Core};
use crate::protocol::dispatch::middleware::{
    Direction, Middleware, Next, Notification, Outcome, Request, Response,
};
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::invalid_params;
use crate::protocol::handler::extract::missing_extension;
use crate::protocol::message::methods::LISTEN;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::quota::peer_key::{PeerKey, principal_text};
use crate::protocol::quota::retained;
use crate::protocol::quota::retained::RetainedBytes;
use crate::util::signal::CancelSignal;
use crate::util::{hex, millis};

/// Turns calls of tools into tasks, and subscribes clients to tasks.
pub(super) struct TaskLayer(Arc<TaskState>);

impl TaskLayer {
    pub(super) fn new(state: Arc<TaskState>) -> Self {
        Self(state)
    }
}

impl Middleware for TaskLayer {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        self.0.start_recovery();
        if request.direction() == Direction::ToClient {
            return next.run(request).await;
        }
        match request.method() {
            CallToolRequest::METHOD => match tool_options(&request) {
                Some((tool, options)) => call_tool(&self.0, request, next, &tool, options).await,
                None => next.run(request).await,
            },
            LISTEN => watch::listen(&self.0, request, next).await,
            _ => next.run(request).await,
        }
    }

    fn notify(&self, notification: Notification) -> Option<Notification> {
        watch::complete_acknowledgement(notification)
    }
}

/// Returns the tool that a request calls, if it has options and the caller sees it.
fn tool_options(request: &Request) -> Option<(Arc<ToolDef>, TaskOptions)> {
    let cx = request.context();
    let tools = cx.core().routes.tools.as_ref()?.as_any();
    let name: String = request.param("name").ok()??;
    let tool = tools
        .downcast_ref::<List<ToolDef>>()?
        .get_visible(&name, cx)?;
    let options = *tool.extensions.get::<TaskOptions>()?;
    Some((tool, options))
}

/// Serves the call of a tool that may become a task.
async fn call_tool(
    state: &Arc<TaskState>,
    request: Request,
    next: Next,
    tool: &ToolDef,
    options: TaskOptions,
) -> Outcome {
    let cx = request.context().clone();
    // The extension belongs to the revisions without sessions.
    let knows_tasks = cx.extension_settings(IDENTIFIER).is_some();
    if !knows_tasks || cx.peer().session().is_some() {
        if options.is_required {
            return Err(missing_extension(IDENTIFIER));
        }
        return next.run(request).await;
    }
    // What can be refused is refused before the call becomes a task.
    tools::check_call(tool, &ParamsView::read(Some(request.params()))?, &cx)?;
    if let Some(check) = Definition::access(tool).check(&cx) {
        check.await?;
    }
    let params = request.params().to_owned();
    let mut gathered = (RawValues::new(), RawValues::new());
    if options.begins_later {
        let begun = Arc::new(CancelSignal::default());
        let request = request.with_value(BeginTask(Arc::clone(&begun)));
        tokio::select! {
            biased;
            () = begun.wait() => {}
            outcome = next.run(request) => return outcome,
        }
        if let Some(inputs) = inputs::of(&cx) {
            let snapshot = inputs.snapshot();
            gathered = (snapshot.accepted, snapshot.once);
        }
    }
    create(state, &cx, &params, options, gathered).await
}

/// Stores a task and starts it.
async fn create(
    state: &Arc<TaskState>,
    cx: &Context,
    params: &RawValue,
    options: TaskOptions,
    (accepted, once): (RawValues, RawValues),
) -> Outcome {
    let core = cx.core();
    let id = hex::random_id()?;
    let caller = &cx.state.extensions;
    let text = params.get().len() + cx.state.meta_bytes;
    #[cfg(feature = "http")]
    let head = caller.head_bytes();
    #[cfg(not(feature = "http"))]
    let head = 0;
    let memory = retained::memory(text, head);
    let peer = core.peers.usage(PeerKey::of(caller));
    let Some(retained) = RetainedBytes::try_new(&peer, memory) else {
        let error = "tasks, subscriptions and sessions keep too much memory: retry later";
        return Err(HandlerError::internal(error).temporary());
    };
    let place = state.add(&id, Some(retained))?;
    // Checked afterwards, so that a shutdown either waits for the task or is seen here.
    if core.stopping.is_set() {
        return Err(HandlerError::internal("the server is shutting down").temporary());
    }
    let created = millis::now();
    let record = TaskRecord {
        version: VERSION,
        id: id.clone(),
        principal: cx.state.extensions.principal().map(str::to_owned),
        group: format!("tasks:{}", user(cx)),
        params: without_answers(cx, params)?,
        client: json::to_raw(&cx.peer().meta())?,
        owner: core.stores.process.clone(),
        runs: 1,
        most_runs: options.runs,
        most_bytes: state.settings.bytes,
        created,
        updated: created,
        deadline: created.saturating_add(millis::of(options.time_limit)),
        kept: millis::of(options.kept),
        poll: millis::of(state.settings.poll_interval),
        message: None,
        progress: None,
        is_cancelling: false,
        open: RawValues::new(),
        responses: RawValues::new(),
        accepted,
        once,
        end: None,
    };
    let mut result = record.summary();
    result.insert("resultType", Value::from("task"));
    let (sender, created) = oneshot::channel();
    // Spawned: if the request were dropped in between, the stored task would never run.
    let (core, caller) = (Arc::clone(core), cx.caller());
    tokio::spawn(async move {
        let version = match store(&core, &record, place.state.settings.per_user).await {
            Ok(version) => version,
            Err(error) => {
                let _ = sender.send(Err(error));
                return discard(&core, &record).await;
            }
        };
        if sender.send(Ok(())).is_ok() {
            return run::run(place, core, (record, version), caller).await;
        }
        discard(&core, &record).await;
    });
    match created.await {
        Ok(stored) => stored?,
        Err(_) => return Err(HandlerError::internal("the server is shutting down").temporary()),
    }
    Response::new(cx, CallToolOutcome::Task(json::from_object(result)?))
}

/// Removes a task that the client does not know. The store may have it even if it has not said so. Then
/// it would run as soon as this process ends.
async fn discard(core: &Core, record: &TaskRecord) {
    while let Err(error) = storage::remove(core, &record.id).await {
        tracing::debug!(error = %Chain(&error), "a task is not removed; trying again");
        if record.time_to_live() <= run::RETRY_TIME || core.stopping.is_set() {
            return;
        }
        sleep(run::RETRY_TIME).await;
    }
    storage::forget_owner(core, &record.id).await;
}

/// Stores a new task. Returns the version of its value.
async fn store(core: &Core, record: &TaskRecord, most: usize) -> Result<u64, HandlerError> {
    // Written before the task itself: if this process ends in between, other processes find the
    // task by this entry.
    let noted = storage::note_owner(core, record).await;
    noted.map_err(TaskError::into_handler_error)?;
    let stored = storage::create(core, record, most).await;
    stored
        .map_err(TaskError::into_handler_error)?
        .ok_or_else(|| {
            let error = format!("{most} tasks exist already: wait until one is forgotten");
            HandlerError::internal(error).temporary()
        })
}

/// Returns the user whose tasks are counted together, as a text for keys of stores.
fn user(cx: &Context) -> String {
    match PeerKey::of(&cx.state.extensions) {
        PeerKey::Principal(principal) => principal_text(&principal),
        PeerKey::Connection(_) => "local".to_owned(),
        #[cfg(feature = "http")]
        PeerKey::Address(address) => format!("address:{address}"),
        #[cfg(feature = "http")]
        PeerKey::Unknown => "unknown".to_owned(),
    }
}

/// Returns the params without what belongs to a request that asks.
fn without_answers(cx: &Context, params: &RawValue) -> Result<Box<RawValue>, HandlerError> {
    let members = json::from_str::<Map<Box<RawValue>>>(params.get());
    let mut members =
        members.map_err(|error| HandlerError::from(invalid_params(cx.method(), &error)))?;
    members.retain(|name, _| !matches!(name, "inputResponses" | "requestState"));
    Ok(json::to_raw(&members)?)
}

/// The signal by which a handler lets its task begin.
struct BeginTask(Arc<CancelSignal>);

impl Context {
    /// Lets the task begin, in a tool with
    /// [`TaskOptions::begins_later`](crate::TaskOptions::begins_later): the client gets the id of the
    /// task, and the handler starts again, as it does for answers, and goes on from here.
    ///
    /// Does nothing in a task, and for a client that does not know tasks: then the call goes on and is
    /// answered with the result.
    ///
    /// # Errors
    ///
    /// If the request has ended. Only tasks that the handler spawned see it.
    ///
    /// ```
    /// use mcp_server::types::StringSchema;
    /// use mcp_server::{Context, Elicited, Form, HandlerError};
    ///
    /// async fn order(cx: Context) -> Result<String, HandlerError> {
    ///     let form = Form::new("To which address?").required("address", StringSchema::new());
    ///     let Elicited::Accepted(_) = cx.elicit(form).await? else {
    ///         return Ok("not ordered".to_owned());
    ///     };
    ///     cx.begin_task().await?;
    ///     // Everything from here on may take long.
    ///     Ok("delivered".to_owned())
    /// }
    /// ```
    pub async fn begin_task(&self) -> Result<(), HandlerError> {
        let Some(BeginTask(begin)) = self.value() else {
            return Ok(());
        };
        begin.set();
        // The handler is dropped here.
        self.cancelled().await;
        Err(InputError::Ended.into())
    }
}
