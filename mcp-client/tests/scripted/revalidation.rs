//! Cached contents are revalidated with their version, by the proposal `versioned-resources`.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::types::json::Object;
use mcp_client::types::{GetResourceContents, GetResourceResult, Proposal, Revision};
use mcp_client::{Cache, CallError, Client, Current};
use tokio::time::advance;

use super::fake::{FakeStream, text};

const ANNOUNCED: &str = r#"{"versioned-resources":{}}"#;
const NOT_FOUND: &str = r#""error":{"code":-32602,"message":"resource not found"}"#;
/// More than any response without contents.
const SMALL: usize = 200;
const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const NEARLY_A_DAY: Duration = Duration::from_secs(24 * 60 * 60 - 1);

/// What the server has, and the bytes of its responses.
struct State {
    version: usize,
    exists: bool,
    scope: &'static str,
    sent: usize,
}

#[derive(Clone)]
struct Resource(Arc<Mutex<State>>);

impl Resource {
    fn new(scope: &'static str) -> Self {
        Self(Arc::new(Mutex::new(State {
            version: 1,
            exists: true,
            scope,
            sent: 0,
        })))
    }

    fn change(&self) {
        self.0.lock().expect("no panic").version += 1;
    }

    fn remove(&self) {
        self.0.lock().expect("no panic").exists = false;
    }

    /// Returns the bytes of the responses since the last call.
    fn sent(&self) -> usize {
        std::mem::take(&mut self.0.lock().expect("no panic").sent)
    }

    /// Returns the contents of a version.
    fn contents(version: usize) -> String {
        format!("{version}: {}", "text ".repeat(2_000))
    }

    fn answer(&self, method: &str, params: &Object) -> String {
        let mut state = self.0.lock().expect("no panic");
        let State { version, scope, .. } = *state;
        let uri = text(params, "uri").unwrap_or_default();
        let contents = Self::contents(version);
        let answer = match method {
            "resources/get" | "resources/read" if !state.exists => NOT_FOUND.to_owned(),
            "resources/get" if text(params, "version") == Some(&version.to_string()) => {
                r#""error":{"code":304,"message":"Not Modified"}"#.to_owned()
            }
            "resources/get" => format!(
                r#""result":{{"resultType":"complete","resource":{{"uri":"{uri}","name":"a","version":"{version}"}},"contents":{{"contentType":"text/plain","content":"{contents}"}}}}"#
            ),
            "resources/read" => format!(
                r#""result":{{"resultType":"complete","ttlMs":1000,"cacheScope":"{scope}","contents":[{{"uri":"{uri}","version":"{version}","text":"{contents}"}}]}}"#
            ),
            _ => r#""result":{"resultType":"complete","content":[]}"#.to_owned(),
        };
        state.sent += answer.len();
        answer
    }

    async fn connect(&self, cache: Cache) -> FakeStream {
        self.connect_as(cache, ANNOUNCED, &[Proposal::VersionedResources])
            .await
    }

    /// Connects a client and a server that announce these proposals.
    async fn connect_as(
        &self,
        cache: Cache,
        server: &'static str,
        client: &[Proposal],
    ) -> FakeStream {
        let resource = self.clone();
        let answer = move |method: &str, params: &Object| resource.answer(method, params);
        let builder = Client::builder("test", "1.0.0").cache(cache);
        let builder = builder.proposals(client.iter().copied());
        FakeStream::announcing(server, Revision::LATEST, builder, answer).await
    }
}

/// Returns the requests since the last call: their methods and versions.
fn asked(fake: &mut FakeStream) -> Vec<(String, Option<String>)> {
    let asked = fake.asked().into_iter();
    let asked = asked.map(|(method, params)| {
        let version = text(&params, "version").map(str::to_owned);
        (method, version)
    });
    asked.collect()
}

fn request(method: &str, version: Option<&str>) -> (String, Option<String>) {
    (method.to_owned(), version.map(str::to_owned))
}

fn get(version: Option<&str>) -> (String, Option<String>) {
    request("resources/get", version)
}

fn read() -> (String, Option<String>) {
    request("resources/read", None)
}

async fn got(fake: &FakeStream) -> GetResourceResult {
    fake.client.get_resource("x:a").await.expect("a resource")
}

fn content(result: &GetResourceResult) -> &str {
    match &result.contents {
        GetResourceContents::Text(text) => &text.content,
        other => panic!("{other:?}"),
    }
}

/// Returns the version that the text says.
async fn text_read(fake: &FakeStream) -> usize {
    let read = fake.client.read_resource("x:a").await.expect("contents");
    let text = read.text();
    let (version, _) = text.split_once(':').expect("a version");
    let version = version.parse().expect("a number");
    assert_eq!(text, Resource::contents(version));
    version
}

#[tokio::test(start_paused = true)]
async fn known_version_is_sent_and_not_modified_contents_are_not_sent_again() {
    let resource = Resource::new("private");
    let mut fake = resource.connect(Cache::new()).await;
    let first = got(&fake).await;
    assert_eq!(asked(&mut fake), [get(None)]);
    assert!(resource.sent() > SMALL);
    for _ in 0..2 {
        assert_eq!(got(&fake).await, first);
        assert_eq!(asked(&mut fake), [get(Some("1"))]);
        let sent = resource.sent();
        assert!(sent < SMALL, "{sent} bytes");
    }
    resource.change();
    let second = got(&fake).await;
    assert_eq!(content(&second), Resource::contents(2));
    assert_eq!(asked(&mut fake), [get(Some("1"))], "one request");
    assert_eq!(got(&fake).await, second);
    assert_eq!(asked(&mut fake), [get(Some("2"))]);

    // A fresh result does not depend on the cache.
    let fresh = fake.client.get_resource("x:a").fresh();
    assert_eq!(fresh.await.expect("a resource"), second);
    assert_eq!(asked(&mut fake), [get(None)]);
    // The program may have another version than the cache, and no contents.
    let unless = |version| fake.client.get_resource("x:a").unless(version);
    let same = unless("2").await.expect("no failure");
    assert_eq!(same, Current::NotModified);
    let other = unless("0").await.expect("no failure");
    assert_eq!(other, Current::Changed(Box::new(second.clone())));
    assert_eq!(asked(&mut fake), [get(Some("2")), get(Some("0"))]);
    assert_eq!(got(&fake).await, second);
    assert_eq!(asked(&mut fake), [get(Some("2"))]);
}

#[tokio::test(start_paused = true)]
async fn stale_contents_are_revalidated_before_they_are_read_again() {
    let resource = Resource::new("private");
    let mut fake = resource.connect(Cache::new()).await;
    assert_eq!(text_read(&fake).await, 1);
    assert_eq!(text_read(&fake).await, 1);
    assert_eq!(asked(&mut fake), [read()], "fresh");
    resource.sent();
    for _ in 0..2 {
        advance(SECOND).await;
        assert_eq!(text_read(&fake).await, 1);
        assert_eq!(asked(&mut fake), [get(Some("1"))], "stale");
        let sent = resource.sent();
        assert!(sent < SMALL, "{sent} bytes");
        assert_eq!(text_read(&fake).await, 1);
        assert_eq!(asked(&mut fake), [], "fresh again");
    }
    resource.change();
    assert_eq!(text_read(&fake).await, 1);
    advance(SECOND).await;
    assert_eq!(text_read(&fake).await, 2);
    assert_eq!(asked(&mut fake), [get(Some("1")), read()]);
    // It has just changed, so the server is not asked first whether it has changed again.
    resource.change();
    advance(SECOND).await;
    assert_eq!(text_read(&fake).await, 3);
    assert_eq!(asked(&mut fake), [read()]);
    advance(SECOND).await;
    assert_eq!(text_read(&fake).await, 3);
    assert_eq!(asked(&mut fake), [read()]);
    advance(SECOND).await;
    assert_eq!(text_read(&fake).await, 3);
    assert_eq!(asked(&mut fake), [get(Some("3"))]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_revalidated_unless_both_sides_announced_the_proposal() {
    let versioned = &[Proposal::VersionedResources][..];
    for (server, client) in [("{}", versioned), (ANNOUNCED, &[]), ("{}", &[])] {
        let resource = Resource::new("private");
        let mut fake = resource.connect_as(Cache::new(), server, client).await;
        for _ in 0..2 {
            got(&fake).await;
            assert_eq!(asked(&mut fake), [get(None)]);
            text_read(&fake).await;
            advance(SECOND).await;
            assert_eq!(asked(&mut fake), [read()]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn contents_of_one_client_are_not_revalidated_for_another() {
    for scope in ["private", "public"] {
        let (cache, resource) = (Cache::new(), Resource::new(scope));
        let one = resource.connect(cache.of("here")).await;
        got(&one).await;
        text_read(&one).await;
        for cache in [cache.of("here"), cache.of("there"), cache.clone()] {
            let mut other = resource.connect(cache.clone()).await;
            got(&other).await;
            assert_eq!(asked(&mut other), [get(None)], "{scope}");
        }
        // Public contents are shared, but each client asks for itself whether they are current.
        advance(SECOND).await;
        let mut other = resource.connect(cache.of("here")).await;
        text_read(&other).await;
        let shared = if scope == "public" {
            get(Some("1"))
        } else {
            read()
        };
        assert_eq!(asked(&mut other), [shared], "{scope}");
        advance(SECOND).await;
        resource.remove();
        let refused = other.client.read_resource("x:a").await;
        assert!(
            matches!(refused, Err(CallError::Refused { .. })),
            "{scope}: {refused:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn refused_contents_are_dropped() {
    let resource = Resource::new("private");
    let mut fake = resource.connect(Cache::new()).await;
    got(&fake).await;
    text_read(&fake).await;
    resource.remove();
    advance(SECOND).await;
    asked(&mut fake);
    for requests in [&[get(Some("1"))][..], &[get(None)]] {
        let refused = fake.client.get_resource("x:a").await;
        assert!(matches!(refused, Err(CallError::Refused { .. })));
        assert_eq!(asked(&mut fake), requests);
    }
    for requests in [&[get(Some("1")), read()][..], &[read()]] {
        let refused = fake.client.read_resource("x:a").await;
        assert!(matches!(refused, Err(CallError::Refused { .. })));
        assert_eq!(asked(&mut fake), requests);
    }
}

#[tokio::test(start_paused = true)]
async fn refused_request_does_not_drop_the_contents_of_other_resources() {
    let resource = Resource::new("private");
    let mut fake = resource.connect(Cache::new()).await;
    text_read(&fake).await;
    got(&fake).await;
    resource.remove();
    asked(&mut fake);
    for refused in [
        fake.client.read_resource("x:b").await.map(drop),
        fake.client.get_resource("x:b").await.map(drop),
    ] {
        assert!(matches!(refused, Err(CallError::Refused { .. })));
    }
    assert_eq!(asked(&mut fake), [read(), get(None)]);
    text_read(&fake).await;
    assert_eq!(asked(&mut fake), [], "cached");
}

#[tokio::test(start_paused = true)]
async fn changed_and_forgotten_contents_are_requested_without_a_version() {
    let resource = Resource::new("private");
    let mut fake = resource.connect(Cache::new()).await;
    let changed = r#"{"resource":{"uri":"x:a","name":"a","version":"2"}}"#;
    let updated = r#"{"uri":"x:a"}"#;
    for (notification, params) in [
        ("notifications/resources/content_changed", changed),
        ("notifications/resources/updated", updated),
    ] {
        got(&fake).await;
        asked(&mut fake);
        fake.notify(notification, params).await;
        got(&fake).await;
        assert_eq!(asked(&mut fake), [get(None)], "{notification}");
    }
    fake.client.forget_cached();
    got(&fake).await;
    assert_eq!(asked(&mut fake), [get(None)]);
}

#[tokio::test(start_paused = true)]
async fn stale_contents_are_bounded_in_number_bytes_and_time() {
    let size = Resource::contents(1).len();
    for cache in [Cache::new().entries(2), Cache::new().bytes(size * 3)] {
        let resource = Resource::new("private");
        let mut fake = resource.connect(cache).await;
        let get_at = async |uri: &str| fake.client.get_resource(uri).await.map(drop);
        for uri in ["x:a", "x:b", "x:a", "x:c", "x:a", "x:b"] {
            get_at(uri).await.expect("a resource");
        }
        let versions = [None, None, Some("1"), None, Some("1"), None];
        assert_eq!(
            asked(&mut fake),
            versions.map(get),
            "the least recently used"
        );
    }
    let resource = Resource::new("private");
    let mut fake = resource.connect(Cache::new()).await;
    for (pause, version) in [
        (Duration::ZERO, None),
        (NEARLY_A_DAY, Some("1")),
        // A day after the server said that it is current.
        (NEARLY_A_DAY, Some("1")),
        (DAY, None),
    ] {
        advance(pause).await;
        got(&fake).await;
        assert_eq!(asked(&mut fake), [get(version)]);
    }
}
