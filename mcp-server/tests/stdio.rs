//! A server process on its standard streams, as its parent process sees it.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::process::{Process, example};

const RUNTIMES: [&str; 2] = ["current", "multi"];

/// The command that starts the example `stdio-subject`.
fn subject(arguments: &[&str]) -> Command {
    let mut command = Command::new(example("stdio-subject"));
    command.args(arguments);
    command
}

/// The subject, with the lines of its output.
struct Subject {
    process: Process,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Subject {
    fn start(arguments: &[&str]) -> Self {
        let mut process = Process::start(&mut subject(arguments));
        let stdout = process.stdout.take().expect("a pipe");
        Self {
            process,
            lines: stdout.lines(),
        }
    }

    fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let stdin = self.process.stdin.as_mut().expect("open");
        stdin.write_all(bytes.as_ref()).expect("written");
    }

    fn call(&mut self, id: u64, tool: &str, text: &str) {
        self.write(call(id, tool, text));
    }

    fn next(&mut self) -> Value {
        let line = self.lines.next().expect("a line, not the end");
        serde_json::from_str(&line.expect("readable")).expect("a message and nothing else")
    }

    /// Closes the input and returns the remaining messages. The process must exit with 0.
    fn end(mut self) -> Vec<Value> {
        self.process.stdin = None;
        self.ended()
    }

    /// Returns the messages until the process exits with 0 by itself.
    fn ended(&mut self) -> Vec<Value> {
        let mut rest = Vec::new();
        for line in self.lines.by_ref() {
            let line = line.expect("readable");
            rest.push(serde_json::from_str(&line).expect("a message and nothing else"));
        }
        assert!(self.process.child.wait().expect("waited for").success());
        rest
    }
}

fn call(id: u64, tool: &str, text: &str) -> String {
    let message = json!({
        "jsonrpc": "2.0",
        "id": id,
        "method": "tools/call",
        "params": {
            "name": tool,
            "arguments": {"text": text},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/logLevel": "info",
            },
        },
    });
    format!("{message}\n")
}

fn text(answer: &Value) -> &str {
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text in {answer}"))
}

#[test]
fn requests_run_concurrently_and_the_process_exits_at_the_end_of_input() {
    for runtime in RUNTIMES {
        let mut subject = Subject::start(&[runtime]);
        subject.call(1, "wait", "gate");
        subject.call(2, "echo", "quick");
        assert_eq!(text(&subject.next()), "quick");
        subject.call(3, "open", "gate");
        let ids = BTreeSet::from([1, 3]);
        let answered = [subject.next(), subject.next()];
        let answered = answered.iter().filter_map(|answer| answer["id"].as_u64());
        assert_eq!(answered.collect::<BTreeSet<_>>(), ids);
        assert_eq!(subject.end(), Vec::<Value>::new());
    }
}

#[test]
fn work_in_flight_and_the_last_line_are_answered_after_the_end_of_input() {
    for runtime in RUNTIMES {
        let mut subject = Subject::start(&[runtime]);
        subject.call(1, "wait", "gate");
        subject.call(2, "late panic", "");
        subject.write(call(3, "open", "gate").trim_end());
        let answers = subject.end();
        let ids = answers.iter().filter_map(|answer| answer["id"].as_u64());
        assert_eq!(ids.collect::<BTreeSet<_>>(), BTreeSet::from([1, 2, 3]));
    }
}

#[test]
fn malformed_and_long_lines_get_errors_and_reading_continues() {
    let mut subject = Subject::start(&["current"]);
    subject.write(b"\xff\n\r\n{\n");
    assert_eq!(subject.next()["error"]["code"], -32700);
    assert_eq!(subject.next()["error"]["code"], -32700);
    subject.call(1, "echo", &"x".repeat(1_000_000));
    assert_eq!(subject.next()["error"]["code"], -32600);
    subject.call(2, "echo", "after");
    assert_eq!(text(&subject.next()), "after");
    assert_eq!(subject.end(), Vec::<Value>::new());
}

#[test]
fn cancelled_request_gets_no_response() {
    let mut subject = Subject::start(&["multi"]);
    subject.call(1, "wait", "gate");
    subject.write(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n",
    );
    subject.call(2, "left", "gate");
    assert_eq!(subject.next()["id"], 2);
    subject.call(3, "open", "gate");
    assert_eq!(subject.next()["id"], 3);
    assert_eq!(subject.end(), Vec::<Value>::new());
}

#[test]
fn slow_reader_gets_everything_in_order() {
    for runtime in RUNTIMES {
        let mut subject = Subject::start(&[runtime]);
        let mut stdin = subject.process.stdin.take().expect("open");
        // Much more than the queue and the pipes hold, from tasks and from the reading thread.
        let writing = thread::spawn(move || {
            let talk = call(0, "talk", "1000");
            stdin.write_all(talk.as_bytes()).expect("written");
            for id in 1..=1000 {
                let line = call(id, "long", "3000");
                stdin.write_all(line.as_bytes()).expect("written");
            }
        });
        let (mut said, mut answered) = (0, BTreeSet::new());
        for message in subject.ended() {
            if let Some(data) = message["params"]["data"].as_str() {
                assert!(data.starts_with(&format!("{said} ")));
                said += 1;
            } else {
                assert!(answered.insert(message["id"].as_u64()));
            }
            if message["id"] == 0 {
                assert_eq!(said, 1000);
            }
        }
        assert_eq!((said, answered.len()), (1000, 1001));
        writing.join().expect("no panic");
    }
}

#[test]
fn shutdown_exits_while_the_input_is_open() {
    for runtime in RUNTIMES {
        let mut subject = Subject::start(&[runtime]);
        subject.write(
            call(1, "", "")
                .replace("tools/call", "subscriptions/listen")
                .replace(
                    "\"name\":\"\"",
                    "\"notifications\":{\"toolsListChanged\":true}",
                ),
        );
        let acknowledged = "notifications/subscriptions/acknowledged";
        assert_eq!(subject.next()["method"], acknowledged);
        subject.call(2, "stop", "");
        let messages = subject.ended();
        let ids: BTreeSet<_> = messages
            .iter()
            .filter_map(|one| one["id"].as_u64())
            .collect();
        assert_eq!(ids, BTreeSet::from([1, 2]), "{messages:?}");
    }
}

#[test]
fn dropping_the_future_cancels_handlers() {
    for runtime in RUNTIMES {
        let mut subject = Subject::start(&[runtime, "drop"]);
        subject.call(1, "wait", "drop");
        assert_eq!(subject.ended(), Vec::<Value>::new());
    }
}

#[test]
fn closed_output_ends_the_process() {
    let mut process = Process::start(&mut subject(&["current"]));
    drop(process.stdout.take());
    let mut stdin = process.stdin.take().expect("a pipe");
    stdin
        .write_all(call(1, "echo", "unread").as_bytes())
        .expect("written");
    assert!(!process.child.wait().expect("waited for").success());
}

/// Returns the peak memory of a process in KiB, or `None` on other systems than Linux.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Responses from the reading thread and from tasks, and notifications of handlers.
#[test]
fn unread_output_is_not_buffered_without_bounds() {
    const ANSWER: usize = 50_000;
    for runtime in RUNTIMES {
        let mut subject = Subject::start(&[runtime]);
        let mut stdin = subject.process.stdin.take().expect("open");
        let written = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&written);
        let writing = thread::spawn(move || {
            for id in 0..1000 {
                let line = match id % 30 {
                    0 => call(id, "talk", "100"),
                    1 => call(id, "late", &ANSWER.to_string()),
                    _ => call(id, "long", &ANSWER.to_string()),
                };
                stdin.write_all(line.as_bytes()).expect("written");
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        // Stops when the pipe is full: reading too early would only make the test easier to pass.
        let mut before = u64::MAX;
        while written.load(Ordering::Relaxed) != before {
            before = written.load(Ordering::Relaxed);
            thread::sleep(Duration::from_millis(200));
        }
        let peak = peak(&subject.process.child);
        let answers = subject.ended();
        let answers = answers.iter().filter(|message| !message["id"].is_null());
        assert_eq!(answers.count(), 1000);
        writing.join().expect("no panic");
        // Of 50 MB in total.
        assert!(peak.is_none_or(|peak| peak < 16_000), "{peak:?} KiB");
    }
}
