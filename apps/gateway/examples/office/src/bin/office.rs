//! A gateway in front of the notes and the clock, with users.

use std::error::Error;

use mcp_client::ChildProcess;
use mcp_gateway::{Gateway, Kind, Upstream};
use mcp_server::{AccessToken, Context, Http, HttpConfig};
use mcp_server_oauth::{OAuth, StaticTokens};

/// The URL that clients use.
const URL: &str = "http://127.0.0.1:8080/mcp";

/// A program of this package: cargo writes all of them to one folder.
fn program(name: &'static str) -> std::io::Result<Upstream> {
    let file = std::env::current_exe()?.with_file_name(name);
    Ok(Upstream::connecting(name, move || ChildProcess::new(&file)))
}

/// Decides for each caller, and for each item of the notes by its own name.
fn may_use(cx: &Context, kind: Kind, name: &str) -> bool {
    let token = cx.extension::<AccessToken>();
    let is_admin = token.is_some_and(|token| token.scopes.iter().any(|scope| scope == "admin"));
    is_admin || kind != Kind::Tool || name != "clear"
}

fn users() -> Result<OAuth, Box<dyn Error>> {
    let user = |name: &str| AccessToken::new(URL).subject(name).audience([URL]);
    let tokens = StaticTokens::new(URL)
        .token("token-of-ada", user("ada").scopes(["admin"]))
        .token("token-of-bob", user("bob"));
    Ok(OAuth::builder(URL).verifier(tokens).build()?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let gateway = Gateway::builder("office", "1.0.0")
        .upstream(program("notes")?.visible_to(may_use))
        .upstream(program("clock")?.rename("now", "time"))
        .build()
        .await?;
    let config = HttpConfig::new().authenticate(users()?);
    let serving = gateway
        .server()
        .serve_http(Http::at("127.0.0.1:8080").config(config))?;
    println!("listening on http://{}/mcp", serving.local_addr());
    Ok(serving.await?)
}
