//! Servers that are honest.

use std::time::Duration;

use mcp_client::{Cache, Client};
use mcp_host::skills::{DynamicSkill, IDENTIFIER, SkillError, SkillsHost};
use mcp_server::types::{CacheScope, Revision, TextResourceContents};
use mcp_server::{Params, ResourceUri, Server, ServerExtension, TemplateDef};
use serde_json::json;

use super::{GetSkill, SkillServer, TEXT, URI, connect, object, plain_server};
use crate::serve;

#[tokio::test]
async fn files_are_read_when_they_are_asked_for() {
    let server = SkillServer::honest(TEXT, &[("fields.md", "Dates"), ("a%20b.md", "Spaces")]);
    let client = server.client().await;
    let host = SkillsHost::new(&client, "docs-server");
    let skills = host.list().unwrap().all().await.unwrap().items;
    let [skill] = skills.as_slice() else {
        panic!("{skills:?}");
    };
    assert_eq!(
        (skill.name(), skill.description()),
        ("forms", "Fills in forms")
    );
    assert_eq!(
        host.id(skill).to_string(),
        format!("`{URI}` of `docs-server`")
    );
    assert_eq!(host.get(URI).await.unwrap(), *skill);
    assert!(server.reads().is_empty());
    let loaded = host.load(skill).await.unwrap();
    assert_eq!(loaded.text(), TEXT);
    assert_eq!(server.reads(), [URI]);
    for (path, content) in [
        ("fields.md", "Dates"),
        ("./fields.md", "Dates"),
        ("skill://forms/fields.md", "Dates"),
        ("a b.md", "Spaces"),
    ] {
        assert_eq!(
            loaded.read(path).await.unwrap(),
            content.as_bytes(),
            "{path}"
        );
    }
}

#[tokio::test]
async fn skills_are_the_same_at_revisions_with_sessions() {
    let server = SkillServer::honest(TEXT, &[("fields.md", "Dates")]).server();
    for revision in [Revision::V2025_11_25, Revision::V2024_11_05] {
        let builder = Client::builder("test", "1").revision(revision);
        let client = builder.connect(serve(&server)).await.expect("connected");
        let host = SkillsHost::new(&client, "docs");
        let skills = host.list().unwrap().all().await.unwrap().items;
        assert_eq!(skills, [host.get(URI).await.unwrap()], "{revision}");
        let loaded = host.load(&skills[0]).await.unwrap();
        assert_eq!(loaded.read("fields.md").await.unwrap(), b"Dates");
    }
}

#[tokio::test]
async fn files_that_are_not_listed_are_not_requested() {
    let server = SkillServer::honest(TEXT, &[("fields.md", "Dates")])
        .serving("skill://forms/new.md", "Added later")
        .serving("skill://secret", "Secret");
    let client = server.client().await;
    let host = SkillsHost::new(&client, "docs");
    let skill = host.get(URI).await.unwrap();
    let loaded = host.load(&skill).await.unwrap();
    for path in [
        "new.md",
        "../secret",
        "skill://secret",
        "fields.md/",
        "FIELDS.md",
        "",
    ] {
        let error = loaded.read(path).await.unwrap_err();
        assert!(
            matches!(error, SkillError::Unlisted { .. }),
            "{path}: {error}"
        );
    }
    assert_eq!(server.reads(), [URI]);
}

#[tokio::test]
async fn server_without_the_extension_gets_no_request() {
    let client = connect(&plain_server()).await;
    let host = SkillsHost::new(&client, "plain");
    assert!(matches!(host.list(), Err(SkillError::NotAnnounced)));
    assert!(matches!(host.get(URI).await, Err(SkillError::NotAnnounced)));
}

#[tokio::test]
async fn generated_skills_are_loaded_only_if_the_host_permits_it() {
    let server = SkillServer::honest(TEXT, &[("today.md", "Monday")])
        .claiming(|entry| entry["resources"] = json!("dynamic"))
        .serving("skill://forms/large", &"x".repeat(9 << 20))
        .serving("skill://secret", "Secret");
    let client = server.client().await;
    let host = SkillsHost::new(&client, "docs");
    let skill = host.get(URI).await.unwrap();
    assert_eq!(skill.resources, DynamicSkill::Dynamic.into());
    let error = host.load(&skill).await.unwrap_err();
    assert!(matches!(error, SkillError::Dynamic { .. }), "{error}");
    assert!(server.reads().is_empty());
    let loaded = host.allow_dynamic(true).load(&skill).await.unwrap();
    assert_eq!(loaded.read("today.md").await.unwrap(), b"Monday");
    for path in ["../secret", "skill://secret"] {
        let error = loaded.read(path).await.unwrap_err();
        assert!(matches!(error, SkillError::Unlisted { .. }), "{error}");
    }
    assert!(loaded.read("large").await.is_ok());
    let error = loaded.read("large").await.unwrap_err();
    assert!(matches!(error, SkillError::TooLarge { .. }), "{error}");
}

#[tokio::test]
async fn cached_content_that_is_older_than_the_list_is_read_again() {
    let server = SkillServer::honest(TEXT, &[("fields.md", "Dates")]);
    let reads = server.clone();
    let template = TemplateDef::new("skill://{+path}", "files")
        .cache(Duration::from_secs(60), CacheScope::Public)
        .handler(move |ResourceUri(uri): ResourceUri| {
            let text = reads.0.lock().unwrap().files[&uri].clone();
            async move { TextResourceContents::new(uri, text) }
        });
    let entries = server.clone();
    let extension = ServerExtension::new(IDENTIFIER).on(move |_: Params<GetSkill>| {
        let entry = entries.0.lock().unwrap().entry.clone();
        async move { object(&json!({ "skill": entry })) }
    });
    let serving = Server::builder("cached", "1").extension(extension);
    let serving = serving.add_resource_template(template).build().unwrap();
    let builder = Client::builder("test", "1").cache(Cache::new());
    let client = builder.connect(serve(&serving)).await.unwrap();
    let host = SkillsHost::new(&client, "docs");
    let loaded = host.load(&host.get(URI).await.unwrap()).await.unwrap();
    assert_eq!(loaded.read("fields.md").await.unwrap(), b"Dates");
    let other = SkillServer::honest(TEXT, &[("fields.md", "Boxes")]);
    std::mem::swap(
        &mut *server.0.lock().unwrap(),
        &mut *other.0.lock().unwrap(),
    );
    // What was loaded does not change.
    assert_eq!(loaded.read("fields.md").await.unwrap(), b"Dates");
    let loaded = host.load(&host.get(URI).await.unwrap()).await.unwrap();
    assert_eq!(loaded.read("fields.md").await.unwrap(), b"Boxes");
}
