//! `@modelcontextprotocol/server-memory` from npm.

use mcp_client::types::json::{Object, Value};

use crate::checks::{Checks, check, expect, skipped};
use crate::peer::{Peer, Result};

pub(crate) fn checks() -> Checks {
    vec![
        check("lists tools", tools),
        check("keeps a graph", graph),
        skipped("prompts", "the server has none"),
    ]
}

async fn tools(peer: &Peer) -> Result<()> {
    let tools = peer.client.tools().all().await?;
    expect(tools.items.len() == 9 && tools.faults.is_empty(), tools)
}

async fn graph(peer: &Peer) -> Result<()> {
    let mut ada = Object::from([("name", "Ada"), ("entityType", "person")]);
    ada.insert("observations", vec!["writes programs"]);
    let entities = Object::from([("entities", vec![Value::from(ada)])]);
    peer.text("create_entities", entities).await?;
    let found = peer
        .call("search_nodes", Object::from([("query", "programs")]))
        .await?;
    let structured = found.structured_content.ok_or("no structured content")?;
    let text = structured.to_string();
    expect(text.contains("Ada"), text)?;
    let names = Object::from([("entityNames", vec!["Ada"])]);
    peer.text("delete_entities", names).await?;
    let graph = peer.text("read_graph", Object::new()).await?;
    expect(!graph.contains("Ada"), graph)
}
