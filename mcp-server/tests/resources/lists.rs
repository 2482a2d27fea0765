//! `resources/list`: handlers that list, pages, and cursors.

use mcp_server::types::Resource;
use mcp_server::{
    HandlerError, ListAt, ResourceDef, ResourcePage, ResourceUri, Server, TemplateDef,
};
use serde_json::{Value, json};

use crate::support::peer::Peer;

/// A handler that lists `count` resources, each with its number in the name.
fn numbered(scheme: &'static str, count: usize) -> TemplateDef {
    TemplateDef::new(format!("{scheme}:{{number}}"), "numbered")
        .handler(|ResourceUri(uri): ResourceUri| async move { uri })
        .list(move |at: ListAt| async move {
            let start = match at.after.as_deref().map(str::parse::<usize>) {
                None => 0,
                Some(last) => last? + 1,
            };
            let rest = (start..count).map(|number| {
                Resource::new(format!("{scheme}:{number}"), format!("{scheme}{number}"))
            });
            let position = |last: &Resource| last.name.trim_start_matches(scheme).to_owned();
            Ok::<_, HandlerError>(at.page(rest, position))
        })
}

fn fixed(name: &str) -> ResourceDef {
    ResourceDef::text(format!("s:{name}"), name, "text")
}

fn server(page: usize) -> Server {
    Server::builder("test", "1")
        .page_size(page)
        .add_resource(fixed("s0"))
        .add_resource(fixed("s1"))
        .add_resource_template(numbered("a", 3))
        .resource_template("silent:{x}", "silent", async || "not listed")
        .add_resource_template(numbered("b", 2))
        // Also listed by the template.
        .add_resource(ResourceDef::text("a:1", "own", "text"))
        .build()
        .unwrap()
}

fn names(page: &Value) -> Vec<String> {
    let resources = page["resources"].as_array().unwrap();
    let name = |resource: &Value| resource["name"].as_str().unwrap().to_owned();
    resources.iter().map(name).collect()
}

#[tokio::test]
async fn every_resource_is_listed_once_with_any_page_size() {
    for size in 1..=9 {
        let server = server(size);
        for mut peer in [
            Peer::modern(&server),
            Peer::legacy(&server, "2025-06-18").await,
            Peer::legacy(&server, "2024-11-05").await,
        ] {
            let (mut all, mut params) = (Vec::new(), json!({}));
            loop {
                let page = peer.result("resources/list", params).await;
                assert!(names(&page).len() <= size, "{page}");
                all.extend(names(&page));
                if page["nextCursor"].is_null() {
                    break;
                }
                params = json!({ "cursor": page["nextCursor"] });
            }
            let expected = ["s0", "s1", "own", "a0", "a2", "b0", "b1"];
            assert_eq!(all, expected, "pages of {size}");
        }
    }
}

#[tokio::test]
async fn changed_and_foreign_cursors_are_rejected() {
    let (server, other) = (server(2), server(2));
    // The first page ends in the list, the third within a template.
    for ends_of_pages in [1, 3] {
        for mut peer in [
            Peer::modern(&server),
            Peer::legacy(&server, "2025-11-25").await,
        ] {
            let cursor = cursor_behind(&mut peer, ends_of_pages).await;
            let foreign = cursor_behind(&mut Peer::modern(&other), ends_of_pages).await;
            let mut wrong = vec![foreign, String::new(), "x".to_owned(), "AAAA".to_owned()];
            for place in (0..cursor.len()).step_by(5) {
                let mut changed = cursor.clone().into_bytes();
                changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
                wrong.push(String::from_utf8(changed).unwrap());
                wrong.push(cursor[..place].to_owned());
            }
            for wrong in wrong {
                let params = json!({ "cursor": wrong });
                let (code, message) = peer.error("resources/list", params).await;
                assert_eq!(code, -32602, "{wrong}");
                assert!(message.starts_with("$.cursor"), "{message}");
            }
            // A cursor of the list of templates.
            let params = json!({ "cursor": cursor });
            let (code, _) = peer.error("resources/templates/list", params).await;
            assert_eq!(code, -32602);
        }
    }
}

/// Returns the cursor at the end of a page.
async fn cursor_behind(peer: &mut Peer, pages: usize) -> String {
    let mut params = json!({});
    for _ in 0..pages {
        let mut page = peer.result("resources/list", params).await;
        params = json!({ "cursor": page["nextCursor"].take() });
    }
    params["cursor"].as_str().unwrap().to_owned()
}

/// A generator of pseudo-random numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

#[tokio::test]
async fn unchanged_resources_are_listed_once_while_the_list_changes() {
    for seed in 0..60 {
        let mut numbers = Numbers(seed);
        let server = server(1 + numbers.below(4));
        let mut there: Vec<String> = Vec::new();
        for number in 0..numbers.below(12) {
            there.push(format!("before{number}"));
            server.resources().add(fixed(&there[number])).unwrap();
        }
        let mut peer = Peer::modern(&server);
        let (mut seen, mut added, mut params) = (Vec::new(), 0, json!({}));
        loop {
            let mut page = peer.result("resources/list", params).await;
            seen.extend(names(&page));
            if page["nextCursor"].is_null() {
                break;
            }
            params = json!({ "cursor": page["nextCursor"].take() });
            for _ in 0..numbers.below(4) {
                match numbers.below(4) {
                    0 => {
                        let name = format!("late{added}");
                        server.resources().add(fixed(&name)).unwrap();
                        added += 1;
                    }
                    1 if !there.is_empty() => {
                        let gone = there.remove(numbers.below(there.len()));
                        assert!(server.resources().remove(&format!("s:{gone}")));
                    }
                    2 if !there.is_empty() => {
                        let same = fixed(&there[numbers.below(there.len())]);
                        server.resources().replace(same.title("another")).unwrap();
                    }
                    // The cursor may be inside this template.
                    _ => {
                        let _ = server.resource_templates().remove("b:{number}");
                    }
                }
            }
        }
        there.extend(["s0", "s1", "own", "a0", "a2"].map(str::to_owned));
        for name in &there {
            let times = seen.iter().filter(|other| *other == name).count();
            assert_eq!(times, 1, "seed {seed}: {name} in {seen:?}");
        }
        for name in &seen {
            let times = seen.iter().filter(|other| *other == name).count();
            assert_eq!(times, 1, "seed {seed}: {name} in {seen:?}");
        }
    }
}

#[tokio::test]
async fn removed_template_does_not_affect_the_next_one() {
    let server = server(2);
    let mut peer = Peer::modern(&server);
    // The second page ends within the first template.
    let cursor = cursor_behind(&mut peer, 2).await;
    assert!(server.resource_templates().remove("a:{number}"));
    let page = peer
        .result("resources/list", json!({ "cursor": cursor }))
        .await;
    assert_eq!(names(&page), ["b0", "b1"]);
}

#[tokio::test]
async fn pages_of_a_handler_with_other_sizes_lose_nothing() {
    let template = |scheme: &'static str| {
        TemplateDef::new(format!("{scheme}:{{x}}"), scheme)
            .handler(|ResourceUri(uri): ResourceUri| async move { uri })
    };
    let many = template("many").list(|_: ListAt| async {
        let named = |name| Resource::new(format!("many:{name}"), name);
        ResourcePage::new(["m0", "m1", "m2", "m3"].map(named))
    });
    let slow = template("slow").list(async |at: ListAt| -> Result<_, HandlerError> {
        match at.after {
            None => Ok(ResourcePage::default().next("begun")),
            Some(_) => Ok(ResourcePage::new([Resource::new("slow:1", "one")])),
        }
    });
    let server = Server::builder("test", "1")
        .page_size(2)
        .add_resource_template(many)
        .add_resource_template(slow)
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let mut params = json!({});
    for expected in [&["m0", "m1", "m2", "m3"][..], &[], &["one"]] {
        let mut page = peer.result("resources/list", params).await;
        assert_eq!(names(&page), expected);
        params = json!({ "cursor": page["nextCursor"].take() });
    }
    assert!(params["cursor"].is_null());
}

#[tokio::test]
async fn error_of_a_list_handler_is_the_response() {
    let failing = TemplateDef::new("f:{x}", "failing")
        .handler(|ResourceUri(uri): ResourceUri| async move { uri })
        .list(async |_: ListAt| -> Result<_, HandlerError> {
            Err(HandlerError::internal("no such table"))
        });
    let server = Server::builder("test", "1").add_resource_template(failing);
    let server = server.build().unwrap();
    let error = Peer::modern(&server)
        .error("resources/list", json!({}))
        .await;
    assert_eq!(error, (-32603, "no such table".to_owned()));
}
