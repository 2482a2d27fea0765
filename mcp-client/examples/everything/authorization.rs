//! How the client authorizes itself in the scenarios `auth/...`. No user logs in: the authorization
//! servers of the suite redirect at once.

use std::env;
use std::error::Error;

use mcp_client::Http;
use mcp_client_oauth::{
    Enterprise, Headless, OAuth, OAuthBuilder, OAuthClient, PrivateKey, Secret,
};
use serde_json::Value;

/// The URL that the suite expects. Nothing is there.
const METADATA_DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// Adds the authorization to a server.
pub(crate) fn authorize(server: Http, scenario: &str) -> Result<Http, Box<dyn Error>> {
    let Some(scenario) = scenario.strip_prefix("auth/") else {
        return Ok(server);
    };
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let oauth = builder(scenario, &context)?.client_name("conformance");
    Ok(server.auth(oauth.build()?))
}

fn builder(scenario: &str, context: &Value) -> Result<OAuthBuilder, Box<dyn Error>> {
    let text = |name: &str| {
        let value = context.get(name).and_then(Value::as_str);
        value.ok_or_else(|| format!("`{name}` is missing in the context"))
    };
    // The suite trusts its servers with the secrets, and does not name the issuers.
    let client = || text("client_id").map(|id| OAuthClient::new(id).trust_first_issuer());
    Ok(match scenario {
        "client-credentials-basic" => {
            OAuth::client_credentials(client()?.secret(text("client_secret")?))
        }
        "client-credentials-jwt" => {
            let key = PrivateKey::from_pem(text("private_key_pem")?)?;
            let key = key.with_algorithm(text("signing_algorithm")?)?;
            OAuth::client_credentials(client()?.key(key))
        }
        "enterprise-managed-authorization" => {
            let id_token = Secret::new(text("idp_id_token")?);
            let at_provider = OAuthClient::new(text("idp_client_id")?);
            let provider = Enterprise::new(text("idp_token_endpoint")?, at_provider, move |_| {
                std::future::ready(Ok(id_token.clone()))
            });
            OAuth::enterprise(provider, client()?.secret(text("client_secret")?))
        }
        "wif-jwt-bearer" => {
            let identity = Secret::new(text("valid_jwt")?);
            OAuth::workload(client()?, move |_| std::future::ready(Ok(identity.clone())))
        }
        _ => {
            let agent = Headless::new("http://127.0.0.1:3999/callback");
            let builder = OAuth::authorization_code(agent)
                .client_metadata_document(METADATA_DOCUMENT)
                .legacy_servers(scenario.starts_with("2025-03-26-"));
            match client() {
                Ok(client) => builder.client(match text("client_secret") {
                    Ok(secret) => client.secret(secret),
                    Err(_) => client,
                }),
                Err(_) => builder,
            }
        }
    })
}
