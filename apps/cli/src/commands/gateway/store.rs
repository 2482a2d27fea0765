//! The store that several gateways share.

use mcp_gateway::GatewayBuilder;

use crate::failure::Failure;

/// Connects to the store, and makes the gateway share it.
#[cfg_attr(
    not(any(feature = "redis", feature = "postgres")),
    expect(clippy::unused_async, reason = "waits for a store")
)]
pub(super) async fn share(
    builder: GatewayBuilder,
    variable: &str,
    url: &str,
) -> Result<GatewayBuilder, Failure> {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    match scheme {
        #[cfg(feature = "redis")]
        "redis" | "rediss" => {
            let store = mcp_stores::Redis::connect(url).await.map_err(failed)?;
            Ok(builder.configure(|server| server.store(store)))
        }
        #[cfg(feature = "postgres")]
        "postgres" | "postgresql" => {
            let store = mcp_stores::Postgres::connect(url).await.map_err(failed)?;
            Ok(builder.configure(|server| server.store(store)))
        }
        known if ["redis", "rediss", "postgres", "postgresql"].contains(&known) => {
            drop(builder);
            Err(Failure::Usage(format!(
                "`{variable}` has a URL of `{scheme}`, for which `mcp` was built without the feature \
                 `redis` or `postgres`"
            )))
        }
        _ => {
            drop(builder);
            Err(Failure::Usage(format!(
                "`{variable}`: expected a URL that begins with `redis://`, `rediss://` or `postgres://`"
            )))
        }
    }
}

/// The errors of the stores contain neither the URL nor its password.
#[cfg(any(feature = "redis", feature = "postgres"))]
fn failed(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure::Io(std::io::Error::other(error))
}
