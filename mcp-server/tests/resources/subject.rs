//! The server under test: static, dynamic and templated resources, documents and collections, and
//! counters of reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_server::types::{
    Annotations, AnyResourceContents, Base64Text, BlobResourceContents, Icon, MetaObject, Proposal,
    Resource, ResourceType, Role, TextResourceContents,
};
use mcp_server::{
    HandlerError, ListAt, ResourceDef, ResourcePage, ResourceUri, Server, ServerBuilder,
    TemplateDef, Variables,
};
use serde::Deserialize;

pub(crate) const SEP_2093: &[&str] = &["sep-2093"];

/// The names of the pages in the collection `pages:`.
pub(crate) const PAGES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Counts how often contents are created.
#[derive(Clone, Default)]
pub(crate) struct Reads(Arc<AtomicUsize>);

impl Reads {
    fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn total(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Returns a server with the proposal, and its counter of reads.
pub(crate) fn opted_in() -> (Server, Reads) {
    let reads = Reads::default();
    let builder = builder(&reads).proposals([Proposal::Sep2093]);
    (builder.build().unwrap(), reads)
}

/// Returns the same server without the proposal.
pub(crate) fn not_opted_in() -> Server {
    builder(&Reads::default()).build().unwrap()
}

#[derive(Deserialize)]
struct PagePath {
    name: String,
}

fn builder(reads: &Reads) -> ServerBuilder {
    Server::builder("test", "1")
        .page_size(2)
        .add_resource(
            ResourceDef::text("s:motto", "motto", "Keep it simple.")
                .title("Motto")
                .description("What we keep in mind")
                .mime_type("text/plain")
                .annotations(Annotations::new().audience([Role::User]))
                .icon(Icon::new("https://example.com/i.png"))
                .meta(MetaObject::from_iter([("com.example/key", "value")])),
        )
        .add_resource(report(reads.clone()))
        .add_resource(directory(reads.clone()))
        .add_resource(
            ResourceDef::new("s:untyped", "untyped")
                .handler(async || Vec::<AnyResourceContents>::new()),
        )
        .add_resource_template(pages(reads.clone()))
        .add_resource_template(
            TemplateDef::new("typed:{x}", "typed")
                .handler(|ResourceUri(uri): ResourceUri| async move { uri })
                .describe(|resource: Resource| async { resource.mime_type("text/x-typed") }),
        )
        .add_resource_template(
            TemplateDef::new("plain:{x}", "plain")
                .title("Plain")
                .mime_type("text/plain")
                .resource_type(ResourceType::Document)
                .handler(|ResourceUri(uri): ResourceUri| async move { uri }),
        )
}

/// A document in two formats, whose contents have no metadata of their own.
fn report(reads: Reads) -> ResourceDef {
    ResourceDef::new("s:report", "report")
        .title("Report")
        .mime_type("application/pdf")
        .resource_type(ResourceType::Document)
        .handler(move |ResourceUri(uri): ResourceUri| {
            reads.count();
            async move {
                let pdf = BlobResourceContents::new(&*uri, Base64Text::encode(b"%PDF"));
                let text = TextResourceContents::new(uri, "Figures: ÄÖÜ");
                vec![
                    AnyResourceContents::from(pdf.mime_type("application/pdf")),
                    text.mime_type("text/plain").title("Report, text").into(),
                ]
            }
        })
        .describe(|resource: Resource| async move {
            let changed = Annotations::new().last_modified("2026-01-02T03:04:05Z");
            resource.size(4).annotations(changed)
        })
}

/// A collection that lists its members, and returns some of them when it is read.
fn directory(reads: Reads) -> ResourceDef {
    ResourceDef::new("pages:", "pages")
        .mime_type("inode/directory")
        .handler(move |ResourceUri(uri): ResourceUri| {
            reads.count();
            async move {
                vec![
                    AnyResourceContents::from(TextResourceContents::new("pages:a", "page a")),
                    TextResourceContents::new("pages:b", "page b")
                        .name("B itself")
                        .into(),
                    TextResourceContents::new("elsewhere:", "other").into(),
                    // In two formats, one of them without a type.
                    TextResourceContents::new("pages:c", "page c").into(),
                    BlobResourceContents::new("pages:c", Base64Text::encode(b"c"))
                        .mime_type("image/png")
                        .into(),
                    TextResourceContents::new(uri, "an index").into(),
                ]
            }
        })
        .list(async |at: ListAt| -> Result<_, HandlerError> {
            assert_eq!(at.collection.as_deref(), Some("pages:"));
            let rest = PAGES
                .iter()
                .filter(|name| at.after.as_deref() < Some(**name));
            let mut listed = ResourcePage::default();
            for name in rest {
                if at.is_full(&listed) {
                    let last = listed.resources.last().map(|page| page.name.clone());
                    return Ok(listed.next(last.unwrap_or_default()));
                }
                let page = Resource::new(format!("pages:{name}"), *name);
                listed
                    .resources
                    .push(page.resource_type(ResourceType::Document));
            }
            Ok(listed)
        })
}

/// The pages, and collections below `pages:dir/`, only some of which exist.
fn pages(reads: Reads) -> TemplateDef {
    TemplateDef::new("pages:{+name}", "page")
        .description("One of the pages")
        .mime_type("text/markdown")
        .handler(move |page: PagePath, ResourceUri(uri): ResourceUri| {
            reads.count();
            async move {
                if PAGES.contains(&&*page.name) {
                    return Ok(format!("page {}", page.name));
                }
                Err(HandlerError::resource_not_found(uri))
            }
        })
        .describe(
            async |resource: Resource,
                   Variables(page): Variables<PagePath>|
                   -> Result<_, HandlerError> {
                let uri = resource.uri.clone();
                if PAGES.contains(&&*page.name) {
                    let mut document = resource.resource_type(ResourceType::Document).size(6);
                    document.uri = "moved:".into();
                    document.name = page.name;
                    return Ok(document);
                }
                if page.name == "dir/sub" {
                    return Ok(resource.resource_type(ResourceType::Collection));
                }
                Err(HandlerError::resource_not_found(uri))
            },
        )
        .list(async |at: ListAt| -> Result<_, HandlerError> {
            let Some(PagePath { name }) = at.variables()? else {
                // The pages are members of their collection only.
                return Ok(ResourcePage::default());
            };
            let start = at.after.as_deref().map_or(Ok(0), str::parse::<usize>)?;
            let members = [1, 2, 3].map(|number| {
                let name = format!("{name}/{number}");
                Resource::new(format!("pages:{name}"), name)
            });
            let mut rest = members.into_iter().skip(start);
            let first = rest.next();
            let listed = ResourcePage::new(first);
            Ok(match rest.next() {
                Some(_) => listed.next((start + 1).to_string()),
                None => listed,
            })
        })
}
