//! Tests that the params of a call are encoded once, and each of its results is decoded once,
//! however often the call is sent and whichever features look at it.

use std::cell::Cell;

use mcp_types::json::Writer;
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::rpc::{self, Message};
use mcp_types::{
    ElicitResult, Outcome, ReadResourceRequest, ReadResourceRequestParams, ReadResourceResult,
    Request, Revision, Sender,
};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};

use crate::{ByteStream, Cache, Client};

thread_local! {
    static ENCODED: Cell<usize> = const { Cell::new(0) };
    static DECODED: Cell<usize> = const { Cell::new(0) };
}

/// `resources/read`, whose params and results count how often they are encoded and decoded.
struct CountedRequest;

#[derive(Clone, Serialize, Deserialize)]
struct CountedParams(ReadResourceRequestParams);

#[derive(Clone, Serialize, Deserialize)]
struct CountedResult(ReadResourceResult);

impl Request for CountedRequest {
    const METHOD: &'static str = ReadResourceRequest::METHOD;
    const SENDER: Sender = Sender::Client;
    type Params = CountedParams;
    type Result = CountedResult;
}

impl Versioned for CountedParams {
    fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError> {
        revision.decode(text).map(Self)
    }

    fn write_at(self, revision: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
        ENCODED.set(ENCODED.get() + 1);
        self.0.write_at(revision, out)
    }
}

impl Versioned for CountedResult {
    fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError> {
        DECODED.set(DECODED.get() + 1);
        revision.decode(text).map(Self)
    }

    fn write_at(self, revision: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
        self.0.write_at(revision, out)
    }
}

impl Outcome for CountedResult {
    type Complete = Self;

    fn complete(self) -> Result<Self, Box<Self>> {
        Ok(self)
    }
}

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],
    "capabilities":{},"ttlMs":0,"cacheScope":"private"}"#;
const QUESTION: &str = r#"{"resultType":"input_required","requestState":"s","inputRequests":{"q":
    {"method":"elicitation/create","params":{"mode":"form","message":"Go on?",
    "requestedSchema":{"type":"object","properties":{}}}}}}"#;
const READ: &str = r#"{"resultType":"complete","ttlMs":1000,"cacheScope":"private",
    "contents":[{"uri":"demo:page","text":"text"}]}"#;

const INITIALIZED: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{},
    "serverInfo":{"name":"test","version":"1.0.0"}}"#;
const READ_BEFORE: &str = r#"{"contents":[{"uri":"demo:page","text":"text"}]}"#;

/// Answers each request with the next of these results.
async fn serve(stream: DuplexStream, results: Vec<&'static str>) {
    let (reader, mut writer) = split(stream);
    let mut lines = BufReader::new(reader).lines();
    for result in results {
        let id = loop {
            let line = lines.next_line().await.expect("readable").expect("a line");
            match rpc::parse_str(&line) {
                Ok(Message::Request { id, .. }) => break id,
                Ok(Message::Notification { .. }) => {}
                _ => panic!("{line}"),
            }
        };
        let mut response = Vec::new();
        let result: serde_json::Value = serde_json::from_str(result).expect("JSON");
        rpc::write_result(&mut response, &id, &result).expect("written");
        response.push(b'\n');
        writer.write_all(&response).await.expect("written");
    }
}

async fn call(revision: Revision, results: Vec<&'static str>) {
    let (client, server) = duplex(1 << 16);
    tokio::spawn(serve(server, results));
    let builder = Client::builder("test", "1.0.0")
        .cache(Cache::new())
        .revision(revision)
        .on_elicit_form(|_| async { Ok(ElicitResult::new(mcp_types::ElicitAction::Decline)) });
    let client = builder.connect(ByteStream::of(client)).await;
    let client = client.expect("connected");
    for counter in [&ENCODED, &DECODED] {
        counter.set(0);
    }
    let params = ReadResourceRequestParams::new("demo:page", client.meta());
    let result = client
        .request::<CountedRequest>(CountedParams(params))
        .on_progress(|_| {});
    let CountedResult(result) = result.await.expect("a result");
    assert_eq!(result.text(), "text");
}

#[tokio::test]
async fn call_is_encoded_and_decoded_once() {
    for (revision, results) in [
        (Revision::LATEST, vec![DISCOVERED, READ]),
        (Revision::V2025_11_25, vec![INITIALIZED, READ_BEFORE]),
    ] {
        call(revision, results).await;
        assert_eq!(ENCODED.get(), 1, "params encoded at {revision}");
        assert_eq!(DECODED.get(), 1, "result decoded at {revision}");
    }
}

#[tokio::test]
async fn call_with_two_rounds_is_encoded_once() {
    call(Revision::LATEST, vec![DISCOVERED, QUESTION, READ]).await;
    assert_eq!(ENCODED.get(), 1, "params encoded");
    assert_eq!(DECODED.get(), 2, "results decoded");
}
