//! Names and contents of any bytes: every method returns the same.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use mcp_server::types::Base64Text;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tempfile::tempdir;

use super::http::{Site, path};
use super::reading::bytes;

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
