//! `mcp skills`.

use std::fs;

use tokio::runtime::Runtime;

use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};
use crate::support::skill_server::{SkillServer, TEXT, URI};

use super::{Served, run, subject};

/// Runs the command with the skills in a folder.
fn skills(folder: &str, arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command
        .arg("skills")
        .args(arguments)
        .arg("--")
        .arg(subject());
    command
        .args(["skills", folder])
        .output()
        .expect("it runs")
        .into()
}

/// Serves a skill until the runtime is dropped. Returns the URL of the server.
fn serve(server: &SkillServer) -> (Runtime, String) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let url = runtime.block_on(async {
        let at = mcp_server::Http::at(("127.0.0.1", 0));
        let serving = server.server().serve_http(at).unwrap();
        let url = format!("http://{}/mcp", serving.local_addr());
        tokio::spawn(serving.into_future());
        url
    });
    (runtime, url)
}

#[test]
fn skills_are_listed_and_verified() {
    let folder = Folder::new("skills").created();
    let root = folder.file("skills");
    fs::create_dir_all(folder.file("skills/forms")).unwrap();
    let text = "---\nname: forms\ndescription: |\n  Fills in forms\x1b[31m\n---\n";
    fs::write(folder.file("skills/forms/SKILL.md"), text).unwrap();
    fs::write(folder.file("skills/forms/fields.bin"), [0, 159]).unwrap();
    let listed = format!(
        "skill://forms/SKILL.md\n  forms, 2 files, {} bytes\n  Fills in forms\\u{{1b}}[31m\n",
        text.len() + 2
    );
    assert_eq!(skills(&root, &[]).out, listed);
    let verified = format!("{listed}  verified\n");
    let printed = skills(&root, &["--verify"]);
    assert_eq!(
        (printed.code, printed.out),
        (Some(0), verified.clone()),
        "{}",
        printed.err
    );
    let served = Served::with(&["http", "skills", &root]);
    let printed: Printed = mcp()
        .args(["skills", &served.url, "--verify"])
        .output()
        .unwrap()
        .into();
    assert_eq!((printed.code, printed.out), (Some(0), verified));
    let printed = skills(&root, &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&printed.out).unwrap();
    assert_eq!(json["skills"][0]["frontmatter"]["name"], "forms");
}

#[test]
fn server_without_skills_is_an_error() {
    let printed = run(&["skills"]);
    assert_eq!(printed.code, Some(4));
    assert_eq!(printed.err, "mcp: the server offers no skills\n");
}

/// Serves an entry with a wrong digest.
#[test]
fn skill_that_fails_the_verification_exits_with_6() {
    let server = SkillServer::honest(TEXT, &[]).serving(URI, &TEXT.replace("See", "Run"));
    let (_runtime, url) = serve(&server);
    let printed: Printed = mcp().args(["skills", &url]).output().unwrap().into();
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let printed: Printed = mcp()
        .args(["skills", &url, "--verify"])
        .output()
        .unwrap()
        .into();
    assert_eq!(printed.code, Some(6), "{printed:?}");
    assert!(
        printed
            .err
            .contains("has another digest than the listed one"),
        "{printed:?}"
    );
}

#[test]
fn generated_skill_is_never_reported_as_verified() {
    let server =
        SkillServer::honest(TEXT, &[]).claiming(|entry| entry["resources"] = "dynamic".into());
    let (_runtime, url) = serve(&server);
    let printed: Printed = mcp().args(["skills", &url]).output().unwrap().into();
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert!(printed.out.contains("generated"), "{printed:?}");
    for arguments in [&["--verify"][..], &["--verify", "--json"]] {
        let printed: Printed = mcp()
            .args(["skills", &url])
            .args(arguments)
            .output()
            .unwrap()
            .into();
        assert_eq!(printed.code, Some(6), "{printed:?}");
        assert!(!printed.out.contains("verified"), "{printed:?}");
        assert!(printed.err.contains("cannot be verified"), "{printed:?}");
    }
}

#[test]
fn faults_name_the_skill_and_the_file() {
    let server = SkillServer::honest(TEXT, &[("fields.md", "Fields"), ("more.md", "More")]);
    server
        .0
        .lock()
        .unwrap()
        .files
        .remove("skill://forms/fields.md");
    let server = server.serving("skill://forms/more.md", "Less");
    let (_runtime, url) = serve(&server);
    let printed: Printed = mcp()
        .args(["skills", &url, "--verify"])
        .output()
        .unwrap()
        .into();
    assert_eq!(printed.code, Some(6), "{printed:?}");
    for fault in [
        "the skill `skill://forms/SKILL.md`: the file `skill://forms/fields.md` cannot be read: ",
        "the skill `skill://forms/SKILL.md`: `skill://forms/more.md` has another digest",
    ] {
        assert!(printed.err.contains(fault), "{printed:?}");
    }
}

#[test]
fn entry_without_a_digest_is_named_and_not_verified() {
    let server = SkillServer::honest(TEXT, &[]).claiming(|entry| {
        entry["resources"][0]
            .as_object_mut()
            .unwrap()
            .remove("digest");
    });
    let (_runtime, url) = serve(&server);
    let printed: Printed = mcp()
        .args(["skills", &url, "--verify"])
        .output()
        .unwrap()
        .into();
    assert_eq!(printed.code, Some(6), "{printed:?}");
    assert!(
        printed.err.contains("`skill://forms/SKILL.md`: "),
        "{printed:?}"
    );
    assert!(printed.err.contains("digest"), "{printed:?}");
    assert!(!printed.err.contains("is empty"), "{printed:?}");
}
