//! HTTPS URLs of files: the same bytes as other methods, and TLS.

use std::ffi::OsStr;
use std::fs;
use std::net::TcpStream;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use mcp_server::rustls::crypto::ring::default_provider;
use mcp_server::rustls::pki_types::{CertificateDer, ServerName};
use mcp_server::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use mcp_server::types::Base64Text;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tempfile::tempdir;

use super::http::{Site, ask, exchange, get, path};
use super::peer::write;
use super::reading::bytes;

#[test]
fn file_too_large_to_read_is_streamed_at_its_url() {
    let root = tempdir().unwrap();
    let length = 5_000_000;
    let large: Vec<u8> = (0..=250_u8).cycle().take(length).collect();
    write(root.path(), "large", &large);
    let site = Site::start(root.path(), &["--max-read", "1000"]);
    let params = json!({ "uri": "file:///large" });
    for method in ["resources/read", "resources/get"] {
        let error = site.ask(method, params.clone()).unwrap_err();
        assert_eq!(error["data"]["instead"], "httpUrl");
        assert_eq!(error["data"]["limit"], 1000);
    }
    let described = site.ask("resources/metadata", params.clone()).unwrap();
    let path = path(&described["resource"]);
    let reply = site.get(path, "");
    assert_eq!((reply.status, reply.body == large), (200, true));
    let tag = reply.get("etag").expect("a tag").to_owned();
    assert!(reply.get("last-modified").is_some());
    let reply = site.get(path, "Range: bytes=4999990-");
    assert_eq!((reply.status, &*reply.body), (206, &large[length - 10..]));
    let known = format!("If-None-Match: {tag}");
    assert_eq!(site.get(path, &known).status, 304);
    write(root.path(), "large", &large[1..]);
    let reply = site.get(path, &known);
    assert_eq!((reply.status, reply.body == large[1..]), (200, true));
}

#[test]
fn url_serves_the_current_content_or_404() {
    let root = tempdir().unwrap();
    write(root.path(), "d/file.txt", "one");
    let site = Site::start(root.path(), &[]);
    let listed = site.list();
    let folders = listed
        .iter()
        .filter(|listed| listed["resourceType"] == "collection");
    assert_eq!(
        folders
            .filter(|folder| folder.get("httpUrl").is_none())
            .count(),
        2
    );
    let path = path(listed.last().unwrap());
    let reply = site.get(path, "");
    assert_eq!((reply.status, &*reply.body), (200, &b"one"[..]));
    assert_eq!(reply.get("content-type"), Some("text/plain; charset=utf-8"));
    write(root.path(), "d/file.txt", "two");
    assert_eq!(site.get(path, "").body, b"two");
    // The file was replaced by a link that leaves the root.
    write(root.path(), "d/secret", "secret");
    fs::remove_file(root.path().join("d/file.txt")).unwrap();
    assert_eq!(site.get(path, "").status, 404);
    std::os::unix::fs::symlink("secret", root.path().join("d/file.txt")).unwrap();
    assert_eq!(site.get(path, "").status, 404);
    // Only issued URLs are valid.
    for guess in [
        "/files/",
        "/files/d/file.txt",
        "/files/../d/secret",
        "/files/AAAA",
    ] {
        assert_eq!(site.get(guess, "").status, 403, "{guess}");
    }
}

/// A name of any bytes that the file system accepts.
fn name() -> impl Strategy<Value = Vec<u8>> {
    let plain = "[a-zA-Z0-9 .%?#&+=~_-]{1,12}".prop_map(String::into_bytes);
    let any = prop::collection::vec(1_u8.., 1..12);
    let any = any.prop_map(|name| name.into_iter().filter(|byte| *byte != b'/').collect());
    let valid = |name: &Vec<u8>| !matches!(&**name, b"" | b"." | b"..");
    prop_oneof![
        plain,
        "\\PC{1,4}".prop_map(|name| name.replace('/', "").into_bytes()),
        any
    ]
    .prop_filter("a name", valid)
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        any::<String>().prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..2_000),
    ]
}

#[test]
fn read_and_download_return_the_same_bytes() {
    let trees = prop::collection::vec((prop::collection::vec(name(), 1..4), content()), 1..8);
    let mut runner = TestRunner::new(Config {
        cases: Config::default().cases.min(24),
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&(trees, 0_usize..2_000), |(tree, cut)| {
        let root = tempdir().expect("a folder");
        let mut written = std::collections::BTreeMap::new();
        for (names, content) in tree {
            let names = names.iter().map(|name| OsStr::from_bytes(name));
            let path = names.fold(root.path().to_owned(), |path: PathBuf, name| {
                path.join(name)
            });
            // A name may also be the folder of another one.
            let made = fs::create_dir_all(path.parent().expect("a folder"));
            if made.and_then(|()| fs::write(&path, &content)).is_ok() {
                written.insert(path, content);
            }
        }
        let site = Site::start(root.path(), &["--hidden", "--no-watch", "--page-size", "2"]);
        let mut served = Vec::new();
        for resource in site.list() {
            if resource["resourceType"] == "document" {
                served.push(compare_methods(&site, &resource, cut));
            }
        }
        served.sort();
        let mut written: Vec<_> = written.into_values().collect();
        written.sort();
        prop_assert_eq!(served, written);
        Ok(())
    });
    outcome.expect("the same bytes");
}

/// Reads a file with all methods, and in two parts that are split at a byte.
fn compare_methods(site: &Site, resource: &Value, cut: usize) -> Vec<u8> {
    let params = json!({ "uri": resource["uri"] });
    let read = site.ask("resources/read", params.clone()).expect("read");
    let whole = bytes(&read["contents"][0]);
    let got = site.ask("resources/get", params).expect("got");
    assert_eq!(got["resource"]["version"], resource["version"]);
    let contents = &got["contents"];
    let other = match contents["content"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => Base64Text::from(contents["blob"].as_str().expect("a blob").to_owned())
            .decode()
            .expect("base64"),
    };
    assert_eq!(other, whole);
    assert_eq!(resource["size"], whole.len());
    let path = path(resource);
    let reply = site.get(path, "");
    assert_eq!((reply.status, &reply.body), (200, &whole));
    if whole.is_empty() {
        return whole;
    }
    let cut = cut % whole.len();
    let mut parts = site.get(path, &format!("Range: bytes=0-{cut}")).body;
    assert_eq!(parts.len(), cut + 1);
    if parts.len() < whole.len() {
        let rest = site.get(path, &format!("Range: bytes={}-", parts.len()));
        assert_eq!(rest.status, 206);
        parts.extend(rest.body);
    }
    assert_eq!(parts, whole);
    whole
}

#[test]
fn files_are_served_over_tls_with_the_given_certificate() {
    let root = tempdir().unwrap();
    write(root.path(), "file.txt", "over TLS");
    let keys = tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["files.example.com".to_owned()]).expect("made");
    write(keys.path(), "chain.pem", made.cert.pem());
    write(keys.path(), "key.pem", made.signing_key.serialize_pem());
    let file = |name| keys.path().join(name).to_str().expect("text").to_owned();
    let (chain, key) = (file("chain.pem"), file("key.pem"));
    let site = Site::start(root.path(), &["--tls-cert", &chain, "--tls-key", &key]);
    let connect = || connect(&site, made.cert.der().clone());
    let params = json!({ "uri": "file:///file.txt" });
    let described = ask(connect(), "resources/metadata", params).unwrap();
    let reply = exchange(connect(), &get(path(&described["resource"]), ""));
    assert_eq!((reply.status, &*reply.body), (200, &b"over TLS"[..]));
}

fn connect(
    site: &Site,
    certificate: CertificateDer<'static>,
) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("files.example.com").expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("a connection");
    let stream = TcpStream::connect(site.address).expect("connected");
    StreamOwned::new(connection, stream)
}
