//! Tools that run as tasks, the same ones as of the example `everything` of `mcp-server`.

use mcp_client::types::json::{Object, Value};
use mcp_client::{CallError, StartedCall, TaskError, TaskHandle};

use crate::checks::{Checks, check, expect};
use crate::peer::{Peer, Result};

pub(crate) fn checks() -> Checks {
    vec![
        check("a call that is no task", at_once),
        check("a task", followed),
        check("a task that asks", asking),
        check("a task with an error of its tool", tool_error),
        check("a task with an error of the protocol", protocol_error),
        check("a task that another handle resumes", resumed),
        check("a task that is cancelled", cancelled),
        check("a task that does not exist", unknown),
    ]
}

async fn at_once(peer: &Peer) -> Result<()> {
    let text = peer.text("greet", Object::from([("name", "Ada")])).await?;
    expect(text == "Hello, Ada!", text)
}

async fn followed(peer: &Peer) -> Result<()> {
    let text = peer.text("slow_compute", computation(0.1)).await?;
    expect(text == "computed a in 0.1 s", text)
}

async fn asking(peer: &Peer) -> Result<()> {
    let file = Object::from([("filename", "a.txt")]);
    let text = peer.text("confirm_delete", file).await?;
    expect(text == "deleted a.txt", text)
}

async fn tool_error(peer: &Peer) -> Result<()> {
    let result = peer.call("failing_job", Object::new()).await?;
    expect(result.is_error == Some(true), result)
}

async fn protocol_error(peer: &Peer) -> Result<()> {
    match peer.client.call_tool("protocol_error_job").await {
        Err(CallError::Refused { source, .. }) => expect(source.code == -32603, source),
        other => expect(false, other),
    }
}

async fn resumed(peer: &Peer) -> Result<()> {
    let task = start(peer, 0.2).await?;
    let result = peer.client.task(task.id()).wait().await?;
    expect(result.is_error != Some(true), result)
}

async fn cancelled(peer: &Peer) -> Result<()> {
    let task = start(peer, 60.0).await?;
    task.cancel().await?;
    match task.wait().await {
        Err(CallError::Task(TaskError::Cancelled { .. })) => Ok(()),
        other => expect(false, other),
    }
}

async fn unknown(peer: &Peer) -> Result<()> {
    match peer.client.task("unknown").get().await {
        Err(CallError::Task(TaskError::Unknown { .. })) => Ok(()),
        other => expect(false, other),
    }
}

async fn start(peer: &Peer, seconds: f64) -> Result<TaskHandle> {
    let call = peer.client.call_tool("slow_compute");
    match call.arguments(computation(seconds)).start_task().await? {
        StartedCall::Task(task) => Ok(task),
        StartedCall::Finished(result) => Err(format!("found {result:?}").into()),
    }
}

fn computation(seconds: f64) -> Object {
    Object::from([("seconds", Value::from(seconds)), ("label", "a".into())])
}
