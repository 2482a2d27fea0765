//! Servers that lie.

use mcp_host::skills::{EntryError, FrontmatterError, SkillError, SkillsHost, YamlError};
use serde_json::{Value, json};

use super::{SkillServer, TEXT, URI, digest, entry_of};

const FIELDS: &str = "skill://forms/fields.md";

fn honest() -> SkillServer {
    SkillServer::honest(TEXT, &[("fields.md", "Dates")])
}

/// Returns the error of loading the skill.
async fn refused(server: &SkillServer) -> SkillError {
    let client = server.client().await;
    let host = SkillsHost::new(&client, "docs");
    let skill = host.list().unwrap().all().await.unwrap().items.remove(0);
    host.load(&skill).await.expect_err("a lie")
}

#[tokio::test]
async fn content_with_another_size_or_digest_is_not_returned() {
    let same_size = TEXT.replace("See", "Run");
    let error = refused(&honest().serving(URI, &same_size)).await;
    assert!(
        matches!(error, SkillError::Digest { ref uri } if uri == URI),
        "{error}"
    );
    let longer = format!("{TEXT}more");
    let error = refused(&honest().serving(URI, &longer)).await;
    let SkillError::Size { listed, found, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((listed, found), (TEXT.len() as u64, longer.len() as u64));

    let server = honest().serving(FIELDS, "Lies!");
    let client = server.client().await;
    let host = SkillsHost::new(&client, "docs");
    let loaded = host.load(&host.get(URI).await.unwrap()).await.unwrap();
    let error = loaded.read("fields.md").await.unwrap_err();
    assert!(
        matches!(error, SkillError::Digest { ref uri } if uri == FIELDS),
        "{error}"
    );
}

#[tokio::test]
async fn frontmatter_that_differs_from_the_listed_one_is_refused() {
    let differing = |more: &'static str, listed: Value| {
        let text = TEXT.replace("---\nSee", &format!("{more}---\nSee"));
        SkillServer::honest(&text, &[]).claiming(move |entry| {
            let members = entry["frontmatter"].as_object_mut().unwrap();
            members.extend(listed.as_object().unwrap().clone());
        })
    };
    for (more, listed) in [
        ("allowed-tools: Bash\n", json!({})),
        ("", json!({ "license": "MIT" })),
        ("", json!({ "description": "Harmless" })),
        (
            "metadata: {version: '1'}\n",
            json!({ "metadata": { "version": 1 } }),
        ),
        ("x: [1, 2]\n", json!({ "x": [1] })),
    ] {
        let error = refused(&differing(more, listed.clone())).await;
        assert!(
            matches!(error, SkillError::FrontmatterDiffers { .. }),
            "{more} {listed}: {error}"
        );
    }
    // The same values, written in another way.
    for (more, listed) in [
        (
            "metadata: {version: 1.0}\n",
            json!({ "metadata": { "version": 1 } }),
        ),
        ("x: >\n  a\n  b\n", json!({ "x": "a b\n" })),
        (
            "x: [0x10, 0o10, 1e3, ~, yes, 'no', true]\n",
            json!({ "x": [16, 8, 1000, null, "yes", "no", true] }),
        ),
        ("x: 2026-07-28\n", json!({ "x": "2026-07-28" })),
        ("x: !!str 1\n", json!({ "x": "1" })),
    ] {
        let server = differing(more, listed.clone());
        let client = server.client().await;
        let host = SkillsHost::new(&client, "honest");
        let skill = host.get(URI).await.unwrap();
        let loaded = host.load(&skill).await;
        assert!(loaded.is_ok(), "{more} {listed}: {loaded:?}");
    }
}

#[tokio::test]
async fn alias_bomb_in_a_frontmatter_is_refused() {
    let bomb = TEXT.replace("---\nSee", "a: &a [x, x]\nb: [*a, *a]\n---\nSee");
    let SkillError::Frontmatter { source, .. } = refused(&SkillServer::honest(&bomb, &[])).await
    else {
        panic!("another error");
    };
    assert_eq!(source, FrontmatterError::Yaml(YamlError::Alias));
}

#[tokio::test]
async fn entries_that_break_a_rule_are_refused_before_anything_is_read() {
    type Change = fn(&mut Value);
    type Check = fn(&EntryError) -> bool;
    let cases: [(Change, Check); 11] = [
        (
            |entry| entry["uri"] = json!("skill://forms/README.md"),
            |e| *e == EntryError::Uri,
        ),
        (
            |entry| entry["uri"] = json!("skill:SKILL.md"),
            |e| *e == EntryError::Uri,
        ),
        (
            |entry| entry["uri"] = json!("skill://other/SKILL.md"),
            |e| matches!(e, EntryError::Name(_)),
        ),
        (
            |entry| entry["frontmatter"]["name"] = json!("../forms"),
            |e| *e == EntryError::Frontmatter(FrontmatterError::Name),
        ),
        (
            |entry| entry["resources"] = json!([entry_of("skill://forms/x", "x")]),
            |e| *e == EntryError::NoSkillFile,
        ),
        (
            |entry| add(entry, "skill://formsx/x"),
            |e| matches!(e, EntryError::Outside(_)),
        ),
        (
            |entry| add(entry, "skill://forms/../x"),
            |e| matches!(e, EntryError::Outside(_)),
        ),
        (
            |entry| add(entry, "skill://forms/%2e%2e%2fx"),
            |e| matches!(e, EntryError::Outside(_)),
        ),
        (
            |entry| add(entry, "skill://forms/%66ields.md"),
            |e| matches!(e, EntryError::DuplicateFile(_)),
        ),
        (
            |entry| (0..511).for_each(|file| add(entry, &format!("skill://forms/{file}"))),
            |e| *e == EntryError::Files(513),
        ),
        (
            |entry| entry["resources"][1]["size"] = json!(16 << 20),
            |e| matches!(e, EntryError::Bytes(_)),
        ),
    ];
    for (at, (change, is_expected)) in cases.into_iter().enumerate() {
        let server = honest().claiming(change);
        let SkillError::Entry { source, .. } = refused(&server).await else {
            panic!("{at}: another error");
        };
        assert!(is_expected(&source), "{at}: {source}");
        assert!(server.reads().is_empty());
    }
    let upper = digest("Dates").to_uppercase();
    let server = honest().claiming(|entry| entry["resources"][1]["digest"] = json!(upper));
    let SkillError::Entry { source, .. } = refused(&server).await else {
        panic!("another error");
    };
    assert_eq!(source, EntryError::Digest(FIELDS.to_owned()));
}

fn add(entry: &mut Value, uri: &str) {
    entry["resources"]
        .as_array_mut()
        .unwrap()
        .push(entry_of(uri, "x"));
}

#[tokio::test]
async fn other_skill_than_the_requested_one_is_refused() {
    let server = honest();
    let client = server.client().await;
    let host = SkillsHost::new(&client, "docs");
    let error = host.get("skill://other/SKILL.md").await.unwrap_err();
    assert!(matches!(error, SkillError::OtherSkill { .. }), "{error}");
}
