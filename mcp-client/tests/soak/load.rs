//! Calls of all kinds, and their expected results.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::types::json::{Map, Object};
use mcp_client::types::{
    CallToolResult, ContentBlock, ElicitAction, ElicitResult, SubscriptionFilter,
};
use mcp_client::{CallError, Client, ClientBuilder, Limits, SubscriptionEvent};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::random::Random;

/// Longer than any successful operation.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(100);

/// The number of concurrent calls.
const TASKS: u64 = 32;

/// The results so far.
#[derive(Default)]
pub(crate) struct Score {
    next: AtomicU64,
    pub(crate) answered: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) given_up: AtomicU64,
    pub(crate) changes: AtomicU64,
}

impl Score {
    pub(crate) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn builder() -> ClientBuilder {
    let mut limits = Limits::default();
    limits.retry_first = Duration::from_millis(5);
    limits.retry_most = Duration::from_millis(50);
    Client::builder("soak", "1")
        .limits(limits)
        .on_elicit_form(|form| async move {
            let content = Map::from([("word", form.message)]);
            Ok(ElicitResult::new(ElicitAction::Accept).content(content))
        })
}

/// Makes calls from many tasks, alternating between both clients, until this number was answered.
pub(crate) async fn round(clients: &[Client], score: &Arc<Score>, seed: u64, answers: u64) {
    let until = score.answered() + answers;
    let mut tasks = JoinSet::new();
    let clients = clients.iter().cycle();
    for (task, client) in (0..TASKS).zip(clients) {
        let (client, score) = (client.clone(), Arc::clone(score));
        let mut random = Random::new(seed.wrapping_mul(1_000).wrapping_add(task));
        tasks.spawn(async move {
            while score.answered() < until {
                let kind = random.below(100);
                let call = one(&client, &score, &mut random, kind);
                let Ok(answered) = timeout(TIMEOUT, call).await else {
                    panic!("a call of the kind {kind} to {client:?} does not end");
                };
                if !answered {
                    // The server is not running.
                    sleep(Duration::from_millis(random.below(5))).await;
                }
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.expect("no panic");
    }
}

/// Makes a call of a random kind. Returns `true` if it was answered.
async fn one(client: &Client, score: &Score, random: &mut Random, kind: u64) -> bool {
    let number = score.next.fetch_add(1, Ordering::Relaxed).to_string();
    let ended = match kind {
        0..35 => say(client, "echo", &number).await,
        35..50 => say(client, "late", &number).await,
        50..62 => talk(client, &number).await,
        62..72 => say(client, "ask", &number).await,
        72..80 => pages(client).await,
        80..86 => {
            late(client, score, random).await;
            return true;
        }
        86..96 => {
            dropped(client, score, random, &number).await;
            return true;
        }
        _ => watch(client, score, &number).await,
    };
    match ended {
        Ok(()) => count(&score.answered),
        Err(CallError::Lost { .. }) => {
            count(&score.failed);
            return false;
        }
        Err(error) => panic!("{number}: {error} ({error:?})"),
    }
    true
}

fn text(result: &CallToolResult) -> &str {
    match result.content.as_slice() {
        [ContentBlock::Text(content)] => &content.text,
        other => panic!("{other:?}"),
    }
}

async fn say(client: &Client, tool: &str, number: &str) -> Result<(), CallError> {
    let arguments = Object::from([("text", number)]);
    let result = client.call_tool(tool).arguments(arguments).await?;
    assert_eq!(text(&result), number, "{tool}");
    Ok(())
}

async fn talk(client: &Client, number: &str) -> Result<(), CallError> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let inbox = Arc::clone(&heard);
    let arguments = Object::from([("text", number)]);
    let call = client.call_tool("talk").arguments(arguments);
    let call = call.on_progress(move |progress| {
        let message = progress.message.unwrap_or_default();
        inbox.lock().expect("fine").push(message);
    });
    let result = call.await?;
    assert_eq!(text(&result), number);
    let heard = heard.lock().expect("fine");
    assert!(
        heard.iter().all(|heard| heard == number),
        "{heard:?} for {number}"
    );
    // Of several waiting reports, the server sends only the last.
    assert!((1..=3).contains(&heard.len()), "{number}");
    Ok(())
}

async fn pages(client: &Client) -> Result<(), CallError> {
    let listed = client.tools().all().await?;
    assert_eq!((listed.items.len(), listed.faults.len()), (7, 0));
    Ok(())
}

/// A call that times out.
async fn late(client: &Client, score: &Score, random: &mut Random) {
    let time = Duration::from_millis(1 + random.below(20));
    match client.call_tool("never").timeout(time).await {
        Err(CallError::Timeout { .. }) => count(&score.given_up),
        Err(CallError::Lost { .. }) => count(&score.failed),
        other => panic!("{other:?}"),
    }
}

/// A call that is dropped.
async fn dropped(client: &Client, score: &Score, random: &mut Random, number: &str) {
    let time = Duration::from_millis(random.below(4));
    let tool = ["late", "ask", "never"][usize::try_from(random.below(3)).unwrap_or_default()];
    if tool == "never" {
        let call = client.call_tool(tool).into_future();
        if let Ok(ended) = timeout(time, call).await {
            ended.expect_err("it never answers");
        }
    } else if let Ok(Ok(())) = timeout(time, say(client, tool, number)).await {
        count(&score.answered);
    }
    count(&score.given_up);
}

/// A subscription and one notification, unless the server is killed meanwhile.
async fn watch(client: &Client, score: &Score, number: &str) -> Result<(), CallError> {
    // No URI is a prefix of another one.
    let uri = format!("soak:{number:0>9}");
    let filter = SubscriptionFilter::new().resource_subscriptions([uri.clone()]);
    let mut news = client.listen(filter);
    loop {
        match news.next().await.transpose()? {
            Some(SubscriptionEvent::Listening(_)) => break,
            Some(SubscriptionEvent::Interrupted { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
    say(client, "touch", &uri).await?;
    // After an interruption the notification may have been lost.
    match news.next().await.transpose()? {
        Some(SubscriptionEvent::ResourceUpdated(params)) => {
            assert_eq!(params.uri, uri);
            count(&score.changes);
        }
        Some(SubscriptionEvent::Interrupted { .. }) => {}
        other => panic!("{other:?}"),
    }
    Ok(())
}

/// Waits until the server has received all cancellations. A call fails if its server was killed
/// last.
pub(crate) async fn quiet(client: &Client) {
    let quiet = async {
        loop {
            match client.call_tool("there").await {
                Ok(result) if text(&result) == "0" => return,
                _ => sleep(Duration::from_millis(5)).await,
            }
        }
    };
    timeout(TIMEOUT, quiet)
        .await
        .expect("the receiver was dropped");
}
