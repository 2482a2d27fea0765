//! A server behind a login at GitHub. The id and the secret of an OAuth app are in the environment:
//!
//! ```text
//! GITHUB_ID=.. GITHUB_SECRET=.. \
//!     cargo run -p mcp-login --example github -- --public-url http://localhost:8080 --user ada
//! ```

use std::error::Error;
use std::io::Write as _;

use clap::Parser;
use mcp_login::{Login, Provider, ProviderToken};
use mcp_server::{AccessToken, Http, HttpConfig, Server};

#[derive(Parser)]
struct Options {
    /// The URL that clients and browsers use.
    #[arg(long, default_value = "http://localhost:8080")]
    public_url: String,
    /// The address to listen at.
    #[arg(long, default_value = "127.0.0.1:8080")]
    address: String,
    /// Lets a user in, by the login name at GitHub. Can be repeated.
    #[arg(long)]
    user: Vec<String>,
    /// Lets the members of an organization in. Can be repeated.
    #[arg(long)]
    org: Vec<String>,
}

async fn whoami(token: AccessToken) -> String {
    let login = token
        .claims
        .get("preferred_username")
        .and_then(|login| login.as_str());
    format!("{} at GitHub", login.unwrap_or("somebody"))
}

/// A real program sends the token to the API of GitHub.
async fn provider(token: ProviderToken) -> String {
    format!("a token of {} characters", token.expose().len())
}

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    let options = Options::parse();
    let mut github = Provider::github(std::env::var("GITHUB_ID")?, std::env::var("GITHUB_SECRET")?);
    if !options.org.is_empty() {
        github = github.scope("read:org");
    }
    let Options { user, org, .. } = options;
    let login = Login::builder(github, &options.public_url)
        .name("The example for GitHub")
        .allow(move |who| {
            user.contains(&who.login) || org.iter().any(|organization| who.is_in(organization))
        })
        .build()?;
    println!("callback URL at GitHub: {}", login.callback_url());
    let server = Server::builder("github", "1.0.0")
        .state(login.clone())
        .tool("whoami", "Tells who you are", whoami)
        .tool(
            "provider",
            "Tells whether there is a token of GitHub",
            provider,
        )
        .build()?;
    let host = options.public_url.split("://").nth(1).unwrap_or_default();
    let host = host.split('/').next().unwrap_or_default().to_owned();
    let config =
        HttpConfig::new().allow_hosts([host, "localhost".to_owned(), "127.0.0.1".to_owned()]);
    let http = Http::at(options.address.as_str()).config(config.authenticate(login));
    let http = server.serve_http(http)?;
    println!("listening on http://{}/mcp", http.local_addr());
    std::io::stdout().flush()?;
    http.await?;
    Ok(())
}
