//! HTTPS URLs of files, and TLS.

use std::fs;
use std::net::TcpStream;
use std::sync::Arc;

use mcp_server::rustls::crypto::ring::default_provider;
use mcp_server::rustls::pki_types::{CertificateDer, ServerName};
use mcp_server::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::json;
use tempfile::tempdir;

use super::http::{Site, ask, exchange, get, path};
use super::peer::write;

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
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("secret", root.path().join("d/file.txt")).unwrap();
        assert_eq!(site.get(path, "").status, 404);
    }
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
