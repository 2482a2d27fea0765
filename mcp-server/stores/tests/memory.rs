//! The store in memory.

use mcp_server::Memory;
use mcp_stores::testing;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_does_what_a_store_has_to_do() {
    let shared = Memory::new();
    testing::store(async || shared.clone()).await;
}
