//! The server of `mcp mock`: its resources, and the layer that observes requests and changes results.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_server::middleware::{self, Next, Outcome, Request, Response};
use mcp_server::types::json::Object;
use mcp_server::types::{
    Annotations, AnyResourceContents, EmbeddedResource, Icon, IconTheme, PromptMessage, Resource,
    ResourceLink, ResourceType, Role, TextResourceContents,
};
use mcp_server::{
    Context, HandlerError, HttpUrls, ListAt, Proposal, ResourceDef, ResourcePage, ResourceUri,
    Server, ServerBuilder, State, TemplateDef, Versioned,
};
use serde_json::Value;

use super::content::{
    DARK_PNG, EXPORT, FOLDER, LINKED, LINKED_TEXT, NOTE, OTHER_NOTE, PLAIN, PNG, Place, exported,
};
use super::faults::{Change, Fault};
use super::observer::Observer;
use super::traps;
use crate::args::Mock;
use crate::failure::Failure;
use crate::wire::rules::Rule;

/// The number of members of the large collection.
const MANY: usize = 100_000;

/// The number of resources on a page of the list of all, so that it has several.
const PAGE_OF_ALL: usize = 5;

/// The number of members on a page of the large collection.
const PAGE: usize = 1_000;

/// A text that a tool changes, and its version.
struct Note {
    text: String,
    version: u64,
}

/// The notes.
#[derive(Clone)]
struct Notes {
    pair: Arc<Mutex<[Note; 2]>>,
    fault: Option<Rule>,
    observer: Arc<Observer>,
}

impl Notes {
    fn new(fault: Option<Rule>, observer: Arc<Observer>) -> Self {
        let note = |text: &str| Note {
            text: text.to_owned(),
            version: 1,
        };
        Self {
            pair: Arc::new(Mutex::new([note("First."), note("Second.")])),
            fault,
            observer,
        }
    }

    fn get(&self, uri: &str) -> (String, String) {
        let notes = self.pair.lock().unwrap_or_else(PoisonError::into_inner);
        let note = &notes[usize::from(uri == OTHER_NOTE)];
        (note.text.clone(), format!("v{}", note.version))
    }

    fn write(&self, text: String) {
        let mut notes = self.pair.lock().unwrap_or_else(PoisonError::into_inner);
        let [note, other] = &mut *notes;
        note.text = text;
        if self.fault != Some(Rule::VersionChanges) {
            note.version += 1;
        }
        if self.fault == Some(Rule::VersionStays) {
            other.version += 1;
        }
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Write {
    /// The new text
    text: String,
}

/// Creates the server.
pub(super) fn server(
    args: &Mock,
    place: Place,
    fault: Option<&'static Fault>,
    observer: Arc<Observer>,
) -> Result<Server, Failure> {
    let rule = fault.map(|fault| fault.rule);
    let website = match rule {
        Some(Rule::Website) => "http://example.com/mock",
        _ => "https://example.com/mock",
    };
    let mut builder = Server::builder("mock", env!("CARGO_PKG_VERSION"))
        .title("Resources to try clients with")
        .instructions("The resources and the tool `write` are for trying clients and checks.")
        .website_url(website)
        .icon(icon(PNG))
        .page_size(PAGE_OF_ALL)
        .state(Notes::new(rule, Arc::clone(&observer)));
    builder = documents(collections(builder));
    // A fault may replace what a URL answers by the contents of `LINKED`, the only other one with a URL.
    if fault.is_none() {
        builder = export(builder);
    }
    if args.hostile {
        builder = hostile(builder);
    }
    if args.proposals {
        let mut proposals = vec![Proposal::Sep2093, Proposal::VersionedResources];
        if let Some(port) = place.https {
            proposals.push(Proposal::HttpsUrl);
            let urls = HttpUrls::new(format!("https://localhost:{port}/r/"))
                .map_err(|error| Failure::Usage(error.to_string()))?;
            builder = builder.http_urls(urls.lifetime(args.url_lifetime));
        }
        builder = builder.proposals(proposals);
    }
    let traps = args.hostile.then(|| traps::resources(place));
    let layer = Layer {
        observer,
        fault,
        traps: traps.unwrap_or_default().into(),
    };
    let builder = builder.layer(middleware::from_fn(move |request, next| {
        layer.clone().call(request, next)
    }));
    builder
        .build()
        .map_err(|error| Failure::Usage(error.to_string()))
}

/// An icon for all sizes.
fn icon(src: &str) -> Icon {
    Icon::new(src)
        .mime_type("image/png")
        .sizes(["96x96".to_owned()])
}

fn documents(builder: ServerBuilder) -> ServerBuilder {
    let note = |uri: &str, name: &str| {
        ResourceDef::new(uri, name)
            .mime_type("text/plain")
            .kind("note")
            .resource_type(ResourceType::Document)
            .http_url(false)
            .describe(|note: Resource, State(notes): State<Notes>| async move {
                let (text, version) = notes.get(&note.uri);
                note.version(version)
                    .size(i64::try_from(text.len()).unwrap_or(i64::MAX))
            })
            .handler(
                |ResourceUri(uri): ResourceUri, State(notes): State<Notes>| async move {
                    let (text, version) = notes.get(&uri);
                    Versioned::new(text, version)
                },
            )
    };
    let plain = ResourceDef::text(PLAIN, "plain", "A document with all metadata.\n")
        .title("Plain")
        .description("A document with all metadata")
        .mime_type("text/plain")
        .annotations(Annotations::new().audience([Role::User]).priority(0.5))
        .icon(icon(PNG).theme(IconTheme::Light))
        .icon(icon(DARK_PNG).theme(IconTheme::Dark))
        .kind("page")
        .version("7")
        .metadata(Object::from([("owner", "Ada")]))
        .http_url(false);
    builder
        .add_resource(plain)
        .add_resource(
            ResourceDef::text(LINKED, "linked", LINKED_TEXT)
                .mime_type("text/plain")
                .kind("page"),
        )
        .add_resource(note(NOTE, "note"))
        .add_resource(note(OTHER_NOTE, "other-note"))
        .add_resource(
            ResourceDef::new("mock://forms", "forms")
                .mime_type("text/html")
                .resource_type(ResourceType::Document)
                .http_url(false)
                .handler(|ResourceUri(uri): ResourceUri| async move {
                    let page = TextResourceContents::new(uri.clone(), "<p>Hello");
                    let plain = TextResourceContents::new(uri, "Hello");
                    [page.mime_type("text/html"), plain.mime_type("text/plain")]
                        .map(AnyResourceContents::from)
                        .to_vec()
                }),
        )
        .prompt("embedded", "Has an embedded resource", async || {
            let contents = TextResourceContents::new(PLAIN, "A document with all metadata.\n");
            vec![PromptMessage::new(
                Role::User,
                EmbeddedResource::new(contents),
            )]
        })
        .tool(
            "write",
            "Changes the first note",
            |write: Write, State(notes): State<Notes>, cx: Context| async move {
                notes.write(write.text);
                let (_, version) = notes.get(NOTE);
                notes.observer.version(NOTE, &version);
                cx.server().resource_updated(NOTE);
                "written"
            },
        )
}

/// Adds a tool with a result that is too large for a context: it returns a link.
fn export(builder: ServerBuilder) -> ServerBuilder {
    let text = exported();
    let size = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let link = ResourceLink::new(EXPORT, "export")
        .mime_type("text/csv")
        .size(size);
    builder
        .add_resource(
            ResourceDef::text(EXPORT, "export", text)
                .mime_type("text/csv")
                .kind("table"),
        )
        .tool("export", "Links to a table of squares", move || {
            let link = link.clone();
            async move { link }
        })
}

fn collections(builder: ServerBuilder) -> ServerBuilder {
    let member =
        |uri: &str, name: &str| Resource::new(uri, name).resource_type(ResourceType::Document);
    builder
        .add_resource(
            ResourceDef::new(FOLDER, "folder")
                .collection()
                .http_url(false)
                .list(move |at: ListAt| async move {
                    match at.after.as_deref() {
                        None => ResourcePage::new([member("mock://folder/a", "a")]).next("a"),
                        _ => ResourcePage::new([member("mock://folder/inner", "inner")
                            .resource_type(ResourceType::Collection)]),
                    }
                })
                .handler(async || Vec::<AnyResourceContents>::new()),
        )
        .add_resource(
            ResourceDef::new("mock://folder/inner", "inner")
                .collection()
                .http_url(false)
                .list(move |_: ListAt| async move {
                    ResourcePage::new([member("mock://folder/inner/b", "b")])
                })
                .handler(async || Vec::<AnyResourceContents>::new()),
        )
        .add_resource_template(
            TemplateDef::new("mock://folder/{+path}", "member")
                .resource_type(ResourceType::Document)
                .http_url(false)
                .describe(async |mut member: Resource| {
                    member.name = last_segment(&member.uri).to_owned();
                    member
                })
                .handler(member_contents),
        )
}

#[derive(serde::Deserialize)]
struct Member {
    path: String,
}

async fn member_contents(
    member: Member,
    ResourceUri(uri): ResourceUri,
) -> Result<AnyResourceContents, HandlerError> {
    if !["a", "inner/b"].contains(&&*member.path) {
        return Err(HandlerError::resource_not_found(uri));
    }
    let text = format!("Contents of {}.\n", last_segment(&uri));
    Ok(TextResourceContents::new(uri, text).into())
}

fn last_segment(uri: &str) -> &str {
    uri.rsplit('/').next().unwrap_or(uri)
}

/// Adds a collection that is too large to be kept in memory without a thought. The rest of what is
/// hostile is in [`traps`].
fn hostile(builder: ServerBuilder) -> ServerBuilder {
    let builder = builder.add_resource_template(
        TemplateDef::new("mock://many/{name}", "member")
            .resource_type(ResourceType::Document)
            .http_url(false)
            .describe(async |mut member: Resource| {
                last_segment(&member.uri).clone_into(&mut member.name);
                member
            })
            .handler(|ResourceUri(uri): ResourceUri| async move {
                let text = format!("Contents of {}.\n", last_segment(&uri));
                TextResourceContents::new(uri, text)
            }),
    );
    builder.add_resource(
        ResourceDef::new("mock://many", "many")
            .collection()
            .http_url(false)
            .list(|at: ListAt| async move {
                let start = at.after.as_deref().and_then(|after| after.parse().ok());
                let start: usize = start.unwrap_or(0).min(MANY);
                let end = (start + PAGE).min(MANY);
                let names = (start..end).map(|at| format!("{at:06}"));
                let page = ResourcePage::new(names.map(|name| {
                    Resource::new(format!("mock://many/{name}"), name)
                        .resource_type(ResourceType::Document)
                }));
                if end < MANY {
                    page.next(end.to_string())
                } else {
                    page
                }
            })
            .handler(async || Vec::<AnyResourceContents>::new()),
    )
}

/// Observes requests, and changes results.
#[derive(Clone)]
struct Layer {
    observer: Arc<Observer>,
    fault: Option<&'static Fault>,
    /// What is added to the list of resources.
    traps: Arc<[Value]>,
}

impl Layer {
    async fn call(self, request: Request, next: Next) -> Outcome {
        let method = request.method().to_owned();
        let params: Value = serde_json::from_str(request.params().get())?;
        self.observer.request(&method, &params);
        let cx = request.context().clone();
        let outcome = next.run(request).await;
        if !method.starts_with("resources/") && !method.starts_with("prompts/") {
            return outcome;
        }
        // Peers of older revisions get nothing of a proposal.
        let is_modern = cx.revision().is_modern();
        let traps = if is_modern { &*self.traps } else { &[] };
        let mut answer = match outcome {
            Ok(response) => Ok(serde_json::from_str(response.result()?.get())?),
            Err(error) => Err(error),
        };
        if let Some(trap) = traps::answer(traps, &method, &params) {
            answer = trap;
        } else if let Ok(result) = &mut answer {
            traps::add(traps, &method, &params, result);
        }
        if let Some(Change::Answer(of_method, change)) = self.fault.map(|fault| &fault.change)
            && (*of_method == method || of_method.is_empty())
        {
            answer = change(&params, answer);
        }
        let result = answer?;
        self.observer.result(&params, &result);
        Response::from_json(&cx, &result)
    }
}
