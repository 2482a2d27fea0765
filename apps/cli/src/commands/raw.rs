//! `mcp ping` and `mcp request`.

use std::time::Instant;

use mcp_client::Client;
use mcp_client::types::json::Object;
use mcp_client::types::v2025_11_25::PingRequest;

use crate::failure::Failure;
use crate::output::Output;

/// Measures the time of a request that every server answers.
pub(crate) async fn ping(client: &Client, output: Output) -> Result<(), Failure> {
    let start = Instant::now();
    if client.revision().is_modern() {
        client.discover().await?;
    } else {
        client.request::<PingRequest>(None).await?;
    }
    let time = start.elapsed();
    if output.json {
        let milliseconds = time.as_secs_f64() * 1000.0;
        return Ok(output.value(&Object::from([("milliseconds", milliseconds)]))?);
    }
    Ok(output.line(&format!("answered in {time:.1?}"))?)
}

pub(crate) async fn request(
    client: &Client,
    method: &str,
    params: &Object,
    output: Output,
) -> Result<(), Failure> {
    let result = client.request_json(method.to_owned(), params).await?;
    Ok(output.json(result.get())?)
}
