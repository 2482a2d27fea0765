//! `filter` of `resources/list`.

use std::num::NonZeroUsize;

use mcp_server::types::{Resource, json::Object};
use mcp_server::{
    HandlerError, ListAt, Proposal, ResourceDef, ResourcePage, ResourceUri, Server, TemplateDef,
};
use serde_json::{Value, json};

use super::opted;
use crate::support::peer::Peer;

/// Returns a server with static resources, and some that a handler lists.
fn server(page: Option<usize>) -> Server {
    let fixed =
        |name: &str, kind: &str| ResourceDef::text(format!("f:{name}"), name, "x").kind(kind);
    let owned = |name: &str, level: Value| {
        let level: mcp_server::types::json::Value = level.into();
        let metadata = Object::from([("owner", "me".into()), ("level", level)]);
        fixed(name, "file").metadata(metadata)
    };
    let listed = TemplateDef::new("l:{name}", "listed")
        .handler(|ResourceUri(uri): ResourceUri| async move { uri })
        .list(async |at: ListAt| {
            page_of(&at, 6, |number| {
                let kind = if number % 3 == 0 { "table" } else { "file" };
                let name = format!("l{number}");
                Some(Resource::new(format!("l:{number}"), name).kind(kind))
            })
        });
    let mut builder = opted();
    if let Some(page) = page.and_then(NonZeroUsize::new) {
        builder = builder.page_size(page.get());
    }
    builder
        .add_resource(fixed("a", "file"))
        .add_resource(fixed("b", "table"))
        .add_resource(owned("one", json!(1)))
        .add_resource(owned("two", json!(2.0)))
        .add_resource(ResourceDef::text("g:none", "none", "x"))
        .add_resource_template(listed)
        .build()
        .unwrap()
}

/// Returns the page of numbered resources that a handler lists, without those that it leaves out.
fn page_of(
    at: &ListAt,
    count: usize,
    resource: impl Fn(usize) -> Option<Resource>,
) -> Result<ResourcePage, HandlerError> {
    let start = at.after.as_deref().map_or(Ok(0), str::parse::<usize>)?;
    let mut listed = ResourcePage::default();
    for number in start..count {
        if at.is_full(&listed) {
            return Ok(listed.next(number.to_string()));
        }
        listed.resources.extend(resource(number));
    }
    Ok(listed)
}

fn names(page: &Value) -> Vec<String> {
    let resources = page["resources"].as_array().unwrap();
    let name = |resource: &Value| resource["name"].as_str().unwrap().to_owned();
    resources.iter().map(name).collect()
}

const CASES: [(&str, &str); 13] = [
    ("{}", "a b one two none l0 l1 l2 l3 l4 l5"),
    (r#"{"kind":"table"}"#, "b l0 l3"),
    (
        r#"{"kind":["table","file"]}"#,
        "a b one two l0 l1 l2 l3 l4 l5",
    ),
    (r#"{"kind":[]}"#, ""),
    (r#"{"uriPrefix":"f:"}"#, "a b one two"),
    (r#"{"uriPrefix":"l:"}"#, "l0 l1 l2 l3 l4 l5"),
    (r#"{"uriPrefix":"F:"}"#, "a b one two"),
    (r#"{"uriPrefix":":"}"#, ""),
    (r#"{"kind":"table","uriPrefix":"l:"}"#, "l0 l3"),
    (r#"{"metadata":{"owner":"me"}}"#, "one two"),
    (r#"{"metadata":{"level":1.0}}"#, "one"),
    (r#"{"metadata":{"level":2,"owner":"me"}}"#, "two"),
    (r#"{"metadata":{"level":2,"owner":"you"}}"#, ""),
];

#[tokio::test]
async fn all_criteria_must_match() {
    let mut peer = Peer::modern(&server(None));
    for (filter, expected) in CASES {
        let filter: Value = serde_json::from_str(filter).unwrap();
        let page = peer
            .result("resources/list", json!({ "filter": filter }))
            .await;
        assert_eq!(names(&page).join(" "), expected, "{filter}");
    }
}

#[tokio::test]
async fn pages_of_a_filtered_list_are_complete() {
    for size in 1..=12 {
        let mut peer = Peer::modern(&server(Some(size)));
        for (filter, expected) in CASES {
            let filter: Value = serde_json::from_str(filter).unwrap();
            let (mut all, mut pages) = (Vec::new(), 0);
            let mut params = json!({ "filter": filter });
            loop {
                let page = peer.result("resources/list", params.clone()).await;
                assert!(names(&page).len() <= size, "{page}");
                all.extend(names(&page));
                pages += 1;
                // A page examines as many resources as it can hold, except the last page.
                assert!(pages <= 11_usize.div_ceil(size) + 1, "{filter}");
                if page["nextCursor"].is_null() {
                    break;
                }
                params["cursor"] = page["nextCursor"].clone();
            }
            assert_eq!(all.join(" "), expected, "{filter} in pages of {size}");
        }
    }
}

#[tokio::test]
async fn cursor_is_bound_to_its_filter() {
    let mut peer = Peer::modern(&server(Some(1)));
    let filter = json!({ "kind": "file" });
    let page = peer
        .result("resources/list", json!({ "filter": filter }))
        .await;
    let cursor = &page["nextCursor"];
    let same = json!({ "filter": filter, "cursor": cursor });
    peer.result("resources/list", same).await;
    for other in [json!({ "kind": "table" }), json!({}), Value::Null] {
        let params = json!({ "filter": other, "cursor": cursor });
        let (code, message) = peer.error("resources/list", params).await;
        assert_eq!(code, -32602);
        assert!(message.contains("$.cursor"), "{message}");
    }
}

#[tokio::test]
async fn cursor_is_valid_for_every_spelling_of_its_filter() {
    let mut peer = Peer::modern(&server(Some(1)));
    let spellings = [
        json!({ "kind": "file", "uriPrefix": "f:", "metadata": {"level": 1, "owner": "me"} }),
        json!({ "metadata": {"owner": "me", "level": 1.0}, "uriPrefix": "F:", "kind": ["file"] }),
        json!({ "kind": ["file", "file"], "uriPrefix": "%66:", "metadata": {"owner": "me", "level": 1e0} }),
    ];
    for one in &spellings {
        let page = peer
            .result("resources/list", json!({ "filter": one }))
            .await;
        for other in &spellings {
            let params = json!({ "filter": other, "cursor": page["nextCursor"] });
            peer.result("resources/list", params).await;
        }
    }
    // An empty filter selects what no filter selects.
    let page = peer.result("resources/list", json!({})).await;
    for filter in [json!({}), json!({ "metadata": {}, "uriPrefix": "" })] {
        let params = json!({ "filter": filter, "cursor": page["nextCursor"] });
        peer.result("resources/list", params).await;
    }
}

#[tokio::test]
async fn members_of_a_collection_are_filtered() {
    let member = |name: &str, kind: &str| Resource::new(format!("c:{name}"), name).kind(kind);
    let members = vec![
        member("a", "file"),
        member("b", "table"),
        member("c", "file"),
    ];
    let collection = ResourceDef::new("c:", "collection")
        .handler(|ResourceUri(uri): ResourceUri| async move { uri })
        .list(move |_: ListAt| {
            let members = members.clone();
            async move { ResourcePage::new(members) }
        });
    let server = opted()
        .proposals([Proposal::Sep2093])
        .add_resource(collection)
        .build()
        .unwrap();
    let params = json!({ "uri": "c:", "filter": { "kind": "file" } });
    let page = Peer::modern(&server).result("resources/list", params).await;
    assert_eq!(names(&page), ["a", "c"]);
}

#[tokio::test]
async fn handler_that_searches_itself_fills_its_pages() {
    let rows = TemplateDef::new("r:{number}", "row")
        .handler(|ResourceUri(uri): ResourceUri| async move { uri })
        .list(async |at: ListAt| {
            page_of(&at, 100, |number| {
                let kind = if number % 10 == 0 { "table" } else { "file" };
                let row = Resource::new(format!("r:{number}"), number.to_string()).kind(kind);
                let is_found = at.filter.as_ref().is_none_or(|filter| filter.matches(&row));
                is_found.then_some(row)
            })
        });
    let builder = opted().page_size(5).add_resource_template(rows);
    let mut peer = Peer::modern(&builder.build().unwrap());
    let mut params = json!({ "filter": { "kind": "table" } });
    let page = peer.result("resources/list", params.clone()).await;
    assert_eq!(names(&page), ["0", "10", "20", "30", "40"]);
    params["cursor"] = page["nextCursor"].clone();
    let page = peer.result("resources/list", params).await;
    assert_eq!(names(&page), ["50", "60", "70", "80", "90"]);
}

#[tokio::test]
async fn invalid_criterion_is_rejected_by_name() {
    let mut peer = Peer::modern(&server(None));
    for (filter, place) in [
        (json!({ "colour": "red" }), "$.filter.colour"),
        (json!({ "kind": "file", "a b": 1 }), "$.filter['a b']"),
        (json!({ "kind": 1 }), "$.filter.kind"),
        (json!({ "kind": null }), "$.filter.kind"),
        (json!({ "kind": ["a", 1] }), "$.filter.kind[1]"),
        (json!({ "uriPrefix": ["a"] }), "$.filter.uriPrefix"),
        (json!({ "uriPrefix": "f:%" }), "$.filter.uriPrefix"),
        (
            json!({ "uriPrefix": "f:a%2" }),
            "$.filter.uriPrefix: it ends within",
        ),
        (json!({ "metadata": "a" }), "$.filter.metadata"),
        (json!("red"), "$.filter"),
    ] {
        let params = json!({ "filter": filter });
        let (code, message) = peer.error("resources/list", params).await;
        assert_eq!(code, -32602, "{filter}");
        assert!(message.contains(place), "{message}");
    }
    let long = "x".repeat(10_000);
    let params = json!({ "filter": { long: 1 } });
    let (_, message) = peer.error("resources/list", params).await;
    assert!(message.len() < 300, "{message}");
}
