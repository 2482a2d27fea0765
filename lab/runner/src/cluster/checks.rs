//! What has to work without any fault: each step at another process.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::COUNT;
use crate::cluster::http::{Client, Events, text};
use crate::cluster::processes::Cluster;

/// The time within which a change reaches every subscriber.
const CHANGE: Duration = Duration::from_secs(5);

type Check = fn(&Cluster) -> Result<()>;

const CHECKS: [(&str, Check); 8] = [
    ("metrics only for the operator", metrics_hidden),
    ("a session at all processes", session_everywhere),
    ("a change reaches every subscriber once", change_once),
    ("an answer at another process", answer_elsewhere),
    ("a retry at another process", retry_elsewhere),
    ("a stream is resumed at another process", resume_elsewhere),
    (
        "announcements continue at another process",
        announcements_elsewhere,
    ),
    ("a session ends at all processes", ends_everywhere),
];

/// Returns the checks that failed, with the reason.
pub(super) fn run(cluster: &Cluster) -> Vec<String> {
    let mut failed = Vec::new();
    for (name, check) in CHECKS {
        match check(cluster) {
            Ok(()) => println!("ok      {name}"),
            Err(error) => {
                println!("FAILED  {name}: {error:#}");
                failed.push(format!("{name}: {error:#}"));
            }
        }
    }
    failed
}

fn metrics_hidden(cluster: &Cluster) -> Result<()> {
    let metrics = cluster.url_of(0).replace("/mcp", "/metrics");
    ensure!(text(&metrics)?.ends_with("# EOF\n"), "no metrics");
    let published = cluster.url().replace("/mcp", "/metrics");
    for url in [
        published.clone(),
        published.replace("/metrics", "//%6detrics?x"),
    ] {
        let found = text(&url);
        ensure!(found.is_err(), "{url}: {}", found.unwrap_or_default());
    }
    Ok(())
}

fn session_everywhere(cluster: &Cluster) -> Result<()> {
    let client = Client::legacy(&cluster.url())?;
    for at in 0..COUNT {
        let result = client
            .at(&cluster.url_of(at))
            .call(1, "test_simple_text", &json!({}));
        result?.result(1)?;
    }
    Ok(())
}

/// Reads the messages of a response in a thread.
pub(super) fn read(mut events: Events) -> Receiver<Value> {
    let (sender, received) = mpsc::channel();
    thread::spawn(move || {
        while let Ok(Some(event)) = events.next() {
            if sender.send(event.message).is_err() {
                return;
            }
        }
    });
    received
}

/// Returns how often a notification arrives until `end`.
fn count(received: &Receiver<Value>, method: &str, end: Instant) -> usize {
    let mut count = 0;
    while let Ok(message) = received.recv_timeout(end.saturating_duration_since(Instant::now())) {
        count += usize::from(message["method"] == method);
    }
    count
}

fn change_once(cluster: &Cluster) -> Result<()> {
    const CHANGED: &str = "notifications/tools/list_changed";
    let mut subscribers = Vec::new();
    for at in 0..COUNT {
        let client = Client::legacy(&cluster.url())?;
        subscribers.push(read(client.at(&cluster.url_of(at)).get(None)?));
        let filter = json!({"notifications": {"toolsListChanged": true}});
        let client = Client::modern(&cluster.url_of(at));
        subscribers.push(read(client.request(1, "subscriptions/listen", filter)?));
    }
    thread::sleep(Duration::from_millis(500));
    let changer = Client::modern(&cluster.url_of(1));
    changer
        .call(2, "test_trigger_tool_change", &json!({}))?
        .result(2)?;
    let end = Instant::now() + CHANGE;
    let counts = subscribers
        .iter()
        .map(|received| count(received, CHANGED, end));
    let counts: Vec<usize> = counts.collect();
    ensure!(
        counts.iter().all(|count| *count == 1),
        "received {counts:?} times"
    );
    Ok(())
}

fn answer_elsewhere(cluster: &Cluster) -> Result<()> {
    let client = Client::legacy(&cluster.url_of(0))?;
    let mut events = client.call(3, "test_elicitation", &json!({"message": "Who?"}))?;
    let question = events.until(|message| message["method"] == "elicitation/create")?;
    let answer = json!({
        "jsonrpc": "2.0",
        "id": question.message["id"],
        "result": {"action": "accept", "content": {"username": "ada", "email": "ada@example.com"}},
    });
    let status = client.at(&cluster.url_of(2)).post(&answer)?;
    ensure!(status == 202, "the answer has status {status}");
    let result = events.result(3)?.to_string();
    ensure!(result.contains("ada@example.com"), "{result}");
    Ok(())
}

fn retry_elsewhere(cluster: &Cluster) -> Result<()> {
    let arguments = json!({"message": "Who?"});
    let asking = Client::modern(&cluster.url_of(0));
    let asked = asking.call(1, "test_elicitation", &arguments)?.result(1)?;
    ensure!(asked["resultType"] == "input_required", "{asked}");
    let questions = asked["inputRequests"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let answers = questions.keys().map(|key| {
        let content = json!({"username": "ada", "email": "ada@example.com"});
        (key.clone(), json!({"action": "accept", "content": content}))
    });
    let params = json!({
        "name": "test_elicitation",
        "arguments": arguments,
        "inputResponses": answers.collect::<serde_json::Map<_, _>>(),
        "requestState": asked["requestState"],
    });
    let answering = Client::modern(&cluster.url_of(1));
    let result = answering
        .request(2, "tools/call", params)?
        .result(2)?
        .to_string();
    ensure!(result.contains("ada@example.com"), "{result}");
    Ok(())
}

fn resume_elsewhere(cluster: &Cluster) -> Result<()> {
    let client = Client::legacy(&cluster.url_of(0))?;
    let mut events = client.call(4, "test_tool_with_progress", &json!({}))?;
    let first = events.until(|message| message["method"] == "notifications/progress")?;
    drop(events);
    let mut rest = client.at(&cluster.url_of(1)).get(first.id.as_deref())?;
    let mut steps = Vec::new();
    loop {
        let event = rest.until(|message| !message.is_null())?;
        if event.message["id"] == 4 {
            break;
        }
        steps.push(event.message["params"]["progress"].as_f64().unwrap_or(-1.0));
    }
    ensure!(steps == [50.0, 100.0], "resumed with the steps {steps:?}");
    Ok(())
}

fn announcements_elsewhere(cluster: &Cluster) -> Result<()> {
    let client = Client::legacy(&cluster.url_of(0))?;
    let mut events = client.get(None)?;
    let priming = events.until(Value::is_null)?;
    drop(events);
    let mut rest = client.at(&cluster.url_of(2)).get(priming.id.as_deref())?;
    let is_change = |message: &Value| message["method"] == "notifications/prompts/list_changed";
    // What changed while the client was away is not known.
    rest.until(is_change)?;
    let received = read(rest);
    let changer = Client::modern(&cluster.url_of(1));
    changer
        .call(2, "test_trigger_prompt_change", &json!({}))?
        .result(2)?;
    let end = Instant::now() + CHANGE;
    let arrived = count(&received, "notifications/prompts/list_changed", end);
    changer
        .call(3, "test_trigger_prompt_change", &json!({}))?
        .result(3)?;
    ensure!(arrived == 1, "the change arrived {arrived} times");
    Ok(())
}

fn ends_everywhere(cluster: &Cluster) -> Result<()> {
    let client = Client::legacy(&cluster.url())?;
    let ping = json!({"jsonrpc": "2.0", "id": 5, "method": "ping"});
    for at in 0..COUNT {
        let status = client.at(&cluster.url_of(at)).post(&ping)?;
        ensure!(status == 200, "process {at} answers with {status}");
    }
    let status = client.at(&cluster.url_of(2)).delete()?;
    ensure!(status == 204, "DELETE has status {status}");
    let end = Instant::now() + CHANGE;
    for at in 0..COUNT {
        let other = client.at(&cluster.url_of(at));
        while other.post(&ping)? != 404 {
            ensure!(Instant::now() < end, "process {at} still has the session");
            thread::sleep(Duration::from_millis(10));
        }
    }
    Ok(())
}
