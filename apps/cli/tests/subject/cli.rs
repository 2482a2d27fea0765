//! The server for the tests of the program `mcp`: over standard input and output, or over HTTP with
//! the argument `http`. With `proposals` it supports those for resources, with `hostile` it sends
//! terminal control sequences, with `tasks` it has tools that are tasks, with `odd` what typed servers do not send, with `faulty` what `mcp check` finds, with `scripted` what needs exact answers, and with `https FILE` it
//! also issues URLs and writes its certificate to the file. With `skills FOLDER` it has the skills in
//! a folder.

mod faulty;
mod hostile;
mod odd;
mod scripted;

use std::error::Error;
use std::time::Duration;

use mcp_server::types::{
    Annotations, AnyResourceContents, Base64Text, BooleanSchema, Icon, ImageContent, LoggingLevel,
    NumberSchema, NumberSchemaType, Resource, ResourceType, Role, StringSchema,
    TextResourceContents, json::Object,
};
use mcp_server::{
    Context, Elicited, Form, HandlerError, Http, HttpConfig, HttpServer, HttpUrls, ListAt,
    PromptDef, Proposal, ResourceDef, ResourcePage, ResourceUri, Server, ServerBuilder,
    TaskOptions, Tasks, ToolDef,
};
use mcp_skills::{OfferSkills as _, Skills};

use mcp_testkit::certificate::certified;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    /// The first
    a: f64,
    /// The second
    b: f64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
    times: Option<u32>,
}

/// Text with terminal control sequences.
const COLOURED: &str = "\x1b[31mred\x1b[0m\x07 \u{9b}2J";

fn tools(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool("add", "Adds two numbers", |args: Add| async move {
            args.a + args.b
        })
        .tool("echo", "Says it again", |args: Echo| async move {
            args.text.repeat(args.times.unwrap_or(1) as usize)
        })
        .tool("fail", "Fails", async || -> Result<_, HandlerError> {
            Err::<(), _>(HandlerError::tool("it does not work"))
        })
        .tool("picture", "Shows a picture", || async {
            ImageContent::new(Base64Text::encode([1, 2, 3, 4]), "image/png")
        })
        .tool("coloured", COLOURED, async || COLOURED)
        .tool(
            "log",
            "Logs",
            async |cx: Context| -> Result<_, HandlerError> {
                eprintln!("on stderr");
                cx.log(LoggingLevel::Warning, Some("subject"), "a warning")
                    .await?;
                Ok("logged")
            },
        )
        .tool(
            "half",
            "Goes on for long",
            async |cx: Context| -> Result<_, HandlerError> {
                cx.progress(1.0, 2.0, "half of it").await?;
                std::future::pending::<Result<(), HandlerError>>().await
            },
        )
        .tool("never", "Never ends", || async {
            let _given_up = CancelSignal;
            eprintln!("begun");
            std::future::pending::<Result<(), HandlerError>>().await
        })
        .tool(
            "change",
            "Announces changes",
            async |cx: Context| -> Result<_, HandlerError> {
                // Sent repeatedly until a client is subscribed.
                loop {
                    cx.server().tools_changed();
                    cx.server().resource_updated("test://text");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                #[expect(unreachable_code)]
                Ok(())
            },
        )
}

/// Signals that the client has disconnected.
fn tasks(builder: ServerBuilder) -> ServerBuilder {
    let task = |name| ToolDef::new(name).as_task(TaskOptions::new());
    let render = async |cx: Context| -> Result<&str, HandlerError> {
        cx.progress(1, Some(2.0), "halfway").await?;
        tokio::time::sleep(Duration::from_secs(2)).await;
        Ok("film.mp4")
    };
    let forever = || async {
        let _given_up = CancelSignal;
        eprintln!("begun");
        std::future::pending::<Result<(), HandlerError>>().await
    };
    builder
        .extension(Tasks::new().poll_interval(Duration::from_millis(100)))
        .add_tool(task("render").handler(render))
        .add_tool(task("forever").handler(forever))
}

struct CancelSignal;

impl Drop for CancelSignal {
    fn drop(&mut self) {
        eprintln!("given up");
    }
}

fn questions(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            "order",
            "Asks for an order",
            async |cx: Context| -> Result<_, HandlerError> {
                let form = Form::new("What will it be?")
                    .required("dish", StringSchema::new().description("Of the day"))
                    .required("portions", NumberSchema::new(NumberSchemaType::Integer))
                    .optional("salad", BooleanSchema::new());
                Ok(match cx.elicit(form).await? {
                    Elicited::Accepted(answer) => said(&answer),
                    Elicited::Declined => "declined".to_owned(),
                    Elicited::Cancelled => "cancelled".to_owned(),
                })
            },
        )
        .tool(
            "page",
            "Sends you to a page",
            async |cx: Context| -> Result<_, HandlerError> {
                let asked = cx.elicit_url("Please pay.", "https://example.com/pay", "p1");
                Ok(format!("{:?}", asked.await?))
            },
        )
}

fn said(answer: &Object) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}

/// A collection, a document in two formats, and a resource with all metadata.
fn proposals(builder: ServerBuilder) -> ServerBuilder {
    let member = |uri: &str, name: &str| {
        let uri = format!("test://dir/{uri}");
        Resource::new(uri, name).resource_type(ResourceType::Document)
    };
    builder
        .proposals(Proposal::ALL.iter().copied())
        .add_resource(
            ResourceDef::new("test://dir", "dir")
                .collection()
                .list(move |at: ListAt| async move {
                    match at.after.as_deref() {
                        None => ResourcePage::new([member("a", "a.txt").size(3)]).next("a"),
                        _ => ResourcePage::new([
                            member("b", "b").resource_type(ResourceType::Collection)
                        ]),
                    }
                })
                .handler(async || "a, b"),
        )
        .add_resource(
            ResourceDef::new("test://dir/b", "b")
                .collection()
                .list(move |_: ListAt| async move { ResourcePage::new([member("b/c", "c")]) })
                .handler(async || "c"),
        )
        .add_resource(
            ResourceDef::new("test://index", "index")
                .collection()
                .list(move |_: ListAt| async move {
                    ResourcePage::new([member("a", "a.txt"), member("b", "b.html")])
                })
                .handler(async || {
                    let page = TextResourceContents::new("test://dir/a", "A");
                    let other = TextResourceContents::new("test://dir/b", "<p>B");
                    vec![
                        AnyResourceContents::from(page.mime_type("text/plain")),
                        other.mime_type("text/html").into(),
                    ]
                }),
        )
        .resource(
            "test://forms",
            "forms",
            |ResourceUri(uri): ResourceUri| async {
                let page =
                    TextResourceContents::new(uri.clone(), "<p>Hello").mime_type("text/html");
                let plain = TextResourceContents::new(uri, "Hello").mime_type("text/plain");
                vec![AnyResourceContents::from(page), plain.into()]
            },
        )
        .add_resource(
            ResourceDef::text("test://known", "known", "Known")
                .mime_type("text/plain")
                .annotations(Annotations::new().last_modified("2026-01-02T03:04:05Z"))
                .kind("note")
                .version("7")
                .metadata(Object::from([("owner", "Ada")])),
        )
}

/// Serves over TLS. Its URLs contain a port before it is bound; if that port is in use, it tries
/// others.
fn serve_https(certificate: &str) -> Result<HttpServer, Box<dyn Error>> {
    let (tls, pem) = certified(&["localhost"], |_| {});
    std::fs::write(certificate, pem)?;
    let mut tried = 0;
    loop {
        let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let urls = HttpUrls::new(format!("https://localhost:{}/r/", free.port()))?;
        let server = proposals(Server::builder("subject", "1.2.3"));
        match server
            .http_urls(urls)
            .build()?
            .serve_http(Http::at(free).tls(tls.clone()))
        {
            Ok(serving) => return Ok(serving),
            Err(_) if tried < 10 => tried += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

fn server(speaking: bool, has_tasks: bool) -> Result<Server, Box<dyn Error>> {
    let mut builder = Server::builder("subject", "1.2.3")
        .title("The Subject")
        .instructions("Be kind.");
    if speaking {
        builder = proposals(builder);
    }
    if has_tasks {
        builder = tasks(builder);
    }
    let server = questions(tools(builder))
        .add_resource(
            ResourceDef::text("test://text", "text", "one\n\ntwo\x1b[31m\n")
                .description("Two lines")
                .icon(Icon::new("data:image/png;base64,AAAA"))
                .mime_type("text/plain"),
        )
        .add_resource(
            ResourceDef::bytes("test://bytes", "bytes", vec![0, 159, 146, 150])
                .mime_type("application/octet-stream"),
        )
        .add_prompt(PromptDef::new("greet").description("Greets").handler(
            |args: Echo| async move { vec![(Role::User, format!("Greet {}!", args.text))] },
        ))
        .build()?;
    Ok(server)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().collect();
    if let [_, mode, certificate] = words.as_slice()
        && mode == "https"
    {
        let serving = serve_https(certificate)?;
        println!("https://localhost:{}/mcp", serving.local_addr().port());
        return Ok(serving.await?);
    }
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    if has("hostile") {
        return Ok(hostile::serve()?);
    }
    if has("faulty") {
        return Ok(faulty::serve()?);
    }
    if has("scripted") {
        return Ok(scripted::serve()?);
    }
    if has("odd") {
        return Ok(odd::serve()?);
    }
    if let Some(at) = words.iter().position(|word| word == "skills") {
        let folder = words.get(at + 1).ok_or("which folder?")?;
        let skills = Skills::folder(folder)?;
        let server = Server::builder("subject", "1.2.3").skills(skills);
        return serve(&server.build()?, has("http")).await;
    }
    serve(&server(has("proposals"), has("tasks"))?, has("http")).await
}

async fn serve(server: &Server, over_http: bool) -> Result<(), Box<dyn Error>> {
    if over_http {
        let serving =
            server.serve_http(Http::at(("127.0.0.1", 0)).config(HttpConfig::default()))?;
        println!("http://{}/mcp", serving.local_addr());
        return Ok(serving.await?);
    }
    Ok(server.serve_stdio().await?)
}
