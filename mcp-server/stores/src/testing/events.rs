//! The events of one stream.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcp_server::{EventPage, Store, StreamKey};
use tokio::time::{Instant, sleep, timeout};

use super::steps::{
    Handles, LONG, WAITING_TIME, WAKE_TIME, check as expect, check_waited, done, odd_bytes, within,
};

/// What a read should return or has returned: events, and whether the stream has ended.
pub(super) type Page = (Vec<(u64, Bytes)>, bool);

/// Returns a page of text messages.
pub(super) fn page(events: &[(u64, &'static str)], ended: bool) -> Page {
    let events = events.iter();
    let events = events.map(|&(number, text)| (number, Bytes::from_static(text.as_bytes())));
    (events.collect(), ended)
}

pub(super) fn returned(page: Option<EventPage>) -> Option<Page> {
    page.map(|page| (page.events, page.ended))
}

/// Panics unless a read returns this, without waiting.
pub(super) async fn expect_page<S: Store>(
    step: &str,
    store: &S,
    stream: StreamKey<'_>,
    after: u64,
    expected: Option<Page>,
) {
    let read = within(WAKE_TIME, step, store.read(stream, after)).await;
    expect(step, &returned(read), &expected);
}

pub(super) async fn append<S: Store>(
    step: &str,
    store: &S,
    stream: StreamKey<'_>,
    number: u64,
    message: Option<&'static str>,
) {
    let message = message.map(|text| Bytes::from_static(text.as_bytes()));
    done(step, store.append(stream, number, message, LONG)).await;
}

pub(super) async fn check<S: Store>(handles: Handles<S>) {
    order_and_end(&handles).await;
    waiting_readers(&handles).await;
    bounds(&handles).await;
    odd_messages(&handles).await;
}

async fn order_and_end<S: Store>(Handles { a, b }: &Handles<S>) {
    let stream = StreamKey {
        session: "events",
        stream: "order",
    };
    let step = "`read` of an unknown stream";
    expect_page(step, &**a, stream, 0, None).await;
    let step = "`about` of an unknown stream";
    expect(step, &within(WAKE_TIME, step, a.about(stream)).await, &None);

    let step = "`read` of the events of a stream at another handle";
    let about = odd_bytes(4_096);
    done(step, a.open(stream, &about, LONG)).await;
    let step = "`about` is what the first `open` was told";
    done(step, b.open(stream, b"other", LONG)).await;
    expect(
        step,
        &within(WAKE_TIME, step, b.about(stream)).await,
        &Some(about),
    );
    let step = "`read` of the events of a stream at another handle";
    append(step, &**a, stream, 1, Some("one")).await;
    expect_page(step, &**b, stream, 0, Some(page(&[(1, "one")], false))).await;
    append(step, &**b, stream, 2, Some("two")).await;
    append(step, &**a, stream, 3, Some("")).await;
    let all = [(1, "one"), (2, "two"), (3, "")];
    expect_page(step, &**a, stream, 0, Some(page(&all, false))).await;
    let step = "`read` after a number";
    expect_page(step, &**b, stream, 1, Some(page(&all[1..], false))).await;
    expect_page(step, &**b, stream, 2, Some(page(&all[2..], false))).await;

    let step = "`append` of a number that exists changes nothing";
    for number in 1..=3 {
        append(step, &**b, stream, number, Some("other")).await;
    }
    expect_page(step, &**a, stream, 0, Some(page(&all, false))).await;
    let step = "`open` of a stream that exists changes nothing";
    done(step, b.open(stream, b"", LONG)).await;
    expect_page(step, &**a, stream, 0, Some(page(&all, false))).await;

    let step = "the end of a stream";
    // Twice: the caller was interrupted and retries.
    for handle in [a, b] {
        append(step, &**handle, stream, 4, None).await;
    }
    expect_page(step, &**b, stream, 0, Some(page(&all, true))).await;
    expect_page(step, &**a, stream, 1, Some(page(&all[1..], true))).await;
    let step = "`read` at the end of a stream does not wait";
    expect_page(step, &**a, stream, 3, Some(page(&[], true))).await;
    let step = "`open` and `append` of a known number, after the end, change nothing";
    done(step, a.open(stream, b"", LONG)).await;
    append(step, &**a, stream, 2, Some("other")).await;
    expect_page(step, &**b, stream, 0, Some(page(&all, true))).await;
}

async fn waiting_readers<S: Store>(Handles { a, b }: &Handles<S>) {
    let stream = StreamKey {
        session: "events",
        stream: "waiting",
    };
    let step = "`read` of a stream without events";
    done(step, a.open(stream, b"", LONG)).await;
    let started = Instant::now();
    let read = within(WAITING_TIME, step, b.read(stream, 0)).await;
    expect(step, &returned(read), &Some(page(&[], false)));
    check_waited(step, started, Duration::from_secs(1));

    let step = "several readers that wait at two handles, and one that gave up";
    let spawn = |store: &Arc<S>| {
        let store = Arc::clone(store);
        tokio::spawn(
            async move { returned(within(WAITING_TIME, step, store.read(stream, 0)).await) },
        )
    };
    let readers = [spawn(b), spawn(b), spawn(a)];
    let gave_up = timeout(Duration::from_millis(300), b.read(stream, 0)).await;
    assert!(
        gave_up.is_err(),
        "{step}: the store returned without an event"
    );
    append(step, &**a, stream, 1, Some("one")).await;
    for reader in readers {
        let read = timeout(WAKE_TIME, reader).await;
        let read = read.unwrap_or_else(|_| panic!("{step}: not woken within {WAKE_TIME:?}"));
        let read = read.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        expect(step, &read, &Some(page(&[(1, "one")], false)));
    }
    let step = "a reader that waits while events are appended without pause";
    let (writer, count) = (Arc::clone(a), 50);
    let write = tokio::spawn(async move {
        for number in 2..=count {
            append(step, &*writer, stream, number, Some("next")).await;
        }
        append(step, &*writer, stream, count + 1, None).await;
    });
    let mut after = 1;
    loop {
        let read = within(WAKE_TIME * 2, step, b.read(stream, after)).await;
        let read = read.unwrap_or_else(|| panic!("{step}: the stream is unknown"));
        for (number, _) in read.events {
            expect(step, &number, &(after + 1));
            after = number;
        }
        if read.ended {
            break;
        }
    }
    expect(step, &after, &count);
    write
        .await
        .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
}

/// Checks that old events are removed first, and that the newest is always there.
async fn bounds<S: Store>(Handles { a, b }: &Handles<S>) {
    let stream = StreamKey {
        session: "large",
        stream: "large",
    };
    let step = "`append` of more than the store keeps";
    done(step, a.open(stream, b"", LONG)).await;
    let (count, message) = (400, Bytes::from(odd_bytes(16 << 10)));
    for number in 1..=count {
        done(step, a.append(stream, number, Some(message.clone()), LONG)).await;
    }
    let mut last = None;
    while last != Some(count) {
        let after = last.unwrap_or(0);
        let read = within(WAKE_TIME * 5, step, b.read(stream, after)).await;
        let read = read.unwrap_or_else(|| panic!("{step}: the stream is unknown"));
        assert!(
            !read.events.is_empty(),
            "{step}: the store returned no event after {after}, expected events up to {count}"
        );
        for (number, _) in read.events {
            expect(step, &number, &last.map_or(number, |last| last + 1));
            last = Some(number);
        }
    }
    let step = "`append` of an event of 1 MiB";
    let message = Bytes::from(odd_bytes(1 << 20));
    done(
        step,
        b.append(stream, count + 1, Some(message.clone()), LONG),
    )
    .await;
    let read = within(WAKE_TIME * 5, step, a.read(stream, count)).await;
    let is_there = read.is_some_and(|it| it.events == [(count + 1, message)]);
    expect(&format!("{step}: is it there"), &is_there, &true);
}

/// Checks that a message is returned as it was appended, and kept for its time.
async fn odd_messages<S: Store>(Handles { a, b }: &Handles<S>) {
    let step = "`read` of a stream whose time was extended by `append`";
    let kept = Duration::from_secs(2);
    for attempt in 0.. {
        let session = format!("odd {attempt}");
        let stream = StreamKey {
            session: &session,
            stream: "odd",
        };
        // On a busy machine, the stream may expire before it is extended.
        let mut is_late = false;
        let mut extended = Instant::now();
        done(step, a.open(stream, b"", kept)).await;
        for number in 1..=3 {
            sleep(kept * 6 / 10).await;
            let started = Instant::now();
            let message = Some(Bytes::from(odd_bytes(256)));
            done(step, a.append(stream, number, message, kept)).await;
            is_late |= extended.elapsed() >= kept;
            extended = started;
        }
        if is_late && attempt < 10 {
            continue;
        }
        let message = Bytes::from(odd_bytes(256));
        let expected = (1..=3).map(|number| (number, message.clone())).collect();
        expect_page(step, &**b, stream, 0, Some((expected, false))).await;
        return;
    }
}
