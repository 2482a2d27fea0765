//! `mcp-client` and `mcp-server` with all proposals, over a byte stream and HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::types::{
    AnyResourceContents, ContentBlock, EmbeddedResource, GetResourceContents, Resource,
    ResourceType, Revision, SubscriptionFilter, TextResourceContents,
};
use mcp_client::{
    Cache, CallError, Client, ClientBuilder, Current, Http, Proposal, SubscriptionEvent,
};
use mcp_server::types::Annotations;
use mcp_server::{ListAt, ResourceDef, ResourcePage, Server};

use super::script::soon;
use crate::support::serve;

/// A text that changes, and a counter of its reads.
#[derive(Clone, Default)]
struct Note {
    edits: Arc<AtomicUsize>,
    reads: Arc<AtomicUsize>,
}

impl Note {
    fn edit(&self, server: &Server) {
        self.edits.fetch_add(1, Ordering::SeqCst);
        server.resource_updated("demo:note");
    }

    fn text(&self) -> String {
        format!("Edited {} times", self.edits.load(Ordering::SeqCst))
    }
}

fn server(note: &Note) -> Server {
    let (reading, describing) = (note.clone(), note.clone());
    let member = |name: &str| {
        Resource::new(format!("demo:all/{name}"), name)
            .kind("member")
            .resource_type(ResourceType::Document)
    };
    Server::builder("demo", "1.0.0")
        .proposals(Proposal::ALL.iter().copied())
        .add_resource(
            ResourceDef::new("demo:note", "note")
                .kind("note")
                .handler(move || {
                    reading.reads.fetch_add(1, Ordering::SeqCst);
                    let text = reading.text();
                    async move { text }
                })
                .describe(move |resource: Resource| {
                    let edits = describing.edits.load(Ordering::SeqCst);
                    async move { resource.version(edits.to_string()) }
                }),
        )
        .add_resource(
            ResourceDef::new("demo:all", "all")
                .collection()
                .handler(|| async {
                    let inside = TextResourceContents::new("demo:all/a", "A");
                    AnyResourceContents::from(inside)
                })
                .list(move |at: ListAt| async move {
                    match at.after.as_deref() {
                        None => ResourcePage::new([member("a")]).next("a"),
                        _ => ResourcePage::new([member("b")]),
                    }
                }),
        )
        .add_resource(ResourceDef::text("demo:motto", "motto", "Simple"))
        .tool("show", "Shows the note", || async {
            let contents = TextResourceContents::new("demo:motto", "Simple");
            let annotations = Annotations::new().last_modified("2026-01-02T03:04:05Z");
            let embedded = EmbeddedResource::new(contents).annotations(annotations);
            vec![ContentBlock::from(embedded)]
        })
        .build()
        .expect("the definition is valid")
}

fn speaking() -> ClientBuilder {
    Client::builder("test", "1.0.0").proposals(Proposal::ALL.iter().copied())
}

async fn over_a_stream(server: Server, builder: ClientBuilder) -> Client {
    let connected = builder.connect(serve(&server)).await;
    connected.expect("the server answers")
}

async fn over_http(server: &Server, builder: ClientBuilder) -> Client {
    let serving = server.clone().serve_http("127.0.0.1:0").expect("bound");
    let url = format!("http://{}/mcp", serving.local_addr());
    tokio::spawn(serving);
    let connected = builder.connect(Http::new(&url)).await;
    connected.expect("the server answers")
}

/// Returns a server, and a client for each transport.
async fn both(builder: ClientBuilder) -> [(Note, Server, Client); 2] {
    let note = Note::default();
    let streamed = server(&note);
    let client = over_a_stream(streamed.clone(), builder.clone()).await;
    let first = (note, streamed, client);
    let note = Note::default();
    let served = server(&note);
    let client = over_http(&served, builder).await;
    [first, (note, served, client)]
}

#[tokio::test]
async fn metadata_is_returned_without_reading() {
    for (note, _, client) in both(speaking()).await {
        let described = soon(client.read_resource_metadata("demo:note")).await;
        let resource = described.expect("metadata").resource;
        assert_eq!(resource.kind.as_deref(), Some("note"));
        assert_eq!(resource.version.as_deref(), Some("0"));
        assert_eq!(note.reads.load(Ordering::SeqCst), 0);
        let fault = soon(client.read_resource_metadata("demo:missing")).await;
        match fault {
            Err(CallError::Refused { source, .. }) => assert_eq!(source.code, -32602),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn collection_is_listed_and_read() {
    for (_, _, client) in both(speaking()).await {
        let members = client.resources_in("demo:all").expect("spoken");
        let members = soon(members.all()).await.expect("a list").items;
        let uris: Vec<_> = members.iter().map(|member| &*member.uri).collect();
        assert_eq!(uris, ["demo:all/a", "demo:all/b"]);
        let read = soon(client.read_resource("demo:all")).await;
        let read = read.expect("contents");
        let all = read
            .contents_of("demo:all")
            .of_type(ResourceType::Collection);
        let children: Vec<_> = all.children().map(AnyResourceContents::uri).collect();
        assert_eq!(children, ["demo:all/a"]);
        assert_eq!(all.warnings(), []);
        let read = soon(client.read_resource("demo:motto")).await;
        let read = read.expect("contents");
        match read.contents_of("demo:motto").primary() {
            Some(AnyResourceContents::Text(text)) => {
                assert_eq!(text.name.as_deref(), Some("motto"));
                assert_eq!(text.resource_type, Some(ResourceType::Document));
                assert_eq!(text.size, Some(6));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn filter_narrows_the_list_and_rejects_unknown_criteria() {
    for (_, _, client) in both(speaking()).await {
        let notes = client.resources_where([("kind", "note")]).expect("spoken");
        let notes = soon(notes.all()).await.expect("a list").items;
        let uris: Vec<_> = notes.iter().map(|note| &*note.uri).collect();
        assert_eq!(uris, ["demo:note"]);
        let unknown = client.resources_where([("colour", "red")]).expect("spoken");
        match soon(unknown.all()).await {
            Err(CallError::Refused { source, .. }) => {
                assert_eq!(source.code, -32602);
                assert!(source.message.contains("$.filter.colour"), "{source}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn unchanged_contents_are_not_sent_again() {
    for (note, server, client) in both(speaking()).await {
        let had = soon(client.get_resource("demo:note"))
            .await
            .expect("a note");
        let version = had.resource.version.expect("a version");
        let reads = note.reads.load(Ordering::SeqCst);
        let same = soon(client.get_resource("demo:note").unless(&*version)).await;
        assert_eq!(same.expect("no failure"), Current::NotModified);
        assert_eq!(note.reads.load(Ordering::SeqCst), reads, "nothing was read");
        note.edit(&server);
        let new = soon(client.get_resource("demo:note").unless(&*version)).await;
        let Ok(Current::Changed(new)) = new else {
            panic!("{new:?}");
        };
        assert_eq!(new.resource.version.as_deref(), Some("1"));
        match new.contents {
            GetResourceContents::Text(text) => assert_eq!(text.content, "Edited 1 times"),
            other => panic!("{other:?}"),
        }
        // The definition has no version.
        let motto = soon(client.get_resource("demo:motto"))
            .await
            .expect("a motto");
        let version = motto.resource.version.expect("a version of the contents");
        let same = soon(client.get_resource("demo:motto").unless(version)).await;
        assert_eq!(same.expect("no failure"), Current::NotModified);
    }
}

#[tokio::test]
async fn cached_contents_are_used_until_the_version_changes() {
    for (note, server, client) in both(speaking().cache(Cache::new())).await {
        let reads = || note.reads.load(Ordering::SeqCst);
        let get = async || {
            soon(client.get_resource("demo:note"))
                .await
                .expect("a note")
        };
        let read = async || {
            soon(client.read_resource("demo:note"))
                .await
                .expect("a note")
        };
        for edits in 0..2 {
            let before = reads();
            let text = format!("Edited {edits} times");
            let first = get().await;
            match &first.contents {
                GetResourceContents::Text(got) => assert_eq!(got.content, text),
                other => panic!("{other:?}"),
            }
            assert_eq!(get().await, first);
            assert_eq!(reads(), before + 1, "read once by `resources/get`");
            note.edit(&server);
        }
        // The results are stale at once, since the resource has no `ttlMs`.
        let text = read().await.text();
        assert_eq!(text, "Edited 2 times");
        let before = reads();
        assert_eq!(read().await.text(), text);
        assert_eq!(reads(), before);
        note.edit(&server);
        assert_eq!(read().await.text(), "Edited 3 times");
    }
}

#[tokio::test]
async fn change_notification_contains_the_resource() {
    for (note, server, client) in both(speaking()).await {
        let uris = ["demo:note".to_owned(), "demo:motto".to_owned()];
        let mut events = client.listen(SubscriptionFilter::new().resource_subscriptions(uris));
        let first = soon(events.next()).await;
        assert!(matches!(first, Some(Ok(SubscriptionEvent::Listening(_)))));
        // The next edit follows when the notification of the last one has arrived; then a burst.
        for edits in [1, 1, 1, 1, 1_000] {
            for _ in 0..edits {
                note.edit(&server);
            }
            let last = note.edits.load(Ordering::SeqCst);
            loop {
                match soon(events.next()).await {
                    Some(Ok(SubscriptionEvent::ResourceContentChanged(resource))) => {
                        assert_eq!(resource.uri, "demo:note");
                        let version = resource.version.expect("a version");
                        let version: usize = version.parse().expect("a number");
                        // The resource is described when it is sent, not when it changes.
                        assert!(version > last - edits && version <= last, "{version}");
                        // The content is readable when the notification arrives.
                        let read = soon(client.read_resource("demo:note")).await;
                        let text = read.expect("contents").text();
                        assert_eq!(text, format!("Edited {last} times"));
                        if version == last {
                            break;
                        }
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn proposals_are_invisible_without_opting_in_and_at_older_revisions() {
    let plain = Client::builder("test", "1.0.0");
    for builder in [plain, speaking().revision(Revision::V2025_11_25)] {
        for (note, server, client) in both(builder).await {
            assert!(!client.negotiated(Proposal::Sep2093));
            let uris = ["demo:note".to_owned()];
            let mut events = client.listen(SubscriptionFilter::new().resource_subscriptions(uris));
            let first = soon(events.next()).await;
            assert!(matches!(first, Some(Ok(SubscriptionEvent::Listening(_)))));
            note.edit(&server);
            match soon(events.next()).await {
                Some(Ok(SubscriptionEvent::ResourceUpdated(params))) => {
                    assert_eq!(params.uri, "demo:note");
                }
                other => panic!("{other:?}"),
            }
            let is_old = !client.revision().is_modern();
            let listed = soon(client.resources().all()).await.expect("a list").items;
            let note = listed.iter().find(|resource| resource.uri == "demo:note");
            let note = note.expect("it is listed");
            assert_eq!(note.kind.is_some(), !is_old, "an addition");
            let shown = soon(client.call_tool("show")).await.expect("a result");
            match shown.content.as_slice() {
                [ContentBlock::Resource(embedded)] => {
                    assert!(embedded.annotations.is_some(), "nothing is removed");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn negotiated_annotations_move_into_the_resource() {
    for (_, _, client) in both(speaking()).await {
        let shown = soon(client.call_tool("show").outcome()).await;
        let text = serde_json::to_value(shown.expect("a result")).expect("JSON");
        let block = &text["content"][0];
        assert_eq!(block.get("annotations"), None, "{block}");
        let annotations = &block["resource"]["annotations"];
        assert_eq!(annotations["lastModified"], "2026-01-02T03:04:05Z");
        // The annotations are also in their previous position.
        let shown = soon(client.call_tool("show")).await.expect("a result");
        match shown.content.as_slice() {
            [ContentBlock::Resource(embedded)] => assert!(embedded.annotations.is_some()),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn several_subscriptions_end_with_unsubscribe() {
    let note = Note::default();
    let server = server(&note);
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let builder = speaking()
        .on_notification::<mcp_client::types::ResourceContentChangedNotification>(move |params| {
            let _ = sender.send(params.resource.uri);
        });
    let client = over_a_stream(server.clone(), builder).await;
    let uris = ["demo:note", "demo:motto"];
    soon(client.subscribe_resources(uris)).await.expect("done");
    server.resource_updated("demo:motto");
    assert_eq!(soon(heard.recv()).await.as_deref(), Some("demo:motto"));
    note.edit(&server);
    assert_eq!(soon(heard.recv()).await.as_deref(), Some("demo:note"));
    let unsubscribed = soon(client.unsubscribe_resources(["demo:note"])).await;
    unsubscribed.expect("done");
    note.edit(&server);
    let motto = ResourceDef::text("demo:motto", "motto", "Another motto");
    server.resources().replace(motto).expect("a definition");
    assert_eq!(soon(heard.recv()).await.as_deref(), Some("demo:motto"));

    let client = over_http(&server, speaking()).await;
    match soon(client.subscribe_resources(uris)).await {
        Err(CallError::Refused { source, .. }) => {
            assert!(source.message.contains("subscriptions/listen"), "{source}");
        }
        other => panic!("{other:?}"),
    }
}
