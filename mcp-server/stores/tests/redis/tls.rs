//! Connections over TLS.

use std::net::TcpListener;
use std::process::{Command, Output};

use mcp_server::{Bus, EventStore, ValueStore};
use mcp_stores::Redis;
use tempfile::TempDir;

use super::server::RedisServer;
use super::{LONG, STREAM, end, put};

const URL: &str = "MCP_TEST_REDIS";

#[test]
fn certificate_of_the_server_is_verified() {
    let folder = TempDir::new().expect("folder");
    let certificate = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]);
    let certificate = certificate.expect("a certificate");
    let write = |name, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let key = write("key", certificate.signing_key.serialize_pem());
    let certificate = write("certificate", certificate.cert.pem());
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("address").port().to_string();
    drop(listener);
    let arguments = [
        ["--tls-port", &port],
        ["--tls-cert-file", &certificate],
        ["--tls-key-file", &key],
        ["--tls-auth-clients", "no"],
    ];
    let Some(_server) = RedisServer::start(arguments.as_flattened()) else {
        return;
    };
    // The certificates that a process trusts are those of its environment.
    let use_store = |trusted: &str| -> Output {
        let program = std::env::current_exe().expect("this test has a path");
        let test = concat!(module_path!(), "::uses_the_store");
        let test = test.split_once("::").expect("a module").1;
        let mut command = Command::new(program);
        command.args(["--exact", test, "--ignored"]);
        command.env(URL, format!("rediss://127.0.0.1:{port}"));
        command
            .env("SSL_CERT_FILE", trusted)
            .env_remove("SSL_CERT_DIR");
        command.output().expect("started")
    };
    let output = use_store(&certificate);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("1 passed"), "{printed}");

    let other = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]);
    let other = write("other", other.expect("a certificate").cert.pem());
    let output = use_store(&other);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!output.status.success(), "{printed}");
    assert!(printed.contains("invalid peer certificate"), "{printed}");
}

#[tokio::test]
#[ignore = "started by another test"]
async fn uses_the_store() {
    let Ok(url) = std::env::var(URL) else {
        return;
    };
    let store = Redis::connect(&url).await.expect("connected");
    store.put(put("key", b"value")).await.expect("written");
    // Both wait, each on a connection of its own.
    let position = end(&store).await;
    store.open(STREAM, b"", LONG).await.expect("opened");
    let publish = async {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        store.publish(b"message").await.expect("published");
        store.append(STREAM, 1, None, LONG).await.expect("appended");
    };
    let receive = store.receive(Some(&position));
    let (page, events, ()) = tokio::join!(receive, store.read(STREAM, 0), publish);
    assert_eq!(page.expect("received").messages, [b"message"]);
    assert!(events.expect("read").is_some());
}
