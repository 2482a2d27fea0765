//! Restarts of processes that have exited.

use super::*;

#[tokio::test]
async fn server_that_exits_on_discover_is_restarted() {
    let lines = Lines::default();
    let process = subject(&["dies-of-questions"]).stderr(lines.stderr());
    let client = connect(process).await;
    assert_eq!(client.revision(), Revision::V2025_06_18);
    assert_eq!(lines.all(), ["expected a handshake"]);
    client.close().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn server_that_crashes_at_start_is_started_once() {
    for delay in ["", "sleep 0.2;"] {
        let lines = Lines::default();
        let script = format!("echo started >&2; {delay} echo no such key >&2; exit 7");
        let process = ChildProcess::new("sh").args(["-c", &script]);
        let process = process.stderr(lines.stderr());
        let error = builder().connect(process).await.expect_err("no server");
        let ConnectError::Call(error) = &error else {
            panic!("{error}");
        };
        let TransportError::Exited { status, stderr, .. } = transport_error(error) else {
            panic!("{error}");
        };
        assert_eq!(status.code(), Some(7));
        assert_eq!(stderr, "started\nno such key");
        assert_eq!(lines.all(), ["started", "no such key"]);
    }
}

#[tokio::test]
async fn subscription_survives_a_restart() {
    for revision in [Revision::LATEST, Revision::V2025_11_25] {
        let restart = Restart::new(1, LONG).delay(Duration::ZERO, Duration::ZERO);
        let process = subject(&[]).stderr(Stderr::Null).restart(restart);
        let client = builder().revision(revision).connect(process).await;
        let client = client.expect("connected");
        let mut news = client.listen(SubscriptionFilter::new().tools_list_changed(true));
        for again in [false, true] {
            let mut interrupted = false;
            loop {
                let event = timeout(LONG, news.next()).await.expect("news");
                match event
                    .expect("the connection still works")
                    .expect("the connection still works")
                {
                    SubscriptionEvent::Listening(_) => break,
                    SubscriptionEvent::Interrupted { .. } => interrupted = true,
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(interrupted, again);
            client.call_tool("change").await.expect("changed");
            let event = timeout(LONG, news.next()).await.expect("news");
            let event = event
                .expect("the connection still works")
                .expect("the connection still works");
            assert!(
                matches!(event, SubscriptionEvent::ToolListChanged),
                "{event:?}"
            );
            if !again {
                exit(&client, 1).await.expect_err("no answer");
            }
        }
    }
}

#[tokio::test]
async fn exited_process_is_restarted_if_configured() {
    let restart = Restart::new(2, LONG).delay(Duration::from_millis(1), Duration::from_millis(1));
    let client = connect(subject(&[]).stderr(Stderr::Null).restart(restart)).await;
    for _ in 0..2 {
        let before = pid(&client).await;
        let error = exit(&client, 1).await.expect_err("no answer");
        assert!(
            matches!(transport_error(&error), TransportError::Exited { .. }),
            "{error}"
        );
        assert_ne!(pid(&client).await, before);
    }
    // The number of restarts is exhausted.
    for error in [
        exit(&client, 5).await.expect_err("no answer"),
        client.tools().one_page().await.expect_err("no process"),
    ] {
        assert!(
            matches!(transport_error(&error), TransportError::Exited { status, .. } if status.code() == Some(5)),
            "{error}"
        );
    }
}

#[tokio::test]
async fn call_during_a_restart_times_out_and_close_does_not_wait() {
    let restart = Restart::new(1, LONG).delay(10 * LONG, 10 * LONG);
    let client = connect(subject(&[]).stderr(Stderr::Null).restart(restart)).await;
    exit(&client, 1).await.expect_err("no answer");
    let call = client.tools().one_page().timeout(Duration::from_millis(20));
    let error = call.await.expect_err("no process");
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
    let waits = tokio::spawn(client.tools().one_page().into_future());
    tokio::task::yield_now().await;
    timeout(LONG, client.close()).await.expect("at once");
    let error = waits.await.expect("no panic").expect_err("no process");
    assert!(
        matches!(transport_error(&error), TransportError::Closed),
        "{error}"
    );
}

#[tokio::test]
async fn unlimited_grace_waits_for_the_process() {
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&said);
    let stderr = Stderr::capture(move |line| heard.lock().expect("fine").push(line.to_owned()));
    let process = subject(&["after"]).stderr(stderr).grace(Duration::MAX);
    let restart = Restart::new(usize::MAX, Duration::MAX).delay(Duration::ZERO, Duration::MAX);
    let client = connect(process.restart(restart)).await;
    let pid = pid(&client).await;
    timeout(LONG, client.close()).await.expect("it ends");
    assert!(is_reaped(pid));
    // It exited by itself.
    assert_eq!(*said.lock().expect("fine"), ["served"]);
}
