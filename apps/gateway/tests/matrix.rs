//! Clients of each revision with upstreams of each revision.

use std::sync::{Arc, Mutex};

use mcp_client::Client;
use mcp_server::types::{
    BooleanSchema, CreateMessageRequestParams, CreateMessageResult, ElicitAction, ElicitResult,
    ElicitValue, LoggingLevel, Revision, Role, Root, SamplingMessage, SamplingMessageContentBlock,
    SubscriptionFilter, TextContent, json,
};
use mcp_server::{Context, Form, HandlerError, PromptDef, ResourceDef, Server, TemplateDef};

use crate::support::{Count, at, client, connect, gateway, soon};

/// A server with something of each kind. Counts how often its tools run.
fn everything(runs: &Count) -> Server {
    let (asked, sampled, rooted) = (runs.clone(), runs.clone(), runs.clone());
    let ask = move |cx: Context| {
        asked.add();
        async move {
            let mut answers = Vec::new();
            for question in ["first", "second"] {
                let form = Form::new(question).required("ok", BooleanSchema::new());
                answers.push(cx.elicit(form).await?.accepted().is_some());
            }
            Ok::<_, HandlerError>(format!("{answers:?}"))
        }
    };
    let sample = move |cx: Context| {
        sampled.add();
        async move {
            let text = SamplingMessageContentBlock::Text(TextContent::new("Hello"));
            let message = SamplingMessage::new(Role::User, text);
            let answer = cx
                .sample(CreateMessageRequestParams::new([message], 10))
                .await?;
            Ok::<_, HandlerError>(answer.model)
        }
    };
    let roots = move |cx: Context| {
        rooted.add();
        async move { Ok::<_, HandlerError>(cx.roots().await?.len().to_string()) }
    };
    let work = async |cx: Context| -> Result<&'static str, HandlerError> {
        cx.log(LoggingLevel::Error, "work", "working").await?;
        cx.progress(1, 2, "half").await?;
        Ok("worked")
    };
    let prompt = PromptDef::new("greet")
        .description("Greets")
        .handler(async || "Hello!");
    let note = ResourceDef::new("notes://one", "one").handler(async || "the first note");
    let notes = TemplateDef::new("notes://{name}/more", "more");
    let notes = notes.handler(|uri: mcp_server::ResourceUri| async move { uri.0 });
    Server::builder("everything", "1")
        .tool("ask", "Asks twice", ask)
        .tool("sample", "Asks a model", sample)
        .tool("roots", "Counts the roots", roots)
        .tool("work", "Works", work)
        .add_prompt(prompt)
        .add_resource(note)
        .add_resource_template(notes)
        .build()
        .expect("the definition is valid")
}

/// All pairs of revisions of a client and an upstream.
fn pairs() -> impl Iterator<Item = (Revision, Revision)> {
    let all = Revision::ALL.iter();
    all.flat_map(|of_client| {
        Revision::ALL
            .iter()
            .map(|of_upstream| (*of_client, *of_upstream))
    })
}

#[tokio::test]
async fn lists_calls_reads_and_prompts_pass_between_all_revisions() {
    for (of_client, of_upstream) in pairs() {
        let server = everything(&Count::default());
        let gateway = gateway([at("a", of_upstream, &server), at("b", of_upstream, &server)]).await;
        let client = client(&gateway, of_client).await;
        let pair = format!("{of_client} -> {of_upstream}");
        let tools = soon(client.tools().all()).await.expect(&pair);
        let names: Vec<&str> = tools.items.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names.len(), 8, "{pair}");
        assert!(
            names.contains(&"a_work") && names.contains(&"b_work"),
            "{pair}: {names:?}"
        );
        let worked = soon(client.call_tool("b_work")).await.expect(&pair);
        assert_eq!(worked.text(), "worked", "{pair}");
        let prompts = soon(client.prompts().all()).await.expect(&pair);
        assert_eq!(prompts.items[0].name, "a_greet", "{pair}");
        let prompt = soon(client.get_prompt("b_greet")).await.expect(&pair);
        assert_eq!(prompt.messages.len(), 1, "{pair}");
        let resources = soon(client.resources().all()).await.expect(&pair);
        assert_eq!(resources.items[1].uri, "b+notes://one", "{pair}");
        let read = soon(client.read_resource("b+notes://one"))
            .await
            .expect(&pair);
        assert!(
            json::to_string(&read)
                .expect("encoded")
                .contains("the first note"),
            "{pair}"
        );
        let read = soon(client.read_resource("a+notes://x/more"))
            .await
            .expect(&pair);
        let text = json::to_string(&read).expect("encoded");
        assert!(text.contains("a+notes://x/more"), "{pair}: {text}");
        let unknown = soon(client.call_tool("a_nothing")).await;
        assert!(unknown.is_err(), "{pair}");
        let unknown = soon(client.read_resource("a+other://one")).await;
        let code = if of_client.is_modern() {
            -32602
        } else {
            -32002
        };
        let unknown = unknown.expect_err(&pair);
        assert_eq!(unknown.code(), Some(code), "{pair}");
        let text = format!("{unknown:?}");
        assert!(text.contains("a+other://one"), "{pair}: {text}");
    }
}

/// Returns a client that answers questions, and counts them.
fn answering(revision: Revision, asked: &Count) -> mcp_client::ClientBuilder {
    let (forms, samples, roots) = (asked.clone(), asked.clone(), asked.clone());
    Client::builder("test", "1")
        .revision(revision)
        .on_elicit_form(move |_| {
            forms.add();
            async {
                let content = json::Map::from([("ok", ElicitValue::Boolean(true))]);
                Ok(ElicitResult::new(ElicitAction::Accept).content(content))
            }
        })
        .on_sample(move |_| {
            samples.add();
            async {
                let text = SamplingMessageContentBlock::Text(TextContent::new("Hi"));
                Ok(CreateMessageResult::new("model-7", Role::Assistant, text))
            }
        })
        .on_roots(move || {
            roots.add();
            async { Ok(vec![Root::new("file:///a"), Root::new("file:///b")]) }
        })
}

#[tokio::test]
async fn questions_pass_between_all_revisions_and_no_tool_of_an_older_one_runs_twice() {
    for (of_client, of_upstream) in pairs() {
        let pair = format!("{of_client} -> {of_upstream}");
        let (runs, asked) = (Count::default(), Count::default());
        let gateway = gateway([at("a", of_upstream, &everything(&runs))]).await;
        let client = connect(&gateway, answering(of_client, &asked)).await;
        let can_elicit = |revision: Revision| revision >= Revision::V2025_06_18;
        let called = soon(client.call_tool("ask")).await;
        if can_elicit(of_client) && can_elicit(of_upstream) {
            assert_eq!(called.expect(&pair).text(), "[true, true]", "{pair}");
            assert_eq!(asked.get(), 2, "{pair}");
        } else {
            let failed = called.map(|result| result.is_error == Some(true));
            assert!(failed.unwrap_or(true), "{pair}");
        }
        if !of_upstream.is_modern() {
            assert_eq!(runs.get(), 1, "{pair}");
        }
        for (tool, method, expected) in [
            ("sample", "sampling/createMessage", "model-7"),
            ("roots", "roots/list", "2"),
        ] {
            let answered = soon(client.call_tool(tool)).await;
            if both_have(method, of_client, of_upstream) {
                assert_eq!(answered.expect(&pair).text(), expected, "{pair}");
            } else {
                let failed = answered.map(|result| result.is_error == Some(true));
                assert!(failed.unwrap_or(true), "{pair}");
            }
        }
    }
}

/// Returns `true` if two revisions have a method: a later one may lack what is deprecated.
fn both_have(method: &str, client: Revision, upstream: Revision) -> bool {
    client.has_method(method) && upstream.has_method(method)
}

#[tokio::test]
async fn progress_and_log_messages_belong_to_their_call() {
    for (of_client, of_upstream) in pairs() {
        let pair = format!("{of_client} -> {of_upstream}");
        let gateway = gateway([at("a", of_upstream, &everything(&Count::default()))]).await;
        let logs = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&logs);
        let builder = Client::builder("test", "1").revision(of_client);
        let builder = builder.on_log(LoggingLevel::Info, move |log| {
            let text = json::to_string(&log.data).expect("encoded");
            noted.lock().expect("no panic").push(text);
        });
        let client = connect(&gateway, builder).await;
        let progress = Arc::<Mutex<Vec<Option<f64>>>>::default();
        let noted = Arc::clone(&progress);
        let call = client.call_tool("work").on_progress(move |report| {
            noted
                .lock()
                .expect("no panic")
                .push(report.progress.as_f64());
        });
        soon(call).await.expect(&pair);
        assert_eq!(*progress.lock().expect("no panic"), [Some(1.0)], "{pair}");
        let has_logs = both_have("notifications/message", of_client, of_upstream);
        let expected: &[&str] = if has_logs { &["\"working\""] } else { &[] };
        assert_eq!(*logs.lock().expect("no panic"), expected, "{pair}");
    }
}

#[tokio::test]
async fn changes_of_upstreams_reach_subscribers_of_all_revisions() {
    for (of_client, of_upstream) in pairs() {
        let pair = format!("{of_client} -> {of_upstream}");
        let server = everything(&Count::default());
        let other = everything(&Count::default());
        let gateway = gateway([at("a", of_upstream, &server), at("b", of_upstream, &other)]).await;
        let client = client(&gateway, of_client).await;
        // Makes the connection of the client's session.
        soon(client.call_tool("a_work")).await.expect(&pair);
        let filter = SubscriptionFilter::new()
            .tools_list_changed(true)
            .resource_subscriptions(vec!["a+notes://one".to_owned()]);
        let mut subscription = client.listen(filter);
        let mut seen = Vec::new();
        let seeing = async {
            while seen.len() < 3 {
                let event = subscription.next().await.expect("an event").expect(&pair);
                let name = match event {
                    mcp_client::SubscriptionEvent::Listening(_) => {
                        // The upstream may not have been subscribed to yet.
                        let server = server.clone();
                        tokio::spawn(async move {
                            for _ in 0..600 {
                                server.tools_changed();
                                server.resource_updated("notes://one");
                                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                            }
                        });
                        "listening".to_owned()
                    }
                    mcp_client::SubscriptionEvent::ToolListChanged => "tools".to_owned(),
                    mcp_client::SubscriptionEvent::ResourceUpdated(updated) => updated.uri,
                    other => panic!("{pair}: {other:?}"),
                };
                if !seen.contains(&name) {
                    seen.push(name);
                }
            }
        };
        let in_time = tokio::time::timeout(std::time::Duration::from_secs(20), seeing).await;
        assert!(in_time.is_ok(), "{pair}: {seen:?}");
        seen.sort();
        assert_eq!(seen, ["a+notes://one", "listening", "tools"], "{pair}");
    }
}
