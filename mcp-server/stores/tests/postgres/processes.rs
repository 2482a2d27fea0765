//! Several processes, and what every store has to do.

use std::process::Command;

use mcp_server::ValueStore;
use mcp_stores::Postgres;

use super::{cluster_or_return, put};

const URL: &str = "MCP_TEST_POSTGRES";

#[tokio::test]
async fn eight_processes_create_the_tables_at_once() {
    let cluster = cluster_or_return!();
    let program = std::env::current_exe().expect("this test has a path");
    let test = concat!(module_path!(), "::connects_as_another_process");
    let test = test.split_once("::").expect("a module").1;
    let start = |_| {
        let mut command = Command::new(&program);
        command
            .args(["--exact", test, "--ignored"])
            .env(URL, cluster.url());
        command.stdout(std::process::Stdio::piped()).spawn()
    };
    let children: Vec<_> = (0..8).map(start).collect();
    for child in children {
        let output = child.and_then(std::process::Child::wait_with_output);
        let output = output.expect("ended");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && printed.contains("1 passed"),
            "{printed}"
        );
    }
    let store = Postgres::connect(&cluster.url()).await.expect("connected");
    assert!(store.get("key").await.expect("read").is_some());
}

#[tokio::test]
#[ignore = "started by another test"]
async fn connects_as_another_process() {
    let Ok(url) = std::env::var(URL) else {
        return;
    };
    let store = Postgres::connect(&url).await.expect("connected");
    store.put(put("key", b"value")).await.expect("written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_does_what_a_store_has_to_do() {
    let cluster = cluster_or_return!();
    let connect = async || Postgres::connect(&cluster.url()).await.expect("connected");
    mcp_stores::testing::store(connect).await;
}
