//! The bytes of a download, whole and in parts, equal those of `resources/read`.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_server::ResourceDef;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use super::client::*;
use super::subject::*;

#[derive(Clone, Debug)]
enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug)]
enum Part {
    Between(usize, usize),
    From(usize),
    Last(usize),
}

fn contents() -> impl Strategy<Value = Content> {
    prop_oneof![
        any::<String>().prop_map(Content::Text),
        prop::collection::vec(any::<u8>(), 0..3_000).prop_map(Content::Bytes),
    ]
}

fn parts() -> impl Strategy<Value = Part> {
    let place = 0..3_200_usize;
    prop_oneof![
        (place.clone(), place.clone()).prop_map(|(one, other)| Part::Between(one, other)),
        place.clone().prop_map(Part::From),
        place.prop_map(Part::Last),
    ]
}

impl Part {
    fn header(&self) -> String {
        match self {
            Self::Between(first, last) => format!("bytes={first}-{last}"),
            Self::From(first) => format!("bytes={first}-"),
            Self::Last(count) => format!("bytes=-{count}"),
        }
    }

    /// The expected status and body according to the RFC, implemented differently from the server.
    fn of<'a>(&self, whole: &'a [u8]) -> (u16, &'a [u8]) {
        let (first, last) = match *self {
            Self::Between(first, last) if last < first => return (200, whole),
            Self::Between(first, last) => (first, last),
            Self::From(first) => (first, usize::MAX),
            Self::Last(0) => return (416, &[]),
            Self::Last(count) if count < whole.len() => (whole.len() - count, usize::MAX),
            Self::Last(_) => (0, usize::MAX),
        };
        let Some(rest) = whole.get(first..).filter(|rest| !rest.is_empty()) else {
            return (416, &[]);
        };
        let count = (last - first).saturating_add(1);
        (206, rest.get(..count).unwrap_or(rest))
    }
}

async fn check(address: SocketAddr, uri: &str, parts: &[Part]) -> Result<(), TestCaseError> {
    let answer = call(address, "resources/read", json!({"uri": uri})).await;
    let contents = &answer["result"]["contents"][0];
    let whole = match contents["text"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => STANDARD
            .decode(contents["blob"].as_str().expect("contents"))
            .expect("base64"),
    };
    let path = path_of(address, uri).await;
    let reply = get(address, &path, &[]).await;
    prop_assert_eq!((reply.status.as_u16(), &reply.body), (200, &whole));
    prop_assert_eq!(reply.get("content-length"), whole.len().to_string());
    for part in parts {
        let reply = get(address, &path, &[("Range", &part.header())]).await;
        prop_assert_eq!((reply.status.as_u16(), &*reply.body), part.of(&whole));
    }
    Ok(())
}

#[test]
fn read_and_download_return_the_same_bytes() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let (address, server) = runtime.block_on(async {
        let (address, server, _) = served(|builder| builder);
        (address, server)
    });
    let mut runner = TestRunner::new(Config {
        cases: Config::default().cases.min(64),
        failure_persistence: None,
        ..Config::default()
    });
    let uri = "demo://any";
    let cases = (contents(), prop::collection::vec(parts(), 1..6));
    let outcome = runner.run(&cases, |(content, parts)| {
        let resource = match content {
            Content::Text(text) => ResourceDef::text(uri, "any", text),
            Content::Bytes(bytes) => ResourceDef::bytes(uri, "any", bytes),
        };
        server.resources().replace(resource).expect("sound");
        runtime.block_on(check(address, uri, &parts))
    });
    outcome.expect("the same bytes");
}
