//! A task in each of its states when its process is killed.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::TAKEN_OVER;
use super::calls::{Caller, text};
use super::orders::Orders;
use crate::cluster::processes::Cluster;

/// The time within which a task reaches the state that is tested.
const REACHED: Duration = Duration::from_secs(10);

/// A state of a task.
struct State {
    name: &'static str,
    tool: &'static str,
    arguments: Value,
    /// Brings the task into the state.
    reach: fn(&Caller, &str, &Orders) -> Result<()>,
    /// What the client does at another process while that of the task does not see it.
    act: fn(&Caller, &str) -> Result<()>,
    /// What holds after the process was killed.
    verify: fn(&Caller, &str, &Orders) -> Result<()>,
}

/// Tasks in all states.
pub(super) struct States(Vec<(State, String)>);

/// What was found.
pub(super) struct Verified {
    pub(super) count: usize,
    pub(super) time: Duration,
    pub(super) failed: Vec<String>,
}

fn states() -> [State; 10] {
    let nothing = |_: &Caller, _: &str| Ok(());
    let computing = json!({"seconds": 60});
    [
        State {
            name: "working",
            tool: "slow_compute",
            arguments: json!({"seconds": 8, "label": "it"}),
            reach: |caller, id, _| status(caller, id, "working"),
            act: nothing,
            verify: |caller, id, _| completed(caller, id, "computed it in 8 s"),
        },
        State {
            name: "may not run again",
            tool: "order_or_fail",
            arguments: json!({"during": 0, "after": 60}),
            reach: |caller, id, _| ordered(caller, id),
            act: nothing,
            verify: |caller, id, _| {
                let task = caller.ended(id, TAKEN_OVER)?;
                let why = task["error"]["message"].as_str().unwrap_or_default();
                ensure!(
                    task["status"] == "failed" && why.contains("process"),
                    "{task}"
                );
                Ok(())
            },
        },
        State {
            name: "in a step",
            tool: "order",
            arguments: json!({"during": 20, "after": 0}),
            reach: |_, id, orders| orders.placed(&[id.to_owned()]),
            act: nothing,
            verify: |caller, id, orders| order(caller, id, orders, 2),
        },
        State {
            name: "after a step",
            tool: "order",
            arguments: json!({"during": 0, "after": 8}),
            reach: |caller, id, _| ordered(caller, id),
            act: nothing,
            verify: |caller, id, orders| order(caller, id, orders, 1),
        },
        State {
            name: "asks, is answered after the takeover",
            tool: "confirm_delete",
            arguments: json!({"filename": "a"}),
            reach: |caller, id, _| open(caller, id, &["confirm"]),
            act: nothing,
            verify: |caller, id, _| {
                taken_over(caller, id)?;
                open(caller, id, &["confirm"])?;
                confirm(caller, id)?;
                completed(caller, id, "deleted a")
            },
        },
        State {
            name: "asks, is answered before the takeover",
            tool: "confirm_delete",
            arguments: json!({"filename": "b"}),
            reach: |caller, id, _| open(caller, id, &["confirm"]),
            act: nothing,
            verify: |caller, id, _| {
                open(caller, id, &["confirm"])?;
                confirm(caller, id)?;
                completed(caller, id, "deleted b")
            },
        },
        State {
            name: "answered, not read",
            tool: "confirm_delete",
            arguments: json!({"filename": "c"}),
            reach: |caller, id, _| open(caller, id, &["confirm"]),
            act: confirm,
            verify: |caller, id, _| completed(caller, id, "deleted c"),
        },
        State {
            name: "one of two answers read",
            tool: "multi_input",
            arguments: json!({}),
            reach: |caller, id, _| {
                open(caller, id, &["name", "sure"])?;
                caller.answer(id, "name", &json!({"name": "Ada"}))?;
                thread::sleep(Duration::from_millis(500));
                open(caller, id, &["sure"])
            },
            act: nothing,
            verify: |caller, id, _| {
                taken_over(caller, id)?;
                open(caller, id, &["sure"])?;
                caller.answer(id, "sure", &json!({"confirm": true}))?;
                completed(caller, id, "2 answers")
            },
        },
        State {
            name: "cancelling",
            tool: "slow_compute",
            arguments: computing,
            reach: |caller, id, _| status(caller, id, "working"),
            act: Caller::cancel,
            verify: |caller, id, _| {
                let task = caller.ended(id, TAKEN_OVER)?;
                ensure!(task["status"] == "cancelled", "{task}");
                Ok(())
            },
        },
        State {
            name: "ended",
            tool: "slow_compute",
            arguments: json!({"seconds": 0, "label": "all"}),
            reach: |caller, id, _| status(caller, id, "completed"),
            act: nothing,
            verify: |caller, id, _| {
                ensure!(
                    text(&caller.get(id)?) == "computed all in 0 s",
                    "another result"
                );
                Ok(())
            },
        },
    ]
}

/// Starts a task for each state at the first process, and waits until they have reached it.
pub(super) fn prepare(cluster: &Cluster, orders: &Orders) -> Result<States> {
    let caller = Caller::new(&cluster.url_of(0));
    let mut tasks = Vec::new();
    for state in states() {
        let id = caller.start(state.tool, &state.arguments)?;
        tasks.push((state, id));
    }
    for (state, id) in &tasks {
        (state.reach)(&caller, id, orders).context(state.name)?;
    }
    Ok(States(tasks))
}

impl States {
    pub(super) fn act(&self, caller: &Caller) -> Result<()> {
        for (state, id) in &self.0 {
            (state.act)(caller, id).context(state.name)?;
        }
        Ok(())
    }

    /// Verifies each task in a thread.
    pub(super) fn verify(&self, urls: &[String], orders: &Orders, killed: Instant) -> Verified {
        let failed = thread::scope(|scope| {
            let threads: Vec<_> = (self.0.iter().zip(urls.iter().cycle()))
                .map(|((state, id), url)| {
                    let verify = move || (state.verify)(&Caller::new(url), id, orders);
                    (state.name, scope.spawn(verify))
                })
                .collect();
            let mut failed = Vec::new();
            for (name, thread) in threads {
                match thread.join() {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => failed.push(format!("{name}: {error:#}")),
                    Err(_) => failed.push(format!("{name}: panicked")),
                }
            }
            failed
        });
        Verified {
            count: self.0.len(),
            time: killed.elapsed(),
            failed,
        }
    }
}

fn status(caller: &Caller, id: &str, status: &str) -> Result<()> {
    caller.until(id, REACHED, |task| task["status"] == status)?;
    Ok(())
}

/// Waits until the step of an order is stored.
fn ordered(caller: &Caller, id: &str) -> Result<()> {
    caller.until(id, REACHED, |task| task["statusMessage"] == "ordered")?;
    Ok(())
}

/// Waits until exactly these questions are open.
fn open(caller: &Caller, id: &str, keys: &[&str]) -> Result<()> {
    let holds = |task: &Value| {
        let requests = task["inputRequests"].as_object();
        requests.is_some_and(|requests| requests.keys().eq(keys))
    };
    caller.until(id, REACHED, holds)?;
    Ok(())
}

/// Waits until another process runs a task, which changes its time.
fn taken_over(caller: &Caller, id: &str) -> Result<()> {
    let before = caller.get(id)?["lastUpdatedAt"].clone();
    caller.until(id, TAKEN_OVER, |task| task["lastUpdatedAt"] != before)?;
    thread::sleep(Duration::from_secs(1));
    Ok(())
}

fn confirm(caller: &Caller, id: &str) -> Result<()> {
    caller.answer(id, "confirm", &json!({"confirm": true}))
}

fn completed(caller: &Caller, id: &str, expected: &str) -> Result<()> {
    let task = caller.ended(id, TAKEN_OVER)?;
    ensure!(text(&task) == expected, "{task}");
    Ok(())
}

fn order(caller: &Caller, id: &str, orders: &Orders, attempts: usize) -> Result<()> {
    let task = caller.ended(id, TAKEN_OVER)?;
    orders.check(id, &task)?;
    let made = orders.attempts(id);
    ensure!(made == attempts, "the step ran {made} times");
    Ok(())
}
