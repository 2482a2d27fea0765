//! Sources that are no folder.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_server::{Server, SkillFile, SkillSource, Skills};
use serde_json::json;

use super::{read, uris};
use crate::support::peer::Peer;

const TEXT: &str = "---\nname: a\ndescription: About a\n---\n";

/// A source whose files a test changes.
#[derive(Clone, Default)]
struct Memory {
    files: Arc<Mutex<Option<Vec<SkillFile>>>>,
    reads: Arc<AtomicUsize>,
}

impl SkillSource for Memory {
    fn files(&self) -> io::Result<Vec<SkillFile>> {
        let files = self.files.lock().unwrap().clone();
        files.ok_or_else(|| io::Error::other("it is away"))
    }

    fn read(&self, path: &str, _: u64) -> io::Result<Vec<u8>> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        Ok(if path.ends_with("SKILL.md") {
            TEXT
        } else {
            "x"
        }
        .into())
    }
}

fn file(path: &str, version: &str) -> SkillFile {
    SkillFile::new(path, 1, version)
}

fn serve(memory: &Memory) -> Peer {
    let skills = Skills::new(memory.clone()).check_every(Duration::ZERO);
    let server = Server::builder("test", "1").skills(skills).build().unwrap();
    Peer::modern(&server)
}

#[tokio::test]
async fn unchanged_files_are_not_read_again_and_known_skills_survive_failures() {
    let memory = Memory::default();
    *memory.files.lock().unwrap() = Some(vec![file("a/SKILL.md", "1"), file("a/x", "1")]);
    let mut peer = serve(&memory);
    assert_eq!(uris(&mut peer).await, ["skill://a/SKILL.md"]);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(memory.reads.load(Ordering::SeqCst), 2);
    *memory.files.lock().unwrap() = None;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(uris(&mut peer).await, ["skill://a/SKILL.md"]);
    assert_eq!(read(&mut peer, "skill://a/x").await["text"], "x");
}

#[tokio::test]
async fn paths_of_a_source_are_checked() {
    for path in ["a/../x", "a//x", "a/./x", "a/b\\c", "a/\0"] {
        let memory = Memory::default();
        *memory.files.lock().unwrap() = Some(vec![file("a/SKILL.md", "1"), file(path, "1")]);
        let mut peer = serve(&memory);
        assert!(uris(&mut peer).await.is_empty(), "{path:?}");
        let params = json!({ "uri": "skill://a/SKILL.md" });
        assert_eq!(peer.error("resources/read", params).await.0, -32602);
    }
}
