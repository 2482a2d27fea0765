//! Which peers get URLs, and for which resources.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_server::types::{CacheScope, Resource};
use mcp_server::{
    ByteStream, HandlerError, ListAt, Proposal, ResourceDef, ResourcePage, ResourceUri, Server,
    ServerBuilder, TemplateDef,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::client::*;
use super::subject::*;

#[tokio::test]
async fn resource_has_a_url_in_every_method() {
    let (address, ..) = served(|builder| builder.proposals([Proposal::VersionedResources]));
    let list = listed(address, "demo://motto").await;
    let described = call(
        address,
        "resources/metadata",
        json!({"uri": "demo://motto"}),
    )
    .await;
    let got = call(address, "resources/get", json!({"uri": "demo://motto"})).await;
    let link = link_to(address, "demo://motto").await;
    let params = json!({"name": "link", "arguments": {"uri": "demo://motto"}});
    let prompt = call(address, "prompts/get", params).await;
    for resource in [
        &list,
        &described["result"]["resource"],
        &got["result"]["resource"],
        &link,
        &prompt["result"]["messages"][0]["content"],
    ] {
        assert_eq!(resource["uri"], "demo://motto", "{resource}");
        assert_eq!(resource["httpUrlExpiresAt"], "2026-11-21T12:15:00Z");
        let reply = get(address, &path(resource), &[]).await;
        assert_eq!((reply.status.as_u16(), reply.text()), (200, MOTTO));
    }
}

#[tokio::test]
async fn peers_over_byte_streams_get_urls_too() {
    let (address, server, _) = served(|builder| builder);
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(theirs);
    tokio::spawn(async move { server.serve(ByteStream::new(reader, writer)).await });
    let (reader, mut writer) = tokio::io::split(ours);
    let request = message("resources/list", json!({}));
    soon(writer.write_all(format!("{request}\n").as_bytes()))
        .await
        .expect("written");
    let line = soon(BufReader::new(reader).lines().next_line()).await;
    let line = line.expect("read").expect("an answer");
    let answer: Value = serde_json::from_str(&line).expect("JSON");
    let reply = get(address, &path(&find(&answer, "demo://logo")), &[]).await;
    assert_eq!(reply.body, LOGO);
}

#[tokio::test]
async fn resources_without_a_download_get_no_url() {
    let (address, ..) = served(|builder| {
        builder.add_resource(ResourceDef::text(
            format!("demo://{}", "x".repeat(2_048)),
            "long",
            "-",
        ))
    });
    let long = format!("demo://{}", "x".repeat(2_048));
    for uri in ["demo://secret", "demo://all", &long] {
        let listed = listed(address, uri).await;
        assert!(listed.get("httpUrl").is_none(), "{listed}");
        assert!(listed.get("httpUrlExpiresAt").is_none(), "{listed}");
    }
    let elsewhere = link_to(address, "other://server").await;
    assert!(elsewhere.get("httpUrl").is_none(), "{elsewhere}");
}

/// Only the handler that reads knows whether a note exists.
#[tokio::test]
async fn link_to_what_the_reader_does_not_find_has_no_url() {
    let reads = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&reads);
    let read = move |ResourceUri(uri): ResourceUri| {
        count.fetch_add(1, Ordering::SeqCst);
        let is_found = uri == "note:a";
        let text = is_found.then_some("text");
        std::future::ready(text.ok_or_else(|| HandlerError::resource_not_found(uri)))
    };
    let list = async |_: ListAt| ResourcePage::new([Resource::new("note:a", "a")]);
    let (address, ..) = served(|builder| {
        let notes = TemplateDef::new("note:{name}", "note");
        builder.add_resource_template(notes.handler(read).list(list))
    });
    // What a list contains exists.
    path_of(address, "note:a").await;
    assert_eq!(reads.load(Ordering::SeqCst), 0);
    path_to(address, "note:a").await;
    let link = link_to(address, "note:none").await;
    assert_eq!(link["uri"], "note:none");
    assert!(link.get("httpUrl").is_none(), "{link}");
    assert_eq!(reads.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn url_of_the_author_is_kept_if_it_is_https() {
    let (address, ..) = served(|builder| {
        builder.add_resource(
            ResourceDef::text("demo://described", "described", "-").describe(
                |resource: Resource| async { resource.http_url("ftp://cdn.example.com/described") },
            ),
        )
    });
    let answer = call(
        address,
        "tools/call",
        json!({"name": "own", "arguments": {}}),
    )
    .await;
    let content = &answer["result"]["content"];
    assert_eq!(content[0]["httpUrl"], "HTTPS://cdn.example.com/motto");
    assert!(content[0].get("httpUrlExpiresAt").is_none(), "{content}");
    assert!(content[1].get("httpUrl").is_none(), "{content}");
    assert!(content[1].get("httpUrlExpiresAt").is_none(), "{content}");
    let params = json!({"uri": "demo://described"});
    let answer = call(address, "resources/metadata", params).await;
    assert_eq!(answer["result"]["resource"]["uri"], "demo://described");
    assert!(
        answer["result"]["resource"].get("httpUrl").is_none(),
        "{answer}"
    );
}

#[tokio::test]
async fn results_with_urls_are_cached_privately_and_briefly() {
    let hour = std::time::Duration::from_secs(3_600);
    let cached = |builder: ServerBuilder| builder.cache_resources(hour, CacheScope::Public);
    let plain = cached(offers()).build().expect("sound");
    let (with, ..) = served(cached);
    for (address, ttl, scope) in [
        (serve(&plain), 3_600_000, "public"),
        (with, 900_000, "private"),
    ] {
        let answer = call(address, "resources/list", json!({})).await;
        assert_eq!(answer["result"]["ttlMs"], ttl);
        assert_eq!(answer["result"]["cacheScope"], scope);
    }
}

#[tokio::test]
async fn urls_are_not_sent_without_the_proposal() {
    let server = offers()
        .http_urls(Clock::at(NOON).urls())
        .build()
        .expect("sound");
    assert!(server.resource_urls().is_none());
    let address = serve(&server);
    let own = call(
        address,
        "tools/call",
        json!({"name": "own", "arguments": {}}),
    )
    .await;
    for resource in [
        listed(address, "demo://motto").await,
        link_to(address, "demo://motto").await,
        own["result"]["content"][0].clone(),
    ] {
        assert_eq!(resource["uri"], "demo://motto");
        assert!(resource.get("httpUrl").is_none(), "{resource}");
        assert!(resource.get("httpUrlExpiresAt").is_none(), "{resource}");
    }
    // A URL that another server issued with the same keys is not valid here.
    let (elsewhere, ..) = served(|builder| builder);
    let path = path_of(elsewhere, "demo://motto").await;
    assert_ne!(get(address, &path, &[]).await.status, 200);
}

#[tokio::test]
async fn without_a_base_only_urls_of_the_author_are_sent() {
    let server = offers()
        .proposals([Proposal::HttpsUrl])
        .build()
        .expect("sound");
    assert!(server.resource_urls().is_none());
    let listed = listed(serve(&server), "demo://motto").await;
    assert!(listed.get("httpUrl").is_none(), "{listed}");
}

async fn legacy(server: &Server, revision: &str) -> Vec<Value> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(theirs);
    let server = server.clone();
    tokio::spawn(async move { server.serve(ByteStream::new(reader, writer)).await });
    let (reader, mut writer) = tokio::io::split(ours);
    let mut lines = BufReader::new(reader).lines();
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": revision, "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}}});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/list"});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "link", "arguments": {"uri": "demo://motto"}}});
    let prompt = json!({"jsonrpc": "2.0", "id": 3, "method": "prompts/get",
        "params": {"name": "link", "arguments": {"uri": "demo://motto"}}});
    let own = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "own"}});
    let mut answers = Vec::new();
    for sent in [initialize, initialized, list, call, prompt, own] {
        soon(writer.write_all(format!("{sent}\n").as_bytes()))
            .await
            .expect("written");
        if sent.get("id").is_some() {
            let line = soon(lines.next_line()).await.expect("read");
            answers.push(serde_json::from_str(&line.expect("an answer")).expect("JSON"));
        }
    }
    answers
}

#[tokio::test]
async fn peers_of_older_revisions_get_no_urls() {
    let (server, _) = server(|builder| builder);
    for revision in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let answers = legacy(&server, revision).await;
        assert_eq!(answers[0]["result"]["protocolVersion"], revision);
        let text = serde_json::to_string(&answers).expect("JSON");
        assert!(text.contains("demo://logo"), "{text}");
        assert!(!text.contains("httpUrl"), "{text}");
        assert!(!text.contains("https-url"), "{text}");
        assert!(!text.contains("files.example.com"), "{text}");
        assert!(!text.contains("cdn.example.com"), "{text}");
    }
}
