//! `resources/get`, and versions.

use std::sync::{Arc, Mutex};

use mcp_server::types::{
    AnyResourceContents, Base64Text, BlobResourceContents, Resource, TextResourceContents,
};
use mcp_server::{HandlerError, Proposal, ResourceDef, ResourceUri, Server};
use serde_json::{Value, json};

use super::notes::Notes;
use super::opted;
use crate::support::peer::Peer;

pub(super) async fn get(peer: &mut Peer, uri: &str, version: &Value) -> Value {
    let params = json!({ "uri": uri, "version": version });
    peer.request("resources/get", params).await
}

/// The error for a peer that has the current version.
pub(super) fn not_modified(uri: &str, version: &Value) -> Value {
    let data = json!({ "uri": uri, "version": version });
    json!({ "code": 304, "message": "Not Modified", "data": data })
}

#[tokio::test]
async fn contents_have_the_form_of_the_proposal() {
    let several = || async {
        let one = TextResourceContents::new("d:several", "one").mime_type("text/markdown");
        let two = BlobResourceContents::new("d:several", Base64Text::encode(b"two"));
        vec![AnyResourceContents::from(one), two.into()]
    };
    let server = opted()
        .add_resource(ResourceDef::text("d:text", "text", "hello"))
        .add_resource(ResourceDef::text("d:html", "html", "<p>").mime_type("text/html"))
        .add_resource(ResourceDef::bytes("d:bytes", "bytes", *b"\0\xff"))
        .add_resource(ResourceDef::bytes("d:png", "png", *b"\x89").mime_type("image/png"))
        .add_resource(ResourceDef::new("d:several", "several").handler(several))
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    for (name, contents) in [
        (
            "text",
            json!({ "contentType": "text/plain", "content": "hello" }),
        ),
        (
            "html",
            json!({ "contentType": "text/html", "content": "<p>" }),
        ),
        (
            "bytes",
            json!({ "contentType": "application/octet-stream", "blob": "AP8=" }),
        ),
        ("png", json!({ "contentType": "image/png", "blob": "iQ==" })),
        (
            "several",
            json!({ "contentType": "text/markdown", "content": "one" }),
        ),
    ] {
        let uri = format!("d:{name}");
        let answer = get(&mut peer, &uri, &Value::Null).await;
        let result = &answer["result"];
        assert_eq!(result["contents"], contents, "{answer}");
        assert_eq!(result["resource"]["uri"], uri.as_str());
        assert_eq!(result["resource"]["name"], name);
        assert_eq!(result["resultType"], "complete");
        assert!(result["resource"]["version"].is_string(), "{answer}");
    }
}

/// A handler that returns these contents: URIs, media types and texts.
fn returning(
    contents: &'static [(&'static str, &'static str, &'static str)],
) -> impl Fn() -> std::future::Ready<Vec<AnyResourceContents>> + Send + Sync + 'static {
    move || {
        let contents = contents.iter().map(|(uri, mime_type, text)| {
            let contents = TextResourceContents::new(*uri, *text);
            contents.mime_type(*mime_type).into()
        });
        std::future::ready(contents.collect())
    }
}

#[tokio::test]
async fn contents_of_the_resources_media_type_are_returned() {
    let formats = &[
        ("d:other", "text/html", "other"),
        ("d:a", "text/plain", "plain"),
        ("d:a", "text/html; charset=utf-8", "html"),
    ];
    let resource = |uri| ResourceDef::new(uri, "formats").handler(returning(formats));
    let server = opted()
        .add_resource(resource("d:a").mime_type("text/html"))
        .add_resource(resource("d:none"))
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let answer = get(&mut peer, "d:a", &Value::Null).await;
    assert_eq!(answer["result"]["contents"]["content"], "html", "{answer}");
    // Without a media type, the first contents of the resource itself.
    let untyped = resource("d:a");
    server.resources().replace(untyped).unwrap();
    let answer = get(&mut peer, "d:a", &Value::Null).await;
    assert_eq!(answer["result"]["contents"]["content"], "plain", "{answer}");
    // Contents of other resources are not those of this one.
    let error = get(&mut peer, "d:none", &Value::Null).await["error"].take();
    assert_eq!(error["code"], -32603, "{error}");
    assert!(!error.to_string().contains("plain"), "{error}");
}

#[tokio::test]
async fn member_of_a_collection_is_not_its_contents() {
    let folder = |contents| {
        ResourceDef::new("d:", "folder")
            .collection()
            .handler(returning(contents))
    };
    let members = &[
        ("d:a", "text/plain", "member"),
        ("d:b", "text/plain", "member"),
    ];
    let server = opted()
        .proposals([Proposal::Sep2093])
        .add_resource(folder(members))
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let error = get(&mut peer, "d:", &Value::Null).await["error"].take();
    assert_eq!(error["code"], -32602, "{error}");
    assert_eq!(error["data"], json!({ "uri": "d:" }));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("resources/list"), "{message}");
    let with_index = &[
        ("d:a", "text/plain", "member"),
        ("d:", "text/html", "index"),
    ];
    server.resources().replace(folder(with_index)).unwrap();
    let result = get(&mut peer, "d:", &Value::Null).await["result"].take();
    assert_eq!(
        result["contents"],
        json!({ "contentType": "text/html", "content": "index" })
    );
    assert_eq!(result["resource"]["uri"], "d:");
    assert_eq!(result["resource"]["resourceType"], "collection");
}

#[tokio::test]
async fn empty_contents_are_an_error() {
    let empty = || async { Vec::<AnyResourceContents>::new() };
    let server = opted()
        .add_resource(ResourceDef::new("d:empty", "empty").handler(empty))
        .add_resource_template(Notes::default().plain())
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let error = get(&mut peer, "d:empty", &Value::Null).await["error"].take();
    assert_eq!(error["code"], -32603, "{error}");
    for uri in ["d:none", "n:none"] {
        let error = get(&mut peer, uri, &Value::Null).await["error"].take();
        assert_eq!(error["code"], -32602, "{error}");
        assert_eq!(error["data"], json!({ "uri": uri }));
    }
    for (params, place) in [
        (json!({}), "uri"),
        (json!({ "uri": 1 }), "$.uri"),
        (json!({ "uri": "d:empty", "version": 1 }), "$.version"),
    ] {
        let (code, message) = peer.error("resources/get", params).await;
        assert_eq!(code, -32602);
        assert!(message.contains(place), "{message}");
    }
}

#[tokio::test]
async fn known_version_returns_not_modified() {
    let notes = Notes::default();
    notes.put("a", "1");
    let unread = |ResourceUri(uri): ResourceUri| async move {
        Err::<String, _>(HandlerError::internal(uri))
    };
    let server = opted()
        .add_resource_template(notes.versioned())
        .add_resource(
            ResourceDef::new("d:set", "set")
                .version("v1")
                .handler(unread),
        )
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    for (uri, version) in [("n:a", json!("1")), ("d:set", json!("v1"))] {
        let answer = get(&mut peer, uri, &version).await;
        assert_eq!(answer["error"], not_modified(uri, &version), "{answer}");
    }
    assert_eq!(notes.counts(), (0, 1));
    notes.put("a", "2");
    let answer = get(&mut peer, "n:a", &json!("1")).await;
    assert_eq!(answer["result"]["contents"]["content"], "2");
    assert_eq!(answer["result"]["resource"]["version"], "2");
    assert_eq!(notes.counts(), (1, 3));
}

#[tokio::test]
async fn missing_version_is_derived() {
    let notes = Notes::default();
    notes.put("a", "text");
    let server = || {
        opted()
            .add_resource_template(notes.plain())
            .add_resource(ResourceDef::text("d:fixed", "fixed", "text"))
            .build()
            .unwrap()
    };
    let first = server();
    let mut peer = Peer::modern(&first);
    for uri in ["n:a", "d:fixed"] {
        let answer = get(&mut peer, uri, &Value::Null).await;
        let version = answer["result"]["resource"]["version"].clone();
        assert_eq!(version.as_str().map(str::len), Some(32), "{answer}");
        let answer = get(&mut peer, uri, &version).await;
        assert_eq!(answer["error"], not_modified(uri, &version), "{answer}");
        // Another process derives the same version from the same contents.
        let answer = get(&mut Peer::modern(&server()), uri, &version).await;
        assert_eq!(answer["error"], not_modified(uri, &version), "{answer}");
    }
    let before = get(&mut peer, "n:a", &Value::Null).await["result"]["resource"]["version"].take();
    notes.put("a", "other text");
    let answer = get(&mut peer, "n:a", &before).await;
    assert_eq!(answer["result"]["contents"]["content"], "other text");
    assert_ne!(answer["result"]["resource"]["version"], before);
}

#[tokio::test]
async fn versions_of_static_contents_are_listed() {
    let server = opted()
        .add_resource(ResourceDef::text("d:a", "a", "text"))
        .add_resource(ResourceDef::text("d:b", "b", "text").version("own"))
        .add_resource(
            ResourceDef::new("d:c", "c").handler(|ResourceUri(uri): ResourceUri| async { uri }),
        )
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let listed = |page: &Value| {
        let resources = page["resources"].as_array().unwrap();
        let versions = resources.iter().map(|resource| resource["version"].clone());
        versions.collect::<Vec<_>>()
    };
    let page = peer.result("resources/list", json!({})).await;
    let versions = listed(&page);
    assert_eq!(versions.len(), 3);
    let got = get(&mut peer, "d:a", &Value::Null).await;
    assert_eq!(versions[0], got["result"]["resource"]["version"]);
    assert_eq!(versions[1], "own");
    // Dynamic contents would have to be read, so they are listed without a version.
    assert_eq!(versions[2], Value::Null);
    // Another definition with the same URI has another version.
    let changed = ResourceDef::text("d:a", "a", "another text");
    server.resources().replace(changed).unwrap();
    let page = peer.result("resources/list", json!({})).await;
    assert_ne!(listed(&page)[0], versions[0]);
}

#[tokio::test]
async fn version_is_never_newer_than_the_contents() {
    // A client with old contents under a new version would never request the new contents.
    let order = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let order = Arc::clone(&order);
        move || order.lock().unwrap().push(what)
    };
    let (described, read) = (note("described"), note("read"));
    let resource = ResourceDef::new("d:a", "a")
        .describe(move |resource: Resource| {
            described();
            async move { resource.version("1") }
        })
        .handler(move || {
            read();
            async { "text" }
        });
    let server = opted().add_resource(resource).build().unwrap();
    get(&mut Peer::modern(&server), "d:a", &Value::Null).await;
    // The second description tells whether the contents have the version of the first one.
    assert_eq!(*order.lock().unwrap(), ["described", "read", "described"]);
}

#[tokio::test]
async fn kind_and_metadata_are_sent() {
    let fixed = ResourceDef::text("d:a", "a", "text")
        .kind("file")
        .metadata(mcp_server::types::json::Object::from([("owner", "me")]));
    let server: Server = opted().add_resource(fixed).build().unwrap();
    let mut peer = Peer::modern(&server);
    let page = peer.result("resources/list", json!({})).await;
    let got = get(&mut peer, "d:a", &Value::Null).await["result"].take();
    for resource in [&page["resources"][0], &got["resource"]] {
        assert_eq!(resource["kind"], "file");
        assert_eq!(resource["metadata"], json!({ "owner": "me" }));
    }
}
