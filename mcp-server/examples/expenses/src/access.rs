//! Who may use the endpoint.

use std::env;

use mcp_server::AccessToken;
use mcp_server_oauth::{OAuth, OAuthError, StaticTokens};

/// The URL of the endpoint on a laptop.
const LOCAL: &str = "http://127.0.0.1:3000/mcp";

/// Accepts the tokens of the authorization server in `EXPENSES_ISSUER`, or else two fixed ones.
pub(crate) fn oauth() -> Result<OAuth, OAuthError> {
    let url = env::var("EXPENSES_URL").unwrap_or_else(|_| LOCAL.to_owned());
    match env::var("EXPENSES_ISSUER") {
        Ok(issuer) => OAuth::builder(url).issuer(issuer).build(),
        Err(_) => fixed_tokens(&url),
    }
}

/// Accepts two fixed tokens. Tokens are for one server: the audience is its URL.
fn fixed_tokens(url: &str) -> Result<OAuth, OAuthError> {
    let issuer = "http://127.0.0.1:3000";
    let user = |name: &str| AccessToken::new(issuer).subject(name).audience([url]);
    let tokens = StaticTokens::new(issuer)
        .token("token-of-ada", user("ada"))
        .token("token-of-bob", user("bob"));
    OAuth::builder(url).verifier(tokens).build()
}
