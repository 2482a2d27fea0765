//! Upstreams that die, hang, flood and change.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{ByteStream, Client, ClientBuilder};
use mcp_gateway::{Gateway, Upstream};
use mcp_server::middleware::{Middleware, Next, Outcome, Request};
use mcp_server::types::{LoggingLevel, Revision, ToolsCapability};
use mcp_server::{AnyRequest, AnyResult, Context, HandlerError, Server, ToolDef};
use serde_json::value::RawValue;

use crate::support::{Count, at, client, connect, gateway, soon};

fn named(name: &'static str) -> Server {
    let builder =
        Server::builder(name, "1").tool("name", "Returns the name", move || async move { name });
    builder.build().expect("the definition is valid")
}

/// An upstream whose connections can be refused and cut.
fn unreliable(name: &str, server: &Server, is_up: &Arc<AtomicBool>) -> Upstream {
    let (server, is_up) = (server.clone(), Arc::clone(is_up));
    Upstream::new(name, move |builder: ClientBuilder| {
        let (server, is_up) = (server.clone(), Arc::clone(&is_up));
        async move {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            if is_up.load(Ordering::SeqCst) {
                let serving = async move { server.serve(mcp_server::ByteStream::of(theirs)).await };
                let serving = tokio::spawn(serving);
                tokio::spawn(async move {
                    while is_up.load(Ordering::SeqCst) {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                    serving.abort();
                });
            } else {
                drop(theirs);
            }
            builder.connect(ByteStream::of(ours)).await
        }
    })
}

#[tokio::test]
async fn error_of_a_list_has_its_code_once() {
    let is_up = Arc::new(AtomicBool::new(false));
    let gateway = gateway([
        unreliable("a", &named("a"), &is_up),
        unreliable("b", &named("b"), &is_up),
    ])
    .await;
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let client = client(&gateway, revision).await;
        let error = soon(client.tools().all()).await.expect_err("down");
        let error = error.to_string();
        assert_eq!(error.matches("(-32603)").count(), 1, "{error}");
    }
}

#[tokio::test]
async fn upstream_that_dies_is_left_out_and_comes_back() {
    let is_up = Arc::new(AtomicBool::new(true));
    let gateway = gateway([
        unreliable("a", &named("a"), &is_up),
        at("b", Revision::LATEST, &named("b")),
    ])
    .await;
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let client = client(&gateway, revision).await;
        assert_eq!(
            soon(client.call_tool("a_name")).await.expect("up").text(),
            "a"
        );
        is_up.store(false, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(50)).await;
        let error = soon(client.call_tool("a_name")).await.expect_err("down");
        assert!(error.to_string().contains("behind the gateway"), "{error}");
        assert_eq!(
            soon(client.call_tool("b_name")).await.expect("up").text(),
            "b"
        );
        assert_eq!(
            soon(client.tools().all())
                .await
                .expect("listed")
                .items
                .len(),
            1
        );
        is_up.store(true, Ordering::SeqCst);
        let again = async {
            loop {
                if let Ok(result) = client.call_tool("a_name").await {
                    return result.text();
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        assert_eq!(soon(again).await, "a");
    }
}

#[tokio::test]
async fn upstream_that_hangs_costs_its_time_only() {
    let hang = Server::builder("hang", "1").tool("hang", "Hangs", async || {
        std::future::pending::<()>().await;
        "never"
    });
    let hang = hang.build().expect("valid");
    let gateway = gateway([
        at("a", Revision::V2025_11_25, &hang).limits(|limits| {
            limits.call_time = Duration::from_millis(200);
        }),
        at("b", Revision::LATEST, &named("b")),
    ])
    .await;
    let client = client(&gateway, Revision::LATEST).await;
    let call = tokio::spawn(client.call_tool("a_hang").into_future());
    assert_eq!(
        soon(client.call_tool("b_name")).await.expect("up").text(),
        "b"
    );
    let error = soon(call).await.expect("no panic").expect_err("too slow");
    assert!(
        error.to_string().contains("did not answer in time"),
        "{error}"
    );
}

/// Never sets the level of log messages.
struct NoLevel;

impl Middleware for NoLevel {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        if request.method() == "logging/setLevel" {
            std::future::pending::<()>().await;
        }
        next.run(request).await
    }
}

#[tokio::test]
async fn upstream_that_sets_no_level_of_log_messages_is_called() {
    let server = Server::builder("quiet", "1").tool("name", "Returns the name", async || "quiet");
    let server = server.layer(NoLevel).build().expect("valid");
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let upstream = at("a", Revision::V2025_11_25, &server).limits(|limits| {
            limits.connect_time = Duration::from_millis(500);
        });
        let gateway = gateway([upstream]).await;
        let builder = Client::builder("test", "1").revision(revision);
        let client = connect(&gateway, builder.on_log(LoggingLevel::Info, |_| {})).await;
        let called = soon(client.call_tool("name")).await.expect("called");
        assert_eq!(called.text(), "quiet");
    }
}

#[tokio::test]
async fn changed_tools_are_listed_at_once() {
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let (first, second) = (named("first"), named("second"));
        let gateway = gateway([at("a", revision, &first), at("b", revision, &second)]).await;
        let client = client(&gateway, revision).await;
        assert_eq!(
            soon(client.tools().all())
                .await
                .expect("listed")
                .items
                .len(),
            2
        );
        let added = ToolDef::new("new")
            .description("New")
            .handler(async || "new");
        first.tools().add(added).expect("added");
        let listed = async {
            while client.tools().all().await.expect("listed").items.len() < 3 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        soon(listed).await;
    }
}

#[tokio::test]
async fn cancelled_call_is_cancelled_at_the_upstream() {
    struct Ended(Count);

    impl Drop for Ended {
        fn drop(&mut self) {
            self.0.add();
        }
    }

    for (of_client, of_upstream) in [
        (Revision::V2025_11_25, Revision::V2025_11_25),
        (Revision::LATEST, Revision::V2025_11_25),
        (Revision::V2025_11_25, Revision::LATEST),
        (Revision::LATEST, Revision::LATEST),
    ] {
        let (begun, ended) = (Count::default(), Count::default());
        let (noted, guarded) = (begun.clone(), ended.clone());
        let wait = move || {
            noted.add();
            let ended = Ended(guarded.clone());
            async move {
                let _ended = ended;
                std::future::pending::<()>().await;
                "never"
            }
        };
        let server = Server::builder("wait", "1").tool("wait", "Waits", wait);
        let gateway = gateway([at("a", of_upstream, &server.build().expect("valid"))]).await;
        let client = client(&gateway, of_client).await;
        let call = tokio::spawn(client.call_tool("wait").into_future());
        let until = async |count: &Count| {
            while count.get() == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        soon(until(&begun)).await;
        call.abort();
        soon(until(&ended)).await;
    }
}

#[tokio::test]
async fn flood_of_log_messages_does_not_stop_the_call() {
    let flood = async |cx: Context| -> Result<&'static str, HandlerError> {
        for number in 0..5_000 {
            cx.log(LoggingLevel::Error, "flood", number).await?;
        }
        Ok("done")
    };
    let server = Server::builder("flood", "1").tool("flood", "Floods", flood);
    let gateway = gateway([at(
        "a",
        Revision::V2025_11_25,
        &server.build().expect("valid"),
    )])
    .await;
    let client = client(&gateway, Revision::V2025_11_25).await;
    assert_eq!(
        soon(client.call_tool("flood"))
            .await
            .expect("called")
            .text(),
        "done"
    );
}

#[tokio::test]
async fn endless_list_is_cut_off() {
    let endless = async |_: AnyRequest, _: Context| -> Result<AnyResult, HandlerError> {
        let tool = r#"{"name":"t","inputSchema":{"type":"object"}}"#;
        let tools = vec![tool; 100].join(",");
        let page = format!(r#"{{"tools":[{tools}],"nextCursor":"again"}}"#);
        AnyResult::from_json(&RawValue::from_string(page)?)
    };
    let server = Server::builder("endless", "1")
        .capabilities(|capabilities| capabilities.tools(ToolsCapability::new()))
        .fallback(endless)
        .build()
        .expect("valid");
    let endless = at("a", Revision::V2025_11_25, &server).limits(|limits| limits.items = 250);
    let gateway = gateway([endless, at("b", Revision::LATEST, &named("b"))]).await;
    let client = client(&gateway, Revision::V2025_11_25).await;
    let listed = soon(client.tools().all()).await.expect("listed");
    assert_eq!(listed.items.len(), 251);
}

#[tokio::test]
async fn list_of_huge_items_is_cut_off() {
    let pages = Count::default();
    let counted = pages.clone();
    let endless = move |_: AnyRequest, _: Context| {
        counted.add();
        async move {
            let text = "x".repeat(1 << 20);
            let tool = format!(
                r#"{{"name":"t","description":"{text}","inputSchema":{{"type":"object"}}}}"#
            );
            let page = format!(r#"{{"tools":[{tool}],"nextCursor":"again"}}"#);
            AnyResult::from_json(&RawValue::from_string(page)?)
        }
    };
    let server = Server::builder("endless", "1")
        .capabilities(|capabilities| capabilities.tools(ToolsCapability::new()))
        .fallback(endless)
        .build()
        .expect("valid");
    let endless = at("a", Revision::V2025_11_25, &server).limits(|limits| limits.items = 40);
    let gateway = gateway([endless, at("b", Revision::LATEST, &named("b"))]).await;
    let client = client(&gateway, Revision::V2025_11_25).await;
    // The client may refuse a list of this size.
    let _ = soon(client.tools().all()).await;
    // It may be sent without this upstream, whose list goes on.
    let requested = async {
        while pages.get() < 8 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    soon(requested).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(pages.get(), 8);
}

#[tokio::test]
async fn methods_of_a_connection_do_not_reach_an_upstream() {
    let echo = async |_: AnyRequest| -> Result<AnyResult, HandlerError> {
        AnyResult::from_json(&serde_json::json!({}))
    };
    let server = Server::builder("echo", "1").fallback(echo);
    let server = server.build().expect("valid");
    for of_upstream in [Revision::V2025_11_25, Revision::LATEST] {
        let gateway = gateway([at("a", of_upstream, &server)]).await;
        let client = client(&gateway, Revision::LATEST).await;
        let request = async |method: &'static str| {
            let params = serde_json::json!({});
            soon(client.request_json(method, &params)).await
        };
        assert!(request("com.example/own").await.is_ok());
        for method in [
            "initialize",
            "ping",
            "logging/setLevel",
            "resources/subscribe",
        ] {
            let error = request(method).await.expect_err("refused");
            let expected = format!("no method `{method}`");
            assert!(error.to_string().contains(&expected), "{error}");
        }
    }
}

#[tokio::test]
async fn servers_that_are_left_out_are_in_the_status() {
    let reports = Arc::<Mutex<Vec<String>>>::default();
    let noted = Arc::clone(&reports);
    let gateway = Gateway::builder("gateway", "1")
        .changing()
        .leave_out_invalid()
        .on_report(move |report| noted.lock().expect("no panic").push(report.to_string()))
        .upstream(at("a b", Revision::LATEST, &named("a")))
        .upstream(at("a-b", Revision::LATEST, &named("b")))
        .upstream(at("日本", Revision::LATEST, &named("c")))
        .build();
    let gateway = gateway.await.expect("valid");
    gateway.leave_out("d", "the variable `D` is not set");
    let status = gateway.status();
    let faults: Vec<_> = status
        .iter()
        .map(|server| {
            (
                &*server.name,
                server.fault.as_ref().map(ToString::to_string),
            )
        })
        .collect();
    let [
        ("a b", None),
        ("a-b", Some(same)),
        ("d", Some(unset)),
        ("日本", Some(invalid)),
    ] = &*faults
    else {
        panic!("{faults:?}");
    };
    assert!(
        same.contains("same prefix") && invalid.contains("invalid"),
        "{faults:?}"
    );
    assert_eq!(unset, "is left out: the variable `D` is not set");
    assert_eq!(reports.lock().expect("no panic").len(), 3);
    let set = gateway
        .set_upstream(at("d", Revision::LATEST, &named("d")))
        .await;
    set.expect("valid");
    let client = client(&gateway, Revision::LATEST).await;
    let listed = soon(client.tools().all()).await.expect("listed").items;
    let names: Vec<_> = listed.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["a-b_name", "d_name"]);
    assert!(gateway.remove_upstream("d") && !gateway.remove_upstream("a-b"));
    assert_eq!(gateway.status().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_clients_leave_nothing_behind() {
    let server = named("a");
    let upstream = at("a", Revision::V2025_11_25, &server).limits(|limits| {
        limits.connections = 8;
    });
    let gateway = gateway([upstream]).await;
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let gateway = gateway.clone();
        clients.spawn(async move {
            let client = client(&gateway, Revision::LATEST).await;
            for _ in 0..5 {
                assert_eq!(
                    soon(client.call_tool("name")).await.expect("called").text(),
                    "a"
                );
            }
        });
    }
    while let Some(done) = clients.join_next().await {
        done.expect("no panic");
    }
    let [status] = &*gateway.status() else {
        panic!("one upstream");
    };
    assert!(status.connections <= 8, "{status:?}");
}
