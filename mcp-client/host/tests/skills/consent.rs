//! Consent of the user.

use std::sync::{Arc, Mutex};

use mcp_host::skills::{ConsentRequest, SkillError, SkillsHost};
use mcp_server::Server;
use mcp_skills::{OfferSkills as _, SkillFile, SkillSource, Skills};

use super::{SkillServer, TEXT, URI, connect};

const OUTER: &str = "skill://outer/SKILL.md";
const INNER: &str = "skill://outer/inner/SKILL.md";

/// Two skills, one within the other.
struct Nested;

fn text(path: &str) -> String {
    let name = if path.contains("inner") {
        "inner"
    } else {
        "outer"
    };
    format!("---\nname: {name}\ndescription: About it\n---\n")
}

impl SkillSource for Nested {
    fn files(&self) -> std::io::Result<Vec<SkillFile>> {
        let file = |path: &str| SkillFile::new(path, text(path).len() as u64, "1");
        Ok(vec![file("outer/SKILL.md"), file("outer/inner/SKILL.md")])
    }

    fn read(&self, path: &str, _: u64) -> std::io::Result<Vec<u8>> {
        Ok(text(path).into_bytes())
    }
}

#[tokio::test]
async fn skill_within_a_loaded_one_needs_a_consent_of_its_own() {
    let server = Server::builder("test", "1")
        .skills(Skills::new(Nested))
        .build()
        .unwrap();
    let client = connect(&server).await;
    let host = SkillsHost::new(&client, "docs");
    let (outer, inner) = (
        host.get(OUTER).await.unwrap(),
        host.get(INNER).await.unwrap(),
    );
    let loaded = host.load(&outer).await.unwrap();
    let error = host.load(&inner).await.unwrap_err();
    assert!(
        matches!(error, SkillError::NoConsent { ref id } if id.uri == INNER),
        "{error}"
    );
    // As a file it can be read.
    let file = loaded.read("inner/SKILL.md").await.unwrap();
    assert_eq!(file, text("inner").into_bytes());

    let asked = Arc::<Mutex<Vec<ConsentRequest>>>::default();
    let kept = Arc::clone(&asked);
    let host = SkillsHost::new(&client, "docs").on_consent(move |request| {
        let agrees = request.enclosing.is_none();
        kept.lock().unwrap().push(request);
        async move { agrees }
    });
    host.load(&outer).await.unwrap();
    let error = host.load(&inner).await.unwrap_err();
    assert!(matches!(error, SkillError::NoConsent { .. }), "{error}");
    let asked = asked.lock().unwrap();
    let [first, second] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    assert_eq!((&*first.id.uri, &first.enclosing), (OUTER, &None));
    assert_eq!((&*second.id.server, &*second.id.uri), ("docs", INNER));
    assert_eq!(second.enclosing.as_ref(), Some(&first.id));
}

#[tokio::test]
async fn consent_is_bound_to_the_files() {
    let server = SkillServer::honest(TEXT, &[("fields.md", "Dates")]);
    let client = server.client().await;
    let asked = Arc::<Mutex<Vec<bool>>>::default();
    let kept = Arc::clone(&asked);
    let host = SkillsHost::new(&client, "docs").on_consent(move |request| {
        kept.lock().unwrap().push(request.has_changed);
        async { true }
    });
    for _ in 0..2 {
        host.load(&host.get(URI).await.unwrap()).await.unwrap();
    }
    assert_eq!(*asked.lock().unwrap(), [false]);
    let changed = SkillServer::honest(TEXT, &[("fields.md", "Boxes")]);
    std::mem::swap(
        &mut *server.0.lock().unwrap(),
        &mut *changed.0.lock().unwrap(),
    );
    for _ in 0..2 {
        host.load(&host.get(URI).await.unwrap()).await.unwrap();
    }
    assert_eq!(*asked.lock().unwrap(), [false, true]);
}

#[tokio::test]
async fn consent_to_a_false_description_is_not_kept() {
    let text = "---\nname: forms\ndescription: Sends everything away\n---\n";
    let server = SkillServer::honest(text, &[]);
    let client = server.client().await;
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let kept = Arc::clone(&asked);
    let host = SkillsHost::new(&client, "docs").on_consent(move |request| {
        let described = request.skill.description().to_owned();
        kept.lock().unwrap().push(described);
        async { true }
    });
    // The list has the digest of the file, and another description.
    let error = host.load(&host.get(URI).await.unwrap()).await.unwrap_err();
    assert!(error.to_string().contains("description"), "{error}");
    let server = server.claiming(|entry| {
        entry["frontmatter"]["description"] = "Sends everything away".into();
    });
    drop(server);
    host.load(&host.get(URI).await.unwrap()).await.unwrap();
    let asked = asked.lock().unwrap();
    assert_eq!(*asked, ["Fills in forms", "Sends everything away"]);
}

#[tokio::test]
async fn nested_skill_is_recognised_in_every_spelling() {
    let server = Server::builder("test", "1")
        .skills(Skills::new(Nested))
        .build()
        .unwrap();
    let client = connect(&server).await;
    let host = SkillsHost::new(&client, "docs");
    host.load(&host.get(OUTER).await.unwrap()).await.unwrap();
    let inner = host.get(INNER).await.unwrap();
    for spelling in ["skill://oute%72/inner/", "SKILL://outer/inner/"] {
        let mut other = inner.clone();
        let respell = |uri: &str| uri.replace("skill://outer/inner/", spelling);
        other.uri = respell(&other.uri);
        if let mcp_host::skills::SkillResources::Files(files) = &mut other.resources {
            for file in files {
                file.uri = respell(&file.uri);
            }
        }
        let error = host.load(&other).await.unwrap_err();
        assert!(
            matches!(error, SkillError::NoConsent { .. }),
            "{spelling}: {error}"
        );
    }
}
