//! `mcp discover`.

use mcp_client::Client;
use mcp_client::types::json::{Object, Value};
use mcp_client::types::{DiscoverRequest, RequestParams};
use mcp_host::icons::{IconPolicy, Website, website};

use super::lists::icons;
use crate::connect::described;
use crate::failure::Failure;
use crate::output::exact::{Exactly, to_json};
use crate::output::{Output, print_message};

pub(crate) async fn discover(client: &Client, output: Output) -> Result<(), Failure> {
    let revision = client.revision();
    if output.json {
        if revision.is_modern() {
            let params = RequestParams::new(client.meta());
            let exact = client.request::<Exactly<DiscoverRequest>>(params).await?;
            return Ok(output.json(exact.text())?);
        }
        return Ok(output.value(&handshake_result(client))?);
    }
    if let Some(info) = client.server_info() {
        output.line(&described(&info))?;
        output.indented(info.description.as_deref().unwrap_or_default())?;
        match website(client, &IconPolicy::new()) {
            Some(Ok(Website::Own { url } | Website::Trusted { url })) => output.indented(&url)?,
            Some(Ok(Website::Elsewhere { url, host })) => {
                output.indented(&format!("{url} (on the host {host})"))?;
            }
            Some(Err(fault)) => print_message(&format!("The website is not shown: {fault}.")),
            _ => {}
        }
        icons(info.icons.as_ref(), output)?;
    }
    output.line(&format!("revision {revision}"))?;
    if let Value::Object(capabilities) = to_json(&client.server_capabilities()) {
        for (name, value) in &capabilities {
            let members = value.as_object().into_iter().flatten();
            let on = members.filter(|(_, value)| value.as_bool() != Some(false));
            let on: Vec<&str> = on.map(|(name, _)| name).collect();
            output.line(format!("{name} {}", on.join(", ")).trim_end())?;
        }
    }
    if let Some(instructions) = client.instructions() {
        output.line("instructions:")?;
        output.indented(&instructions)?;
    }
    Ok(())
}

/// Returns what a server of an older revision sent in the handshake.
fn handshake_result(client: &Client) -> Object {
    let mut all = Object::from([("protocolVersion", client.revision().as_str())]);
    if let Some(info) = client.server_info() {
        all.insert("serverInfo", to_json(&info));
    }
    all.insert("capabilities", to_json(&client.server_capabilities()));
    if let Some(instructions) = client.instructions() {
        all.insert("instructions", instructions);
    }
    all
}
