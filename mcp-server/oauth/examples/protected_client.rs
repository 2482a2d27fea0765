//! A client for servers that require access tokens, such as the example `protected`. It asks the
//! user to open the URL of the authorization server:
//!
//! ```text
//! cargo run -p mcp-server-oauth --example protected_client -- http://127.0.0.1:8080/mcp
//! ```
//!
//! It lists the tools, calls those that the options name, and prints what they return.

use std::error::Error;
use std::io::{BufRead as _, Write as _};

use clap::Parser;
use mcp_client::{Client, Http};
use mcp_client_oauth::{AuthorizationUrl, Manual, OAuth, OAuthClient, Secret};
use mcp_types::json::Object;

#[derive(Parser)]
struct Options {
    /// The URL of the server.
    url: String,
    /// A tool to call, with its arguments as JSON: `NAME` or `NAME={...}`. Can be repeated.
    #[arg(long)]
    call: Vec<String>,
    /// The redirect URI of the client. Nothing has to listen there.
    #[arg(long, default_value = "http://127.0.0.1:3999/callback")]
    redirect: String,
    /// The URL of a metadata document of the client.
    #[arg(long)]
    document: Option<String>,
    /// Authorizes the client by itself, without a user: `ID:SECRET`.
    #[arg(long)]
    credentials: Option<String>,
    /// The issuer at which the client is registered. By default the one that the server names.
    #[arg(long)]
    issuer: Option<String>,
}

/// Asks the user to open a URL. `cargo xtask interop auth` reads this line.
async fn ask(url: AuthorizationUrl) -> Result<Secret, Box<dyn Error + Send + Sync>> {
    let mut output = std::io::stdout();
    writeln!(
        output,
        "open {} and enter the address of the page that you get:",
        url.as_str()
    )?;
    output.flush()?;
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|_| line)
    });
    Ok(Secret::new(line.await??.trim()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let mut oauth = match &options.credentials {
        Some(credentials) => {
            let pair = credentials.split_once(':');
            let (id, secret) = pair.ok_or("--credentials: expected `ID:SECRET`")?;
            let client = OAuthClient::new(id).secret(secret);
            OAuth::client_credentials(match &options.issuer {
                Some(issuer) => client.issuer(issuer),
                None => client.trust_first_issuer(),
            })
        }
        None => OAuth::authorization_code(Manual::new(&options.redirect, ask)),
    };
    if let Some(document) = &options.document {
        oauth = oauth.client_metadata_document(document);
    }
    let server = Http::new(&options.url).auth(oauth.build()?);
    let client = Client::builder("protected-client", "1.0.0")
        .connect(server)
        .await?;
    for tool in client.tools().all().await?.items {
        println!("tool {}", tool.name);
    }
    for call in &options.call {
        let (name, arguments) = call.split_once('=').unwrap_or((call, "{}"));
        let arguments: Object = mcp_types::json::from_str(arguments)?;
        let result = client.call_tool(name).arguments(&arguments).await?;
        println!("{name}: {}", result.text());
    }
    Ok(())
}
