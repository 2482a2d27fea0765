//! Tasks when a process ends or loses its store, or the store fails while another one takes over.
//!
//! The clock is paused: it advances when everything waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use mcp_server::types::StringSchema;
use mcp_server::{
    Context, Form, HandlerError, Limits, Memory, Put, PutOutcome, Server, ServerBuilder,
    StoreError, StoreFuture, TaskOptions, ToolDef, ValueStore, VersionedValue,
};
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::tasks::{accept, builder, connect, reach, start, update};

/// The time after which others have noticed that a process has ended.
const NOTICED: Duration = Duration::from_secs(50);

/// A store that processes share, as one of them sees it.
#[derive(Clone, Default)]
pub(super) struct Link {
    store: Memory,
    /// Whether the process cannot reach the store.
    is_cut: Arc<AtomicBool>,
    /// Whether the next write of a task is made, but not acknowledged.
    loses_acknowledgement: Arc<AtomicBool>,
    /// If set, the next takeover waits: the first is notified when it does, the second lets it go on.
    pause: Arc<std::sync::Mutex<Option<Pause>>>,
    delay: Duration,
}

type Pause = (Arc<Notify>, Arc<Notify>);

impl Link {
    pub(super) fn to(store: &Memory) -> Self {
        Self {
            store: store.clone(),
            ..Self::default()
        }
    }

    pub(super) fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::Relaxed);
    }

    async fn check(&self) -> Result<(), StoreError> {
        sleep(self.delay).await;
        if self.is_cut.load(Ordering::Relaxed) {
            return Err(StoreError::failed("cut"));
        }
        Ok(())
    }
}

impl ValueStore for Link {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>> {
        Box::pin(async move {
            self.check().await?;
            self.store.get(key).await
        })
    }

    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome> {
        Box::pin(async move {
            self.check().await?;
            if put.key.starts_with("task-of:") {
                let pause = self.pause.lock().unwrap().take();
                if let Some((paused, proceed)) = pause {
                    paused.notify_one();
                    proceed.notified().await;
                }
            }
            let outcome = self.store.put(put).await;
            if put.key.starts_with("task:")
                && self.loses_acknowledgement.swap(false, Ordering::Relaxed)
            {
                return Err(StoreError::failed("not acknowledged"));
            }
            outcome
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            self.check().await?;
            self.store.remove(key).await
        })
    }

    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>> {
        Box::pin(async move {
            self.check().await?;
            self.store.keys(group, most).await
        })
    }
}

/// Starts a process with the tools of [`without_bus`].
pub(super) fn process(link: &Link, starts: &Arc<AtomicU32>, options: TaskOptions) -> Server {
    let bus = Arc::new(link.store.clone());
    let builder = without_bus(link, starts, options).bus(bus);
    builder.build().unwrap()
}

/// Returns a process with tools that ask, at once or later, and that wait. `starts` counts the starts of
/// handlers.
pub(super) fn without_bus(
    link: &Link,
    starts: &Arc<AtomicU32>,
    options: TaskOptions,
) -> ServerBuilder {
    let [asking, preparing, waiting] = [(); 3].map(|()| Arc::clone(starts));
    let ask = move |cx: Context| {
        asking.fetch_add(1, Ordering::Relaxed);
        async move {
            let form = Form::new("Which?").required("which", StringSchema::new());
            let answer = cx.elicit(form).key("which").await?.accepted();
            Ok::<_, HandlerError>(answer.map_or("none", |_| "chosen").to_owned())
        }
    };
    let prepare = move |cx: Context| {
        preparing.fetch_add(1, Ordering::Relaxed);
        async move {
            cx.progress(1, Some(2.0), "preparing").await?;
            sleep(Duration::from_secs(5)).await;
            let form = Form::new("Which?").required("which", StringSchema::new());
            cx.elicit(form).key("which").await?;
            Ok::<_, HandlerError>("prepared")
        }
    };
    let wait = move || {
        waiting.fetch_add(1, Ordering::Relaxed);
        sleep(Duration::from_secs(50))
    };
    builder(ToolDef::new("ask").handler(ask).as_task(options))
        .add_tool(ToolDef::new("prepare").handler(prepare).as_task(options))
        .add_tool(ToolDef::new("wait").handler(wait).as_task(options))
        .value_store(Arc::new(link.clone()))
        .limits(Limits::default().grace_time(Duration::from_secs(60)))
}

#[tokio::test(start_paused = true)]
async fn outage_of_the_store_ends_no_task_of_a_running_process() {
    let (store, starts) = (Memory::new(), Arc::default());
    let links = [Link::to(&store), Link::to(&store)];
    let [one, two] = links
        .each_ref()
        .map(|link| process(link, &starts, TaskOptions::new()));
    let (mut one, mut two) = (connect(&one), connect(&two));
    let id = start(&mut one, "ask").await;
    reach(&mut two, &id, "input_required").await;
    for link in &links {
        link.cut(true);
    }
    sleep(NOTICED).await;
    // The other process is the first that reaches the store again.
    links[1].cut(false);
    sleep(Duration::from_secs(9)).await;
    links[0].cut(false);
    sleep(NOTICED).await;
    reach(&mut two, &id, "input_required").await;
    let answer = json!({ "which": accept(json!({ "which": "tea" })) });
    update(&mut two, &id, answer).await;
    reach(&mut one, &id, "completed").await;
    assert_eq!(starts.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn answer_during_a_takeover_loses_no_task() {
    let (store, starts) = (Memory::new(), Arc::default());
    let links = [Link::to(&store), Link::to(&store)];
    let again = TaskOptions::new().run_again(1);
    let [one, two] = links.each_ref().map(|link| process(link, &starts, again));
    let (mut one, mut two) = (connect(&one), connect(&two));
    let id = start(&mut one, "ask").await;
    reach(&mut two, &id, "input_required").await;
    links[0].cut(true);
    let pause = Pause::default();
    *links[1].pause.lock().unwrap() = Some(pause.clone());
    pause.0.notified().await;
    let answer = json!({ "which": accept(json!({ "which": "tea" })) });
    update(&mut two, &id, answer).await;
    pause.1.notify_one();
    let ended = reach(&mut two, &id, "completed").await;
    assert_eq!(ended["result"]["content"][0]["text"], "chosen", "{ended}");
}

/// The handler that was started again has not asked yet when the client answers.
#[tokio::test(start_paused = true)]
async fn answer_between_a_takeover_and_the_question_is_not_lost() {
    let (store, starts) = (Memory::new(), Arc::default());
    let links = [Link::to(&store), Link::to(&store)];
    let again = TaskOptions::new().run_again(1);
    let [one, two] = links.each_ref().map(|link| process(link, &starts, again));
    let (mut one, mut two) = (connect(&one), connect(&two));
    let id = start(&mut one, "prepare").await;
    reach(&mut two, &id, "input_required").await;
    links[0].cut(true);
    while starts.load(Ordering::Relaxed) < 2 {
        sleep(Duration::from_millis(100)).await;
    }
    // The report of progress has been stored.
    sleep(Duration::from_secs(2)).await;
    let answer = json!({ "which": accept(json!({ "which": "tea" })) });
    update(&mut two, &id, answer).await;
    reach(&mut two, &id, "completed").await;
}

#[tokio::test(start_paused = true)]
async fn refused_call_never_runs_even_if_the_store_has_its_task() {
    let (store, starts) = (Memory::new(), Arc::default());
    let links = [Link::to(&store), Link::to(&store)];
    let again = TaskOptions::new().run_again(1);
    let [one, _two] = links.each_ref().map(|link| process(link, &starts, again));
    let mut client = connect(&one);
    links[0]
        .loses_acknowledgement
        .store(true, Ordering::Relaxed);
    let call = json!({ "name": "wait", "arguments": {} });
    assert_eq!(client.error("tools/call", call).await.0, -32603);
    sleep(Duration::from_secs(1)).await;
    links[0].cut(true);
    sleep(2 * NOTICED).await;
    assert_eq!(starts.load(Ordering::Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn takeover_that_is_not_acknowledged_loses_no_task() {
    let (store, starts) = (Memory::new(), Arc::default());
    let links = [Link::to(&store), Link::to(&store)];
    let again = TaskOptions::new().run_again(1);
    let [one, two] = links.each_ref().map(|link| process(link, &starts, again));
    let (mut one, mut two) = (connect(&one), connect(&two));
    let id = start(&mut one, "wait").await;
    links[0].cut(true);
    links[1]
        .loses_acknowledgement
        .store(true, Ordering::Relaxed);
    sleep(NOTICED).await;
    reach(&mut two, &id, "completed").await;
    assert_eq!(starts.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn process_that_takes_over_many_tasks_still_runs() {
    const TASKS: u32 = 80;
    let (store, starts) = (Memory::new(), Arc::default());
    let slow = Link {
        delay: Duration::from_millis(200),
        ..Link::to(&store)
    };
    let links = [Link::to(&store), slow];
    let again = TaskOptions::new().run_again(5);
    let [one, two] = links.each_ref().map(|link| process(link, &starts, again));
    let mut one = connect(&one);
    let mut ids = Vec::new();
    for _ in 0..TASKS {
        ids.push(start(&mut one, "ask").await);
    }
    links[0].cut(true);
    // The slow process is taking over the tasks when this one begins to look for some.
    while starts.load(Ordering::Relaxed) < TASKS + 1 {
        sleep(Duration::from_millis(100)).await;
    }
    let three = process(&Link::to(&store), &starts, again);
    sleep(2 * NOTICED).await;
    let mut two = connect(&two);
    for id in &ids {
        reach(&mut two, id, "input_required").await;
    }
    assert_eq!(starts.load(Ordering::Relaxed), 2 * TASKS);
    drop(three);
}

#[tokio::test(start_paused = true)]
async fn tasks_stay_with_their_process_for_the_grace_time() {
    let (store, starts) = (Memory::new(), Arc::default());
    let links = [Link::to(&store), Link::to(&store)];
    let again = TaskOptions::new().run_again(1);
    let [one, two] = links.each_ref().map(|link| process(link, &starts, again));
    let (mut client, mut other) = (connect(&one), connect(&two));
    let began = Instant::now();
    let id = start(&mut client, "wait").await;
    one.shutdown();
    reach(&mut other, &id, "completed").await;
    assert_eq!(began.elapsed().as_secs(), 50);
    assert_eq!(starts.load(Ordering::Relaxed), 1);
}
