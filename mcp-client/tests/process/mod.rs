//! Servers that are child processes: shutdown, cleanup, and errors.

mod restarts;
#[cfg(windows)]
mod windows;

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::types::json::Object;
use mcp_client::types::{CallToolResult, ContentBlock, Revision, SubscriptionFilter};
use mcp_client::{
    CallError, ChildProcess, Client, ClientBuilder, ConnectError, Limits, Restart, Stderr,
    SubscriptionEvent, TransportError,
};
use sysinfo::{Pid, ProcessStatus, ProcessesToUpdate, System};
use tokio::time::{sleep, timeout};
use tracing::field::Field;
use tracing_subscriber::layer::{self, Layer, SubscriberExt};

use crate::support::example::example;

/// Longer than any successful operation.
const LONG: Duration = Duration::from_secs(60);

/// The example `process-subject`.
fn program() -> PathBuf {
    example("process-subject")
}

fn subject(behaviour: &[&str]) -> ChildProcess {
    ChildProcess::new(program()).args(behaviour)
}

/// Starts it from a shell that keeps running, as `npx` does.
#[cfg(unix)]
fn below_a_shell(behaviour: &str) -> ChildProcess {
    let script = format!("'{}' {behaviour} <&0 & wait", program().display());
    // Background jobs of a shell have no input unless it is redirected.
    let script = format!("exec 3<&0; {}", script.replace("<&0", "<&3"));
    ChildProcess::new("sh").args(["-c", &script])
}

#[cfg(windows)]
fn below_a_shell(behaviour: &str) -> ChildProcess {
    let shell = ChildProcess::new("cmd").args(["/d", "/c"]);
    shell.arg(program()).arg(behaviour)
}

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0")
}

async fn connect(process: ChildProcess) -> Client {
    builder().connect(process).await.expect("connected")
}

fn text(result: &CallToolResult) -> &str {
    match result.content.as_slice() {
        [ContentBlock::Text(content)] => &content.text,
        other => panic!("{other:?}"),
    }
}

async fn pid(client: &Client) -> u32 {
    let result = client.call_tool("pid").await.expect("a number");
    text(&result).parse().expect("a number")
}

/// Returns all processes.
fn processes() -> System {
    let mut system = System::new();
    system.refresh_processes(ProcessesToUpdate::All, true);
    system
}

/// Returns `true` if a process is running, and not a zombie.
fn runs(pid: u32) -> bool {
    let system = processes();
    let process = system.process(Pid::from_u32(pid));
    process.is_some_and(|process| process.status() != ProcessStatus::Zombie)
}

/// Returns `true` if a process has ended and is not a zombie either.
fn is_reaped(pid: u32) -> bool {
    processes().process(Pid::from_u32(pid)).is_none()
}

async fn until(what: impl Fn() -> bool) {
    let wait = async {
        while !what() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LONG, wait)
        .await
        .expect("the condition holds in time");
}

/// Collects the lines of a server's stderr.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    fn stderr(&self) -> Stderr {
        let lines = self.clone();
        Stderr::capture(move |line| lines.0.lock().expect("fine").push(line.to_owned()))
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().expect("fine").clone()
    }
}

fn exit(client: &Client, code: i64) -> impl Future<Output = Result<CallToolResult, CallError>> {
    let call = client.call_tool("exit");
    call.arguments(Object::from([("code", code)])).into_future()
}

fn transport_error(error: &CallError) -> &TransportError {
    match error {
        CallError::Lost { source, .. } => source,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn process_gets_its_environment_and_folder() {
    let folder = if cfg!(windows) { "C:\\" } else { "/" };
    let process = subject(&[]).env("SUBJECT", "here").current_dir(folder);
    let client = connect(process).await;
    let result = client.call_tool("variable").await.expect("a result");
    assert_eq!(text(&result), format!("here in {folder}"));
    client.close().await;
}

#[tokio::test]
async fn close_ends_the_input_and_waits_for_the_process() {
    let lines = Lines::default();
    let client = connect(subject(&["after"]).stderr(lines.stderr())).await;
    let pid = pid(&client).await;
    client.close().await;
    assert!(is_reaped(pid));
    assert_eq!(lines.all(), ["served"], "it ended in its own way");
}

#[tokio::test]
async fn close_ends_the_calls_of_all_clones() {
    let client = connect(subject(&[]).grace(Duration::from_millis(100))).await;
    let clone = client.clone();
    let waits = tokio::spawn(client.call_tool("never").into_future());
    client.tools().one_page().await.expect("a list");
    tokio::join!(client.close(), client.close());
    for error in [
        waits.await.expect("no panic").expect_err("no answer"),
        clone.tools().one_page().await.expect_err("no connection"),
    ] {
        assert!(
            matches!(transport_error(&error), TransportError::Closed),
            "{error}"
        );
    }
}

#[tokio::test]
async fn dropped_client_ends_its_process() {
    let lines = Lines::default();
    let client = connect(subject(&["after"]).stderr(lines.stderr())).await;
    let pid = pid(&client).await;
    drop(client);
    until(|| is_reaped(pid)).await;
    // It exited by itself.
    until(|| lines.all() == ["served"]).await;
}

#[test]
fn runtime_shutdown_ends_the_process() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (client, pid, shell) = runtime.block_on(async {
        let client = connect(below_a_shell("stubborn").grace(LONG)).await;
        let pid = pid(&client).await;
        let system = processes();
        let process = system.process(Pid::from_u32(pid)).expect("it runs");
        let shell = process.parent().expect("a parent").as_u32();
        (client, pid, shell)
    });
    assert!(runs(pid) && runs(shell) && shell != std::process::id());
    drop(runtime);
    let rest = tokio::runtime::Runtime::new().expect("a runtime");
    rest.block_on(until(|| !runs(pid) && !runs(shell)));
    drop(client);
}

#[tokio::test]
async fn descendants_end_with_the_process() {
    let client = connect(below_a_shell("after")).await;
    let pid = pid(&client).await;
    client.close().await;
    assert!(!runs(pid));
}

#[cfg(unix)]
#[tokio::test]
async fn orphaned_descendants_are_killed() {
    // The shell exits immediately, and its child does not notice the end of its input.
    let script = format!("sleep 3600 & exec '{}'", program().display());
    let client = connect(ChildProcess::new("sh").args(["-c", &script])).await;
    let pid = pid(&client).await;
    let sleeper = || {
        let system = processes();
        let mut all = system.processes().values();
        let child = all.find(|process| {
            process.name() == "sleep" && process.parent() == Some(Pid::from_u32(pid))
        });
        child.map(|process| process.pid().as_u32())
    };
    until(|| sleeper().is_some()).await;
    let sleeper = sleeper().expect("the process sleeps");
    assert!(runs(sleeper));
    client.close().await;
    assert!(!runs(sleeper));
}

#[cfg(unix)]
#[tokio::test]
async fn process_that_ignores_the_signal_is_killed() {
    // The shell ignores the signal, and so does its child.
    let script = format!("trap '' TERM; exec '{}' stubborn", program().display());
    let process = ChildProcess::new("sh").args(["-c", &script]);
    let client = connect(process.grace(Duration::from_millis(100))).await;
    let pid = pid(&client).await;
    client.close().await;
    assert!(is_reaped(pid));
}

#[tokio::test]
async fn exit_during_a_call_reports_status_and_stderr() {
    let lines = Lines::default();
    let client = connect(subject(&[]).stderr(lines.stderr())).await;
    let waits = tokio::spawn(client.call_tool("never").into_future());
    client.call_tool("say").await.expect("said");
    for error in [
        exit(&client, 3).await.expect_err("no answer"),
        waits.await.expect("no panic").expect_err("no answer"),
        client.tools().one_page().await.expect_err("no process"),
    ] {
        let TransportError::Exited { status, stderr, .. } = transport_error(&error) else {
            panic!("{error}");
        };
        assert_eq!(status.code(), Some(3));
        assert_eq!(stderr, "said\ngoing down\nwith 3");
        assert!(error.to_string().ends_with("with 3"), "{error}");
    }
    assert_eq!(lines.all(), ["said", "going down", "with 3"]);
}

#[cfg(unix)]
#[tokio::test]
async fn immediate_exit_reports_status_and_stderr() {
    let script = "echo no such key >&2; exit 7";
    let process = ChildProcess::new("sh").args(["-c", script]);
    let process = process.stderr(Stderr::Trace);
    let error = builder().connect(process).await.expect_err("no server");
    let ConnectError::Call(error) = &error else {
        panic!("{error}");
    };
    let TransportError::Exited { status, stderr, .. } = transport_error(error) else {
        panic!("{error}");
    };
    assert_eq!((status.code(), stderr.as_str()), (Some(7), "no such key"));
}

#[tokio::test]
async fn missing_program_is_named_in_the_error() {
    let process = ChildProcess::new("/nowhere/server");
    let error = builder().connect(process).await.expect_err("no program");
    assert!(
        matches!(
            &error,
            ConnectError::Transport(TransportError::Spawn { program, source })
                if program == "/nowhere/server" && source.kind() == std::io::ErrorKind::NotFound
        ),
        "{error}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn unresponsive_server_times_out_and_is_killed() {
    let mut limits = Limits::default();
    limits.probe_time = Duration::from_millis(50);
    limits.call_time = Duration::from_millis(50);
    let script = format!("echo $$ >&2; exec '{}' silent", program().display());
    let lines = Lines::default();
    let process = ChildProcess::new("sh").args(["-c", &script]);
    let process = process.stderr(lines.stderr());
    let error = builder().limits(limits).connect(process).await;
    let error = error.expect_err("no answer");
    assert!(
        matches!(error, ConnectError::Call(CallError::Timeout { .. })),
        "{error}"
    );
    let pid = lines.all().first().and_then(|pid| pid.parse().ok());
    assert!(is_reaped(pid.expect("a number")));
}

#[cfg(unix)]
#[tokio::test]
async fn server_of_both_eras_that_starts_slowly_has_a_session() {
    let mut limits = Limits::default();
    limits.probe_time = Duration::from_millis(50);
    let script = format!("sleep 1; exec '{}'", program().display());
    let process = ChildProcess::new("sh").args(["-c", &script]);
    let client = builder().limits(limits).connect(process).await;
    let client = client.expect("connected");
    assert_eq!(client.revision(), Revision::V2025_11_25);
    pid(&client).await;
    client.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn timeout_names_what_the_server_wrote() {
    let mut limits = Limits::default();
    limits.probe_time = Duration::from_millis(50);
    limits.call_time = Duration::from_millis(500);
    let script = "echo set API_KEY >&2; printf 'open \\033[1mhttps://x/login\\n'; sleep 60";
    let process = ChildProcess::new("sh").args(["-c", script]);
    let process = process
        .stderr(Stderr::Trace)
        .grace(Duration::from_millis(50));
    let error = builder().limits(limits).connect(process).await;
    let error = error.expect_err("no answer").to_string();
    let expected = "; the last lines of its standard error:\nset API_KEY\
        ; its last output that is no message:\nopen \\u{1b}[1mhttps://x/login";
    assert!(error.ends_with(expected), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn exit_names_the_usage_text_on_standard_output() {
    let script = "echo Usage: server --key KEY; exit 2";
    let process = ChildProcess::new("sh").args(["-c", script]);
    let error = builder().connect(process).await.expect_err("no server");
    let error = error.to_string();
    assert!(error.ends_with("\nUsage: server --key KEY"), "{error}");
}

/// Collects warnings with their fields.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<String>>);

impl<S: tracing::Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &tracing::Event<'_>, _: layer::Context<'_, S>) {
        if *event.metadata().level() == tracing::Level::WARN {
            let mut all = self.0.lock().expect("fine");
            event.record(&mut |field: &Field, value: &dyn Debug| {
                all.push_str(&format!("{field}={value:?} "));
            });
        }
    }
}

#[tokio::test]
async fn invalid_output_is_ignored_and_logged() {
    let warnings = Warnings::default();
    let subscriber = tracing_subscriber::registry().with(warnings.clone());
    // See `mcp_testkit::text_log::TextLog`.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let _told = tracing::subscriber::set_default(subscriber);
    let client = connect(subject(&["garbage"])).await;
    client.tools().one_page().await.expect("a list");
    client.close().await;
    let warnings = warnings.0.lock().expect("fine").clone();
    assert!(warnings.contains("Listening on stdio!"), "{warnings}");
    assert!(warnings.contains("not"), "{warnings}");
    // Lines of any length.
    assert!(
        warnings.contains("xxxx") && warnings.len() < 2_000,
        "{warnings}"
    );
}
