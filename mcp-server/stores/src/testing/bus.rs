//! Messages between processes.

use std::sync::Arc;
use std::time::Duration;

use mcp_server::{BusPage, Store};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::steps::{
    Handles, WAITING_TIME, WAKE_TIME, check as expect, check_waited, done, odd_bytes, within,
};

/// The maximum number of messages of a page: "some hundred".
const PAGE: usize = 1_000;
/// The maximum size of a page in bytes: "about 4 MiB", and the message that makes it larger.
const PAGE_BYTES: usize = 8 << 20;
/// The number of processes and tasks that publish at the same time.
const PUBLISHERS: usize = 8;
/// The number of messages of each.
const MESSAGES: usize = 150;

pub(super) async fn check<S: Store>(handles: Handles<S>) {
    one_publisher(&handles).await;
    waiting(&handles).await;
    many_publishers(&handles).await;
}

/// Returns the end of the log.
async fn end<S: Store>(step: &str, store: &S) -> String {
    let page = within(Duration::from_secs(2), step, store.receive(None)).await;
    expect(step, &page.messages, &Vec::new());
    expect(
        &format!("{step}: were messages missed"),
        &page.missed,
        &false,
    );
    page.position
}

fn check_page(step: &str, page: &BusPage) {
    expect(
        &format!("{step}: were messages missed"),
        &page.missed,
        &false,
    );
    let number = page.messages.len();
    assert!(
        number <= PAGE,
        "{step}: the store returned a page of {number} messages, expected some hundred at most"
    );
    let bytes: usize = page.messages.iter().map(Vec::len).sum();
    assert!(
        bytes <= PAGE_BYTES,
        "{step}: the store returned a page of {bytes} bytes, expected about 4 MiB at most"
    );
}

/// Receives this many messages after a position. Returns them, and the position after them.
async fn receive<S: Store>(
    step: &str,
    store: &S,
    mut position: String,
    number: usize,
) -> (Vec<Vec<u8>>, String) {
    let mut messages = Vec::new();
    while messages.len() < number {
        let page = within(WAKE_TIME * 2, step, store.receive(Some(&position))).await;
        check_page(step, &page);
        messages.extend(page.messages);
        position = page.position;
    }
    (messages, position)
}

async fn one_publisher<S: Store>(Handles { a, b }: &Handles<S>) {
    let step = "`receive` without a position";
    let (at_a, at_b) = (end(step, &**a).await, end(step, &**b).await);

    let step = "`receive` of the messages of one publisher";
    let mut sent: Vec<Vec<u8>> = (0..20_u8).map(|at| vec![at]).collect();
    sent.extend([Vec::new(), odd_bytes(256), odd_bytes(64 << 10)]);
    for message in &sent {
        done(step, a.publish(message)).await;
    }
    let (received, after_all) = receive(step, &**a, at_a.clone(), sent.len()).await;
    expect(step, &received, &sent);
    let (received, _) = receive(step, &**b, at_b, sent.len()).await;
    expect(step, &received, &sent);

    let step = "`receive` of the same position again";
    let (received, _) = receive(step, &**a, at_a, sent.len()).await;
    expect(step, &received, &sent);
    let step = "`receive` of a position after other messages";
    done(step, b.publish(b"later")).await;
    let (received, after_later) = receive(step, &**a, after_all, 1).await;
    expect(step, &received, &vec![b"later".to_vec()]);

    let step = "`receive` of large messages";
    let large: Vec<Vec<u8>> = (0..12_u8).map(|at| vec![at; 1 << 20]).collect();
    for message in &large {
        done(step, a.publish(message)).await;
    }
    let (received, _) = receive(step, &**a, after_later, large.len()).await;
    expect(step, &received, &large);
}

async fn waiting<S: Store>(Handles { a, b }: &Handles<S>) {
    let step = "`receive` without new messages";
    let position = end(step, &**b).await;
    let started = Instant::now();
    let page = within(WAITING_TIME, step, b.receive(Some(&position))).await;
    expect(step, &page.messages, &Vec::new());
    check_page(step, &page);
    check_waited(step, started, Duration::from_secs(1));

    let step = "`receive` after a call that was dropped while it waited";
    let gave_up = timeout(Duration::from_millis(300), b.receive(Some(&page.position))).await;
    assert!(
        gave_up.is_err(),
        "{step}: the store returned without a message"
    );
    done(step, a.publish(b"while away")).await;
    let (received, position) = receive(step, &**b, page.position, 1).await;
    expect(step, &received, &vec![b"while away".to_vec()]);

    let step = "`receive` that waits while another handle publishes";
    let store = Arc::clone(b);
    let reader = tokio::spawn(async move {
        let page = within(WAITING_TIME, step, store.receive(Some(&position))).await;
        (page.messages, Instant::now())
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    done(step, a.publish(b"wakes")).await;
    let published = Instant::now();
    match reader.await {
        Ok((messages, received)) => {
            expect(step, &messages, &vec![b"wakes".to_vec()]);
            let took = received.saturating_duration_since(published);
            assert!(
                took < WAKE_TIME,
                "{step}: received after {took:?}, expected {WAKE_TIME:?}"
            );
        }
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Checks that readers who were away receive everything, in the same order, and in order of each
/// publisher.
async fn many_publishers<S: Store>(handles: &Handles<S>) {
    let step = "`receive` of the messages of many publishers";
    let (at_a, at_b) = (end(step, &*handles.a).await, end(step, &*handles.b).await);
    let mut publishers = JoinSet::new();
    for publisher in 0..PUBLISHERS {
        let store = handles.either(publisher);
        publishers.spawn(async move {
            for at in 0..MESSAGES {
                let message = format!("{publisher} {at}");
                done(step, store.publish(message.as_bytes())).await;
            }
        });
    }
    publishers.join_all().await;
    let (received, _) = receive(step, &*handles.a, at_a, PUBLISHERS * MESSAGES).await;
    let (same, _) = receive(step, &*handles.b, at_b, PUBLISHERS * MESSAGES).await;
    let is_equal = received == same;
    expect(
        &format!("{step}: do both readers get the same order"),
        &is_equal,
        &true,
    );
    for publisher in 0..PUBLISHERS {
        let prefix = format!("{publisher} ");
        let texts = received.iter().map(|it| String::from_utf8_lossy(it));
        let of_publisher: Vec<String> = texts
            .filter_map(|text| text.strip_prefix(&prefix).map(str::to_owned))
            .collect();
        let expected: Vec<String> = (0..MESSAGES).map(|at| at.to_string()).collect();
        expect(step, &of_publisher, &expected);
    }
}
