//! The client.

use std::fmt::Debug;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ClientCapabilities,
    ClientConfig, ErrorCode, GetSkillRequestParams, GetTaskParams, Implementation, InputResponses,
    ProtocolVersion, ReadResourceDirectoryRequestParams, ReadResourceRequestParams,
    ResourceContents, SkillResources, TaskPayload, TaskStatus, UpdateTaskParams,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{RoleClient, ServiceError};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::Outcome;

type Client = RunningService<RoleClient, ClientConfig>;

/// The timeout of all checks.
const LIMIT: Duration = Duration::from_secs(60);

pub(crate) async fn stdio(program: &str, arguments: &[&str]) -> Outcome<()> {
    let mut command = Command::new(program);
    command.args(arguments);
    let transport = TokioChildProcess::new(command)?;
    let client = config().serve_with_lifecycle(transport, modern()).await?;
    check(client).await
}

pub(crate) async fn http(url: &str) -> Outcome<()> {
    let transport = StreamableHttpClientTransport::from_uri(url);
    let client = config().serve_with_lifecycle(transport, modern()).await?;
    check(client).await
}

fn config() -> ClientConfig {
    let mut config = ClientConfig::new(
        ClientCapabilities::builder()
            .enable_tasks()
            .enable_elicitation()
            .build(),
        Implementation::new("interop", "1.0.0"),
    );
    config.protocol_version = ProtocolVersion::V_2026_07_28;
    config
}

fn modern() -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    ClientLifecycleMode::Discover { preferred_versions }
}

async fn check(client: Client) -> Outcome<()> {
    tokio::time::timeout(LIMIT, async {
        tasks(&client).await?;
        skills(&client).await
    })
    .await
    .map_err(|_| format!("not done within {LIMIT:?}"))??;
    client.cancel().await?;
    Ok(())
}

async fn tasks(client: &Client) -> Outcome<()> {
    let greeting = call(client, "greet", json!({ "name": "Ada" })).await?;
    let CallToolResponse::Complete(greeting) = greeting else {
        return Err("greet: expected a result at once".into());
    };
    expect("a call that is no task", text(&greeting)?, "Hello, Ada!")?;

    let id = start(
        client,
        "slow_compute",
        json!({ "seconds": 0.1, "label": "a" }),
    )
    .await?;
    let computed = completed(end(client, &id).await?)?;
    expect("a task", text(&computed)?, "computed a in 0.1 s")?;

    let id = start(client, "confirm_delete", json!({ "filename": "a.txt" })).await?;
    let deleted = completed(end(client, &id).await?)?;
    expect("a task that asks", text(&deleted)?, "deleted a.txt")?;

    let id = start(client, "failing_job", json!({})).await?;
    let failed = completed(end(client, &id).await?)?;
    expect(
        "a task with an error of its tool",
        &failed.is_error,
        &Some(true),
    )?;

    let id = start(client, "protocol_error_job", json!({})).await?;
    let failed = end(client, &id).await?;
    let code = match &failed {
        TaskPayload::Failed { error } => error["code"].as_i64(),
        _ => None,
    };
    expect("a task with an error of the protocol", &code, &Some(-32603))?;

    let id = start(
        client,
        "slow_compute",
        json!({ "seconds": 60, "label": "b" }),
    )
    .await?;
    client.cancel_task(CancelTaskParams::new(&*id)).await?;
    let cancelled = end(client, &id).await?.status();
    expect(
        "a task that is cancelled",
        &cancelled,
        &TaskStatus::Cancelled,
    )?;

    let unknown = client.get_task(GetTaskParams::new("unknown")).await;
    let code = error_code(unknown.map(drop));
    expect(
        "a task that does not exist",
        &code,
        &Some(ErrorCode::INVALID_PARAMS),
    )?;
    println!("skipped notifications of tasks: rmcp has no `taskIds` in `subscriptions/listen`");
    Ok(())
}

async fn skills(client: &Client) -> Outcome<()> {
    let skills = client.list_all_skills().await?;
    let [skill] = &skills[..] else {
        return Err(format!("expected one skill, found {skills:?}").into());
    };
    skill.validate()?;
    expect("a list of skills", skill.name(), "pdf-forms")?;

    let got = client
        .get_skill(GetSkillRequestParams::new(&*skill.uri))
        .await?;
    expect("a skill by its URI", &got.skill, skill)?;

    let SkillResources::Files(files) = &skill.resources else {
        return Err("the skill has no list of files".into());
    };
    for file in files {
        let read = client.read_resource(ReadResourceRequestParams::new(&*file.uri));
        let contents = read.await?.contents;
        let [ResourceContents::TextResourceContents { text, .. }] = &contents[..] else {
            return Err(format!("{}: found {contents:?}", file.uri).into());
        };
        file.verify(text.as_bytes())?;
    }
    expect("size and digest of each file", &files.len(), &2)?;

    let folder = skill.uri.trim_end_matches("/SKILL.md");
    let params = ReadResourceDirectoryRequestParams::new(folder);
    let entries = client.read_resource_directory(params).await?.resources;
    let mut names: Vec<_> = entries.iter().map(|entry| &*entry.name).collect();
    names.sort_unstable();
    expect(
        "the folder of a skill",
        &names[..],
        &["SKILL.md", "references"][..],
    )?;

    let unknown = GetSkillRequestParams::new("skill://unknown/SKILL.md");
    let code = error_code(client.get_skill(unknown).await.map(drop));
    expect(
        "a skill that does not exist",
        &code,
        &Some(ErrorCode::INVALID_PARAMS),
    )
}

async fn call(client: &Client, name: &'static str, arguments: Value) -> Outcome<CallToolResponse> {
    let Value::Object(arguments) = arguments else {
        return Err("arguments must be an object".into());
    };
    let params = CallToolRequestParams::new(name).with_arguments(arguments);
    Ok(client.call_tool_once(params).await?)
}

/// Calls a tool that runs as a task. Returns the task's id.
async fn start(client: &Client, name: &'static str, arguments: Value) -> Outcome<String> {
    match call(client, name, arguments).await? {
        CallToolResponse::Task(created) => Ok(created.task.task_id),
        other => Err(format!("{name}: expected a task, found {other:?}").into()),
    }
}

/// Polls a task until it ends, and answers its questions.
async fn end(client: &Client, id: &str) -> Outcome<TaskPayload> {
    let mut asked = 0;
    loop {
        let task = client.get_task(GetTaskParams::new(id)).await?.task;
        match task.payload {
            TaskPayload::Working => {}
            TaskPayload::InputRequired { input_requests } => {
                asked += 1;
                if asked > 1 {
                    return Err("the task asks again".into());
                }
                let answer = json!({ "action": "accept", "content": { "confirm": true } });
                let keys = input_requests.into_keys();
                let answers: InputResponses = keys.map(|key| (key, answer.clone())).collect();
                client
                    .update_task(UpdateTaskParams::new(id, answers))
                    .await?;
            }
            ended => return Ok(ended),
        }
        let interval = task.task.poll_interval_ms.unwrap_or(100).min(200);
        tokio::time::sleep(Duration::from_millis(interval)).await;
    }
}

fn completed(ended: TaskPayload) -> Outcome<CallToolResult> {
    match ended {
        TaskPayload::Completed { result } => Ok(serde_json::from_value(Value::Object(result))?),
        other => Err(format!("expected a result, found {other:?}").into()),
    }
}

fn text(result: &CallToolResult) -> Outcome<&str> {
    let text = result.content.first().and_then(|block| block.as_text());
    Ok(&text.ok_or("no text")?.text)
}

fn error_code(result: Result<(), ServiceError>) -> Option<ErrorCode> {
    match result {
        Err(ServiceError::McpError(error)) => Some(error.code),
        _ => None,
    }
}

fn expect<T, U>(what: &str, found: &T, expected: &U) -> Outcome<()>
where
    T: PartialEq<U> + Debug + ?Sized,
    U: Debug + ?Sized,
{
    if found != expected {
        return Err(format!("{what}: expected {expected:?}, found {found:?}").into());
    }
    println!("ok      {what}");
    Ok(())
}
