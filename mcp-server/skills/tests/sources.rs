//! Sources that are no folder.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_server::Server;
use mcp_skills::{OfferSkills as _, SkillFile, SkillSource, Skills};
use serde_json::json;

use crate::{read, uris};
use mcp_testkit::peer::{Peer, soon};

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
async fn source_is_released_with_the_server_whenever_the_next_check_is() {
    let memory = Memory::default();
    *memory.files.lock().unwrap() = Some(vec![file("a/SKILL.md", "1")]);
    let skills = Skills::new(memory.clone()).check_every(Duration::from_secs(3600));
    let server = Server::builder("test", "1").skills(skills).build().unwrap();
    let weak = server.downgrade();
    assert_eq!(
        uris(&mut Peer::modern(&server)).await,
        ["skill://a/SKILL.md"]
    );
    assert!(weak.upgrade().is_some());
    drop(server);
    soon(async {
        while Arc::strong_count(&memory.files) > 1 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    assert!(weak.upgrade().is_none());
}

/// A source whose lists take their time. The files differ from what the list says.
#[derive(Clone, Default)]
struct Slow {
    lists: Arc<AtomicUsize>,
    is_away: bool,
}

impl SkillSource for Slow {
    fn files(&self) -> io::Result<Vec<SkillFile>> {
        let count = self.lists.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(300));
        if self.is_away {
            return Err(io::Error::other("it is away"));
        }
        Ok(vec![
            file("a/SKILL.md", "1"),
            file("a/x", &count.to_string()),
        ])
    }

    fn read(&self, path: &str, _: u64) -> io::Result<Vec<u8>> {
        Ok(if path.ends_with("SKILL.md") {
            TEXT.into()
        } else {
            self.lists.load(Ordering::SeqCst).to_string().into()
        })
    }
}

#[tokio::test]
async fn requests_that_need_the_list_at_the_same_time_share_it() {
    let source = Slow::default();
    let skills = Skills::new(source.clone()).check_every(Duration::from_secs(3600));
    let server = Server::builder("test", "1").skills(skills).build().unwrap();
    let mut peer = Peer::modern(&server);
    assert_eq!(uris(&mut peer).await, ["skill://a/SKILL.md"]);
    // The file is another one than at the list, which each request notices.
    source.lists.store(5, Ordering::SeqCst);
    for _ in 0..20 {
        let uri = json!({ "uri": "skill://a/x" });
        peer.start("resources/read", uri).await;
    }
    for _ in 0..20 {
        peer.receive().await;
    }
    // Each of up to three attempts of all requests needs one.
    let lists = source.lists.load(Ordering::SeqCst) - 5;
    assert!((1..=3).contains(&lists), "{lists}");
}

#[tokio::test]
async fn cancelled_requests_do_not_list_a_source_that_fails_again_and_again() {
    let source = Slow {
        is_away: true,
        ..Slow::default()
    };
    let skills = Skills::new(source.clone()).check_every(Duration::from_secs(3600));
    let server = Server::builder("test", "1").skills(skills).build().unwrap();
    let started = Instant::now();
    let mut peer = Peer::modern(&server);
    for _ in 0..50 {
        let id = peer.start("skills/list", json!({})).await;
        let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
        peer.send(cancelled).await;
    }
    assert_eq!(peer.error("skills/list", json!({})).await.0, -32603);
    // One, and on a busy machine another one after each two seconds.
    let lists = source.lists.load(Ordering::SeqCst) as u64;
    assert!(lists <= 1 + started.elapsed().as_secs(), "{lists}");
}

#[tokio::test]
async fn skills_within_skills_are_bounded_together() {
    let memory = Memory::default();
    let mut files = Vec::new();
    for chain in 0..7 {
        let mut folder = format!("c{chain}");
        for _ in 0..30 {
            folder.push_str("/a");
            files.push(file(&format!("{folder}/SKILL.md"), "1"));
        }
        files.extend((0..480).map(|at| file(&format!("{folder}/{at}"), "1")));
    }
    *memory.files.lock().unwrap() = Some(files);
    let skills = Skills::new(memory.clone()).check_every(Duration::from_secs(3600));
    let skills = skills.page_size(1000);
    let server = Server::builder("test", "1").skills(skills).build().unwrap();
    let listed = uris(&mut Peer::modern(&server)).await.len();
    assert!((150..7 * 30).contains(&listed), "{listed}");
}

/// A source that may fail or take its time, and counts how many files are read at once.
#[derive(Clone, Default)]
struct Unsteady {
    is_slow: Arc<AtomicBool>,
    is_broken: Arc<AtomicBool>,
    reading: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl SkillSource for Unsteady {
    fn files(&self) -> io::Result<Vec<SkillFile>> {
        Ok(vec![file("a/SKILL.md", "1")])
    }

    fn read(&self, _: &str, _: u64) -> io::Result<Vec<u8>> {
        if self.is_broken.load(Ordering::SeqCst) {
            return Err(io::Error::other("it is away"));
        }
        let reading = self.reading.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(reading, Ordering::SeqCst);
        if self.is_slow.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(200));
        }
        self.reading.fetch_sub(1, Ordering::SeqCst);
        Ok(TEXT.into())
    }
}

/// Serves a source that is checked once an hour.
fn serve_rarely_checked(source: &Unsteady) -> Peer {
    let skills = Skills::new(source.clone()).check_every(Duration::from_secs(3600));
    let server = Server::builder("test", "1").skills(skills).build().unwrap();
    Peer::modern(&server)
}

#[tokio::test]
async fn file_that_could_not_be_read_is_read_again_soon() {
    let source = Unsteady::default();
    source.is_broken.store(true, Ordering::SeqCst);
    let mut peer = serve_rarely_checked(&source);
    assert!(uris(&mut peer).await.is_empty());
    source.is_broken.store(false, Ordering::SeqCst);
    soon(async {
        while uris(&mut peer).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}

/// Cancelled requests count as well while their files are read.
#[tokio::test]
async fn few_files_are_read_at_once() {
    let source = Unsteady::default();
    let mut peer = serve_rarely_checked(&source);
    uris(&mut peer).await;
    source.is_slow.store(true, Ordering::SeqCst);
    let params = json!({ "uri": "skill://a/SKILL.md" });
    for _ in 0..6 {
        let id = peer.start("resources/read", params.clone()).await;
        while source.reading.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let cancelled = json!({ "requestId": id });
        peer.send(json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled,
        }))
        .await;
    }
    for _ in 0..6 {
        peer.start("resources/read", params.clone()).await;
    }
    for _ in 0..6 {
        let answer = peer.receive().await;
        assert_eq!(answer["result"]["contents"][0]["text"], TEXT, "{answer}");
    }
    assert_eq!(source.most.load(Ordering::SeqCst), 4);
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
