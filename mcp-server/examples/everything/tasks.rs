//! Tools that run as tasks, and those of the conformance suite for the extension.

use std::time::Duration;

use mcp_server::types::json::{Object, Value};
use mcp_server::types::rpc::ErrorObject;
use mcp_server::types::{BooleanSchema, StringSchema};
use mcp_server::{
    Context, Elicited, Form, HandlerError, ServerBuilder, TaskOptions, Tasks, ToolDef,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::sleep;

pub(crate) fn add(builder: ServerBuilder) -> ServerBuilder {
    let task = |name: &str, description: &str, options: TaskOptions| {
        ToolDef::new(name).description(description).as_task(options)
    };
    // Tasks continue at another process if this one ends.
    let again = TaskOptions::new().run_again(3);
    builder
        .extension(Tasks::new())
        .tool("greet", "Greets somebody, at once", greet)
        .add_tool(task("slow_compute", "Takes some seconds", again).handler(slow_compute))
        .add_tool(task("failing_job", "Fails, only as a task", again.required()).handler(fail))
        .add_tool(
            task(
                "protocol_error_job",
                "Ends with an error of the protocol",
                again,
            )
            .handler(protocol_error),
        )
        .add_tool(task("confirm_delete", "Asks before it deletes", again).handler(confirm_delete))
        .add_tool(task("multi_input", "Asks two questions at once", again).handler(multi_input))
        .add_tool(
            task(
                "test_tool_with_task",
                "Asks for a name, and greets later",
                again.required().begins_later(),
            )
            .handler(greet_later),
        )
}

#[derive(Deserialize, JsonSchema)]
struct Greeting {
    name: String,
}

async fn greet(Greeting { name }: Greeting) -> String {
    format!("Hello, {name}!")
}

#[derive(Deserialize, JsonSchema)]
struct Computation {
    seconds: f64,
    label: Option<String>,
}

async fn slow_compute(computation: Computation, cx: Context) -> Result<String, HandlerError> {
    let time = Duration::try_from_secs_f64(computation.seconds);
    let time = time.map_err(|error| HandlerError::tool(format!("seconds: {error}")))?;
    cx.progress(0, Some(1.0), "computing").await?;
    sleep(time).await;
    let label = computation.label.unwrap_or_default();
    Ok(format!("computed {label} in {} s", computation.seconds))
}

async fn fail() -> Result<(), HandlerError> {
    sleep(Duration::from_secs(1)).await;
    Err(HandlerError::tool("the job has failed, as it always does"))
}

async fn protocol_error() -> Result<(), HandlerError> {
    let error = ErrorObject::internal_error("this job ends with an error");
    Err(HandlerError::from(error))
}

#[derive(Deserialize, JsonSchema)]
struct File {
    filename: String,
}

async fn confirm_delete(File { filename }: File, cx: Context) -> Result<String, HandlerError> {
    let form = Form::new(format!("Delete {filename}?")).required("confirm", BooleanSchema::new());
    let confirmed = match cx.elicit(form).key("confirm").await? {
        Elicited::Accepted(answer) => answer.get("confirm").and_then(Value::as_bool),
        Elicited::Declined | Elicited::Cancelled => None,
    };
    Ok(match confirmed {
        Some(true) => format!("deleted {filename}"),
        _ => format!("kept {filename}"),
    })
}

async fn multi_input(cx: Context) -> Result<String, HandlerError> {
    let name = Form::new("Your name?").optional("name", StringSchema::new());
    let sure = Form::new("Are you sure?").optional("confirm", BooleanSchema::new());
    let name = cx.elicit(name).key("name").into_future();
    let sure = cx.elicit(sure).key("sure").into_future();
    let (name, sure) = tokio::join!(name, sure);
    let accepted = [name?, sure?].into_iter().filter(is_accepted).count();
    Ok(format!("{accepted} answers"))
}

fn is_accepted(answer: &Elicited<Object>) -> bool {
    matches!(answer, Elicited::Accepted(_))
}

async fn greet_later(cx: Context) -> Result<String, HandlerError> {
    let form = Form::new("Your name?").required("name", StringSchema::new());
    let Elicited::Accepted(answer) = cx.elicit(form).key("user_name").await? else {
        return Ok("Hello!".to_owned());
    };
    cx.begin_task().await?;
    sleep(Duration::from_millis(100)).await;
    let name = answer.get("name").and_then(|name| name.as_str());
    Ok(format!("Hello, {}!", name.unwrap_or_default()))
}
