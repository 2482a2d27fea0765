//! What clients see of the skills.

use std::time::Duration;

use mcp_client::types::json::Object;
use mcp_client::{Client, Http as HttpTransport};
use mcp_server::types::CacheScope;
use mcp_server::{Http, Server};
use mcp_skills::{OfferSkills as _, Skills};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::{read, server, uris, write, write_skill};
use mcp_testkit::peer::Peer;

fn digest(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    let digits: String = digest
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("sha256:{digits}")
}

#[tokio::test]
async fn skills_are_listed_with_the_digests_of_the_files_that_are_read() {
    let root = tempdir().unwrap();
    let text = "---\nname: forms\ndescription: Fills in forms\nlicense: MIT\nmetadata:\n  version: 1.0\n  tags: [a, 'b']\n---\nSee references.\n";
    write(root.path(), "forms/SKILL.md", text);
    write(root.path(), "forms/references/a b.md", "Fields");
    write(root.path(), "forms/logo.png", [0, 159, 146, 150]);
    write(root.path(), "forms/.hidden", "not served");
    let server = server(root.path());
    let serving = server.serve_http(Http::at(("127.0.0.1", 0))).unwrap();
    let url = format!("http://{}/mcp", serving.local_addr());
    tokio::spawn(serving.into_future());
    let client = Client::builder("test", "1")
        .connect(HttpTransport::new(url))
        .await
        .unwrap();
    let request = async |method, params: &[(&str, &str)]| -> Value {
        let params = params.iter().copied().collect::<Object>();
        let result = client.request_json(method, &params).await.unwrap();
        serde_json::from_str(result.get()).unwrap()
    };

    let mut listed = request("skills/list", &[]).await;
    listed.as_object_mut().unwrap().remove("_meta");
    let file = |uri: &str, bytes: &[u8]| json!({ "uri": uri, "digest": digest(bytes), "size": bytes.len() });
    let skill = json!({
        "uri": "skill://forms/SKILL.md",
        "frontmatter": {
            "name": "forms",
            "description": "Fills in forms",
            "license": "MIT",
            "metadata": { "version": 1.0, "tags": ["a", "b"] },
        },
        "resources": [
            file("skill://forms/SKILL.md", text.as_bytes()),
            file("skill://forms/logo.png", &[0, 159, 146, 150]),
            file("skill://forms/references/a%20b.md", b"Fields"),
        ],
    });
    assert_eq!(
        listed,
        json!({
            "resultType": "complete", "skills": [skill], "ttlMs": 0, "cacheScope": "private",
        })
    );
    let found = request("skills/get", &[("uri", "skill://forms/SKILL.md")]).await;
    assert_eq!(found["skill"], skill);

    let mut contents = Vec::new();
    for file in skill["resources"].as_array().unwrap() {
        let uri = file["uri"].as_str().unwrap();
        let read = request("resources/read", &[("uri", uri)]).await;
        contents.push(read["contents"][0].clone());
    }
    assert_eq!(
        contents,
        [
            json!({ "uri": "skill://forms/SKILL.md", "mimeType": "text/markdown", "text": text }),
            json!({ "uri": "skill://forms/logo.png", "mimeType": "image/png", "blob": "AJ+Slg==" }),
            json!({ "uri": "skill://forms/references/a%20b.md", "mimeType": "text/markdown", "text": "Fields" }),
        ]
    );

    let listed = request("resources/list", &[]).await;
    assert_eq!(
        listed["resources"],
        json!([{
            "uri": "skill://forms/SKILL.md",
            "name": "forms",
            "description": "Fills in forms",
            "mimeType": "text/markdown",
            "size": text.len(),
        }])
    );
    let names = request("resources/directory/read", &[("uri", "skill://forms")]).await;
    let names: Vec<_> = names["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|child| (child["name"].as_str().unwrap(), child["mimeType"].as_str()))
        .collect();
    assert_eq!(
        names,
        [
            ("SKILL.md", Some("text/markdown")),
            ("logo.png", Some("image/png")),
            ("references", Some("inode/directory")),
        ]
    );
    let capabilities = client.server_capabilities();
    assert!(capabilities.resources.is_some());
    let settings = capabilities.extensions.unwrap();
    let settings = settings.get("io.modelcontextprotocol/skills").unwrap();
    assert_eq!(settings.get("directoryRead"), Some(&true.into()));
}

#[tokio::test]
async fn lists_have_pages() {
    let root = tempdir().unwrap();
    for name in ["a", "b", "c", "d", "e"] {
        write_skill(root.path(), name);
        write(root.path(), &format!("a/files/{name}"), name);
    }
    // The server has no size of pages.
    let skills = Skills::folder(root.path())
        .unwrap()
        .page_size(2)
        .cache(Duration::from_secs(5), CacheScope::Public);
    let server = Server::builder("test", "1").skills(skills).build().unwrap();
    let mut peer = Peer::modern(&server);
    for (method, member, params) in [
        ("skills/list", "skills", json!({})),
        ("resources/list", "resources", json!({})),
        (
            "resources/directory/read",
            "resources",
            json!({ "uri": "skill://a/files" }),
        ),
    ] {
        let (mut sizes, mut names, mut params) = (Vec::new(), Vec::new(), params);
        loop {
            let page = peer.result(method, params.clone()).await;
            let items = page[member].as_array().unwrap();
            sizes.push(items.len());
            names.extend(items.iter().map(|item| item["uri"].clone()));
            if method == "skills/list" {
                assert_eq!(
                    (&page["ttlMs"], &page["cacheScope"]),
                    (&json!(5000), &json!("public"))
                );
            }
            match &page["nextCursor"] {
                Value::Null => break,
                cursor => params["cursor"] = cursor.clone(),
            }
        }
        names.dedup();
        assert_eq!((sizes, names.len()), (vec![2, 2, 1], 5), "{method}");
        params["cursor"] = json!("invented");
        assert_eq!(peer.error(method, params).await.0, -32602);
    }
}

#[tokio::test]
async fn nested_skills_are_listed_and_are_files_of_the_skills_around_them() {
    let root = tempdir().unwrap();
    write_skill(root.path(), "billing/refunds");
    write_skill(root.path(), "billing/refunds/partial");
    let mut peer = Peer::modern(&server(root.path()));
    let all = [
        "skill://billing/refunds/SKILL.md",
        "skill://billing/refunds/partial/SKILL.md",
    ];
    assert_eq!(uris(&mut peer).await, all);
    let outer = peer.result("skills/get", json!({ "uri": all[0] })).await;
    let files = outer["skill"]["resources"].as_array().unwrap();
    let files: Vec<_> = files
        .iter()
        .map(|file| file["uri"].as_str().unwrap())
        .collect();
    assert_eq!(files, all);
    let names = peer
        .result(
            "resources/directory/read",
            json!({ "uri": "skill://billing" }),
        )
        .await;
    assert_eq!(names["resources"][0]["uri"], "skill://billing/refunds");
    assert!(read(&mut peer, all[1]).await["text"].is_string());
}
