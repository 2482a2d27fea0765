//! Skills of servers, as clients see them.

mod changes;
mod lists;
mod refused;
mod sources;

use std::path::Path;
use std::time::Duration;

use mcp_server::Server;
use mcp_skills::{OfferSkills as _, Skills};
use serde_json::{Value, json};

use mcp_testkit::peer::Peer;

/// Writes a file, and creates the folders above it.
fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    std::fs::write(path, content).expect("written");
}

/// Writes the `SKILL.md` of a skill whose name is the last part of its path.
fn write_skill(root: &Path, path: &str) {
    let name = path.rsplit('/').next().expect("a name");
    let text = format!("---\nname: {name}\ndescription: About {name}\n---\nDo it.\n");
    write(root, &format!("{path}/SKILL.md"), text);
}

/// Returns a server that looks for changes as often as possible.
fn server(root: &Path) -> Server {
    let skills = Skills::folder(root).expect("opened");
    let skills = skills.check_every(Duration::ZERO);
    Server::builder("test", "1")
        .skills(skills)
        .build()
        .expect("built")
}

async fn uris(peer: &mut Peer) -> Vec<String> {
    let result = peer.result("skills/list", json!({})).await;
    let skills = result["skills"].as_array().expect("a list");
    let uri = |skill: &Value| skill["uri"].as_str().expect("a URI").to_owned();
    skills.iter().map(uri).collect()
}

async fn read(peer: &mut Peer, uri: &str) -> Value {
    let mut result = peer.result("resources/read", json!({ "uri": uri })).await;
    result["contents"][0].take()
}
