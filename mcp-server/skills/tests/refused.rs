//! What is not served.

use std::fs::{self, File};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use mcp_server::Server;
use mcp_skills::{OfferSkills as _, Skills};
use serde_json::json;
use tempfile::tempdir;
use tracing::Level;

use crate::{read, server, uris, write, write_skill};
use mcp_testkit::log::Log;
use mcp_testkit::peer::Peer;

#[test]
fn error_of_a_missing_folder_has_its_path() {
    let error = Skills::folder("/no/such/folder").err().expect("no folder");
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(error.to_string().contains("`/no/such/folder`"), "{error}");
}

#[tokio::test]
async fn nothing_outside_of_skills_is_read() {
    let root = tempdir().unwrap();
    write(root.path(), "secret", "secret");
    write(root.path(), "skills/readme.md", "not part of a skill");
    write(root.path(), "skills/a/.env", "hidden");
    write_skill(&root.path().join("skills"), "a");
    let mut peer = Peer::modern(&server(&root.path().join("skills")));
    for path in [
        "../secret",
        "a/../../secret",
        "a/%2e%2e/%2e%2e/secret",
        "a/..%2f..%2fsecret",
        "a/.env",
        "a/SKILL.md/",
        "a/SKILL.md?x",
        "a",
        "readme.md",
        "/etc/passwd",
        // Other names of files that Windows knows.
        "a\\SKILL.md",
        "a%5C..%5C..%5Csecret",
        "a/SKILL.md::$DATA",
        "a/SKILL.md.",
        "a/SKILL.md%20",
        "A/skill.md",
        "a/SKILL~1.MD",
        "CON",
        "a/NUL.txt",
        "%5C%5C?%5CC:%5Csecret",
    ] {
        let uri = format!("skill://{path}");
        assert_eq!(
            peer.error("resources/read", json!({ "uri": uri })).await.0,
            -32602,
            "{uri}"
        );
        assert_eq!(
            peer.error("skills/get", json!({ "uri": uri })).await.0,
            -32602,
            "{uri}"
        );
    }
    for path in ["..", "a/..", "a/SKILL.md", "b", "a/", ""] {
        let uri = format!("skill://{path}");
        let (code, text) = peer
            .error("resources/directory/read", json!({ "uri": uri }))
            .await;
        assert_eq!(code, -32602, "{uri}: {text}");
    }
    assert!(read(&mut peer, "skill://a/%53KILL.md").await["text"].is_string());
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_not_followed() {
    let log = Log::begin();
    let root = tempdir().unwrap();
    let skills = root.path().join("skills");
    write(root.path(), "secret", "secret");
    write_skill(root.path(), "elsewhere");
    for name in ["linked-file", "swapped", "good"] {
        write_skill(&skills, name);
    }
    write(&skills, "swapped/file", "public");
    symlink(root.path().join("secret"), skills.join("linked-file/file")).unwrap();
    symlink(root.path().join("elsewhere"), skills.join("elsewhere")).unwrap();
    // The next check for changes is not soon.
    let settings = Skills::folder(&skills)
        .unwrap()
        .check_every(Duration::from_secs(3600));
    let server = Server::builder("test", "1")
        .skills(settings)
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    assert_eq!(
        uris(&mut peer).await,
        ["skill://good/SKILL.md", "skill://swapped/SKILL.md"]
    );
    let logged: Vec<_> = log
        .of(Level::WARN)
        .iter()
        .map(|event| format!("{:?}", event.fields))
        .collect();
    for path in ["elsewhere", "linked-file"] {
        let is_named =
            |text: &&String| text.contains(path) && text.contains("links are not followed");
        assert_eq!(logged.iter().filter(is_named).count(), 1, "{logged:?}");
    }

    assert_eq!(
        read(&mut peer, "skill://swapped/file").await["text"],
        "public"
    );
    fs::remove_file(skills.join("swapped/file")).unwrap();
    symlink(root.path().join("secret"), skills.join("swapped/file")).unwrap();
    let (code, _) = peer
        .error("resources/read", json!({ "uri": "skill://swapped/file" }))
        .await;
    assert_eq!(code, -32602);
    assert_eq!(uris(&mut peer).await, ["skill://good/SKILL.md"]);
    // A folder is replaced by a link to another one.
    fs::rename(skills.join("good"), root.path().join("moved")).unwrap();
    symlink(root.path().join("moved"), skills.join("good")).unwrap();
    let (code, _) = peer
        .error("resources/read", json!({ "uri": "skill://good/SKILL.md" }))
        .await;
    assert_eq!(code, -32602);
}

#[tokio::test]
async fn skills_that_break_a_rule_are_left_out_and_the_log_says_why() {
    let log = Log::begin();
    let root = tempdir().unwrap();
    write_skill(root.path(), "good");
    let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
    let deep = format!("x: {}{}\n", "[".repeat(100), "]".repeat(100));
    let many = format!("x: [{}]\n", "1,".repeat(5000));
    let oversized = format!("# {}\n", "x".repeat(70_000));
    let about = |name: &str, more: &str| format!("---\nname: {name}\ndescription: x\n{more}---\n");
    for (name, text, reason) in [
        (
            "no-text",
            "Do it.\n".to_owned(),
            "does not begin with a line `---`",
        ),
        (
            "no-end",
            "---\nname: no-end\n".to_owned(),
            "no closing line",
        ),
        ("no-yaml", about("no-yaml", "x: [\n"), "invalid YAML"),
        ("no-map", "---\n- x\n---\n".to_owned(), "not a mapping"),
        ("other", about("another", ""), "another name than `another`"),
        ("Upper", about("Upper", ""), "`name` is not"),
        ("a--b", about("a--b", ""), "`name` is not"),
        (
            "vague",
            "---\nname: vague\n---\n".to_owned(),
            "`description` is not",
        ),
        (
            "picky",
            about("picky", "compatibility: 1\n"),
            "`compatibility` is not",
        ),
        ("alias-bomb", about("alias-bomb", bomb), "an alias"),
        ("deep", about("deep", &deep), "levels"),
        ("many", about("many", &many), "4096 values"),
        ("long", about("long", &oversized), "65536 bytes"),
        (
            "twice",
            about("twice", "name: twice\n"),
            "`name` occurs twice",
        ),
        ("large", about("large", ""), "more than 16777216"),
        ("files", about("files", ""), "513 files"),
    ] {
        write(root.path(), &format!("{name}/SKILL.md"), text);
        if name == "large" {
            let file = File::create(root.path().join("large/file")).unwrap();
            file.set_len(16 << 20).unwrap();
        }
        if name == "files" {
            (0..512).for_each(|file| write(root.path(), &format!("files/{file}"), ""));
        }
        let mut peer = Peer::modern(&server(root.path()));
        assert_eq!(uris(&mut peer).await, ["skill://good/SKILL.md"], "{name}");
        let warned = log.of(Level::WARN);
        let [event] = warned.as_slice() else {
            panic!("{name}: {warned:?}");
        };
        assert_eq!(event.fields.get("path"), Some(name));
        let found = event.fields.get("reason").unwrap_or_default();
        assert!(found.contains(reason), "{name}: {found}");
        fs::remove_dir_all(root.path().join(name)).unwrap();
    }
    assert_limits_are_inclusive(root.path()).await;
}

async fn assert_limits_are_inclusive(root: &Path) {
    write_skill(root, "full");
    let length = fs::metadata(root.join("full/SKILL.md")).unwrap().len();
    let file = File::create(root.join("full/file")).unwrap();
    file.set_len((16 << 20) - length).unwrap();
    (0..510).for_each(|file| write(root, &format!("full/{file}"), ""));
    let mut peer = Peer::modern(&server(root));
    assert_eq!(
        uris(&mut peer).await,
        ["skill://full/SKILL.md", "skill://good/SKILL.md"]
    );
}
