//! The example `object-store`: URLs that a store serves.

#[expect(dead_code, reason = "the tests do not start the program")]
#[path = "../../examples/object-store/main.rs"]
mod example;
mod fake;

use std::net::SocketAddr;
use std::time::{Duration, UNIX_EPOCH};

use mcp_server::Server;
use serde_json::{Value, json};

use self::example::bucket::Bucket;
use self::example::signature::Credentials;
use self::fake::Shared;
use super::client::*;
use super::subject::serve;

const HOST: &str = "objects.example.com";

/// Those of the examples in the documentation of the store.
fn credentials() -> Credentials {
    Credentials {
        access_key: "AKIAIOSFODNN7EXAMPLE".to_owned(),
        secret_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
        region: "us-east-1".to_owned(),
    }
}

#[test]
fn presigned_url_is_that_of_the_documentation() {
    let url = "https://examplebucket.s3.amazonaws.com/test.txt";
    let time = UNIX_EPOCH + Duration::from_secs(1_369_353_600);
    let day = Duration::from_secs(86_400);
    let presigned = credentials().presign("GET", url, &[], time, day);
    let signature = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
    assert!(presigned.ends_with(signature), "{presigned}");
}

/// Returns the store, its address, and that of a server of its objects.
async fn served() -> (Shared, SocketAddr, SocketAddr) {
    let fake = Shared::default();
    for (key, object) in [
        ("a b+&\u{e4}.csv", "1,2"),
        ("film/one.txt", "0123456789"),
        ("z", "last"),
    ] {
        put(&fake, key, object);
    }
    let store = fake::serve(fake.clone()).await;
    let (url, public) = (
        format!("http://{store}/bucket"),
        format!("https://{HOST}/bucket/"),
    );
    let bucket = Bucket::new(&url, &public, credentials()).unwrap();
    let builder = Server::builder("object-store", "1").page_size(2);
    let server = example::add_objects(builder, bucket).build().unwrap();
    (fake, store, serve(&server))
}

fn put(fake: &Shared, key: &str, object: &str) {
    let mut fake = fake.lock().unwrap();
    fake.objects.insert(key.to_owned(), object.to_owned());
}

/// Sends a request to the URL of a resource, as the proxy of the store does.
async fn download(store: SocketAddr, url: &str, header: (&str, &str)) -> Reply {
    let path = url.strip_prefix("https://objects.example.com").unwrap();
    get(store, path, &[("Host", HOST), header]).await
}

async fn metadata(server: SocketAddr, uri: &str) -> Value {
    let answer = call(server, "resources/metadata", json!({ "uri": uri })).await;
    answer["result"]["resource"].clone()
}

#[tokio::test]
async fn store_serves_ranges_and_conditions_of_a_version() {
    let (fake, store, server) = served().await;
    let uri = "object:///film/one.txt";
    let read = call(server, "resources/read", json!({ "uri": uri })).await;
    let contents = &read["result"]["contents"][0];
    assert_eq!(contents["text"], "0123456789", "{read}");
    let described = metadata(server, uri).await;
    assert_eq!(described["size"], 10);
    let version = described["version"].as_str().unwrap();
    assert_eq!(contents["version"], version);
    let url = described["httpUrl"].as_str().unwrap();

    let part = download(store, url, ("Range", "bytes=2-4")).await;
    assert_eq!((part.status.as_u16(), part.text()), (206, "234"));
    assert_eq!(part.get("content-type"), "text/plain");
    // The entity tag of the store is the version.
    let tag = format!("\"{version}\"");
    assert_eq!(part.get("etag"), tag);
    let same = download(store, url, ("If-None-Match", &tag)).await;
    assert_eq!(same.status, 304);

    for changed in [
        url.replace("film/one", "z"),
        url.replace("X-Amz-Expires=900", "X-Amz-Expires=901"),
        format!("{url}0"),
    ] {
        assert_ne!(changed, url);
        let refused = download(store, &changed, ("Range", "bytes=2-4")).await;
        assert_eq!(refused.status, 403, "{changed}");
    }

    put(&fake, "film/one.txt", "9876543210");
    assert_ne!(metadata(server, uri).await["version"], version);
    let old = download(store, url, ("If-Match", &tag)).await;
    assert_eq!(old.status, 412);
}

#[tokio::test]
async fn listed_objects_have_urls_and_are_not_described() {
    let (fake, store, server) = served().await;
    let mut params = json!({});
    let mut found = Vec::new();
    for size in [2, 1] {
        let answer = call(server, "resources/list", params).await;
        let page = answer["result"]["resources"].as_array().unwrap();
        assert_eq!(page.len(), size, "{answer}");
        found.extend(page.clone());
        params = json!({ "cursor": answer["result"]["nextCursor"] });
    }
    assert_eq!(fake.lock().unwrap().heads, 0);
    for (resource, object) in found.iter().zip(["1,2", "0123456789", "last"]) {
        let url = resource["httpUrl"].as_str().expect("a URL");
        let whole = download(store, url, ("Accept", "*/*")).await;
        assert_eq!((whole.status.as_u16(), whole.text()), (200, object));
        let mut described = metadata(server, resource["uri"].as_str().unwrap()).await;
        for member in ["httpUrl", "httpUrlExpiresAt"] {
            described[member] = resource[member].clone();
        }
        assert_eq!(described, *resource);
    }
}

#[tokio::test]
async fn other_spellings_of_a_key_are_not_found() {
    let (_, _, server) = served().await;
    for uri in [
        "object:///none",
        "object:///",
        "object:///film%2Fone.txt",
        "object:///..%2Fbucket%2Fz",
    ] {
        for method in ["resources/read", "resources/metadata"] {
            let answer = call(server, method, json!({ "uri": uri })).await;
            assert_eq!(answer["error"]["code"], -32602, "{uri}: {answer}");
        }
    }
}
