//! A server that requires access tokens:
//!
//! ```text
//! cargo run -p mcp-server-oauth --example protected -- --issuer https://auth.example.com
//! ```
//!
//! The tools require different scopes, so that clients can be tested with it.

use std::error::Error;
use std::io::Write as _;

use clap::{Parser, ValueEnum};
use mcp_server::{AccessToken, Context, HandlerError, Http, Server, ToolDef};
use mcp_server_oauth::{Issuer, OAuth};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Parser)]
struct Options {
    /// The authorization server whose tokens are accepted. Can be repeated.
    #[arg(long, required = true)]
    issuer: Vec<String>,
    /// The address to listen at.
    #[arg(long, default_value = "127.0.0.1:8080")]
    address: String,
    /// The URL that clients use. Default: that of the address.
    #[arg(long)]
    resource: Option<String>,
    /// A scope that every request requires. Can be repeated.
    #[arg(long)]
    scope: Vec<String>,
    /// Asks the issuers about tokens that are not JWT, with these credentials: `ID:SECRET`.
    #[arg(long)]
    introspection: Option<String>,
    /// Whether tokens are bound to a key of the client.
    #[arg(long, value_enum, default_value = "off")]
    dpop: Dpop,
    /// The number of requests with such tokens per second that are accepted continuously.
    #[arg(long, default_value = "1000")]
    dpop_rate: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum Dpop {
    /// Only if the client insists on it.
    Off,
    /// If the client supports it.
    Offer,
    /// Always.
    Require,
    /// Always, with a nonce of the server in each proof.
    Nonces,
}

async fn whoami(token: AccessToken) -> String {
    let caller = token.subject.as_ref().or(token.client_id.as_ref());
    let caller = caller.map_or("somebody", |name| name);
    let kind = match token.key_thumbprint {
        Some(_) => "a token that is bound to a key",
        None => "a bearer token",
    };
    format!("{caller} with {kind}: {}", token.scopes.join(" "))
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    /// Which file to delete
    path: String,
}

/// Files that are shared need a further scope. All scopes are required at once, so that the client
/// asks the user only once.
async fn delete(args: Delete, cx: Context) -> Result<String, HandlerError> {
    let mut scopes = vec!["files:write"];
    if args.path.starts_with("shared/") {
        scopes.push("files:shared");
    }
    cx.require_scopes(scopes)?;
    Ok(format!("deleted {}", args.path))
}

fn server() -> Result<Server, mcp_server::BuildErrors> {
    Server::builder("protected", "1.0.0")
        .tool("whoami", "Tells who you are and what you may do", whoami)
        .add_tool(
            ToolDef::new("read")
                .description("Reads a file")
                .scopes(["files:read"])
                .handler(async || "some text"),
        )
        .add_tool(
            ToolDef::new("write")
                .description("Writes a file")
                .scopes(["files:write"])
                .handler(async || "written"),
        )
        .tool("delete", "Deletes a file", delete)
        .build()
}

fn oauth(options: &Options) -> Result<OAuth, Box<dyn Error>> {
    let address = &options.address;
    let resource = options.resource.clone();
    let resource = resource.unwrap_or_else(|| format!("http://{address}/mcp"));
    let mut oauth = OAuth::builder(resource)
        .resource_name("Protected example")
        .required_scopes(&options.scope)
        .dpop_rate(options.dpop_rate)
        .implied_scopes(|granted, required| granted == "files:write" && required == "files:read");
    for url in &options.issuer {
        let mut issuer = Issuer::new(url);
        if let Some(credentials) = &options.introspection {
            let (id, secret) = credentials
                .split_once(':')
                .ok_or("--introspection: expected `ID:SECRET`")?;
            issuer = issuer.introspection(id, secret);
        }
        oauth = oauth.issuer(issuer);
    }
    Ok(match options.dpop {
        Dpop::Off => oauth,
        Dpop::Offer => oauth.offer_dpop(),
        Dpop::Require => oauth.require_dpop(),
        Dpop::Nonces => oauth.require_dpop().dpop_nonces(),
    }
    .build()?)
}

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    let options = Options::parse();
    let oauth = oauth(&options)?;
    let http = server()?.serve_http(Http::at(options.address.as_str()).authenticate(oauth))?;
    println!("listening on http://{}/mcp", http.local_addr());
    std::io::stdout().flush()?;
    http.await?;
    Ok(())
}
