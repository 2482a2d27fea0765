//! `mcp watch`.

use std::collections::HashMap;

use mcp_client::types::SubscriptionFilter;
use mcp_client::types::json::{Object, Value};
use mcp_client::types::uri::canonical;
use mcp_client::{Client, Proposal, SubscriptionEvent};

use super::described::described;
use super::lists::short;
use crate::failure::Failure;
use crate::output::exact::to_json;
use crate::output::log::show;
use crate::output::{Output, print_message};

pub(crate) async fn watch(client: &Client, uris: &[String], output: Output) -> Result<(), Failure> {
    let mut filter = SubscriptionFilter::new()
        .tools_list_changed(true)
        .prompts_list_changed(true)
        .resources_list_changed(true);
    if !uris.is_empty() {
        filter = filter.resource_subscriptions(uris);
    }
    let mut versions = Versions::new(client, uris).await;
    let mut subscription = client.listen(filter);
    while let Some(event) = subscription.next().await {
        let event = event?;
        if let SubscriptionEvent::Interrupted { error, again } = &event {
            print_message(&format!("interrupted, trying again in {again:?}: {error}"));
            continue;
        }
        let nothing = matches!(&event, SubscriptionEvent::Listening(filter) if is_empty(filter));
        let changed = match &event {
            SubscriptionEvent::ResourceUpdated(params) => Some((params.uri.clone(), None)),
            SubscriptionEvent::ResourceContentChanged(resource) => {
                Some((resource.uri.clone(), resource.version.clone()))
            }
            _ => None,
        };
        let (name, about) = describe(event);
        show(name, about, output)?;
        if let Some((uri, version)) = changed
            && let Some((version, previous)) = versions.change(client, &uri, version).await
        {
            let about = if output.json {
                let members = [("uri", uri), ("version", version), ("previous", previous)];
                Object::from(members).into()
            } else {
                format!("{uri}: {version}, was {previous}").into()
            };
            show("version changed", about, output)?;
        }
        if nothing && !logs(client) {
            let message = "the server reports no changes of what was asked for";
            return Err(Failure::Absent(message.to_owned()));
        }
    }
    Ok(())
}

/// The versions of the resources that are watched, by their canonical URIs.
struct Versions(HashMap<String, String>);

impl Versions {
    async fn new(client: &Client, uris: &[String]) -> Self {
        let mut versions = HashMap::new();
        for uri in uris {
            if let Some(version) = version(client, uri).await {
                versions.insert(canonical(uri).into_owned(), version);
            }
        }
        Self(versions)
    }

    /// Returns the version of a resource and the previous one if it has changed. Requests the version
    /// if the notification did not have it.
    async fn change(
        &mut self,
        client: &Client,
        uri: &str,
        told: Option<String>,
    ) -> Option<(String, String)> {
        let known = self.0.get_mut(&*canonical(uri))?;
        let version = match told {
            Some(version) => version,
            None => version(client, uri).await?,
        };
        let previous = std::mem::replace(known, version.clone());
        (previous != version).then_some((version, previous))
    }
}

/// Requests the version of a resource, by the proposal `versioned-resources`. `None` if it cannot be
/// described, such as one that was deleted.
async fn version(client: &Client, uri: &str) -> Option<String> {
    if !client.negotiated(Proposal::VersionedResources) {
        return None;
    }
    described(client, uri).await.ok()??.version
}

/// Returns `true` if a server reports nothing of what a filter can contain.
fn is_empty(filter: &SubscriptionFilter) -> bool {
    let filter = to_json(filter);
    filter.as_object().is_none_or(|filter| {
        filter.values().all(|value| match value {
            Value::Bool(on) => !on,
            Value::Array(uris) => uris.is_empty(),
            _ => true,
        })
    })
}

/// Returns `true` if a server may send log messages outside of requests.
fn logs(client: &Client) -> bool {
    let capabilities = to_json(&client.server_capabilities());
    !client.revision().is_modern() && capabilities.get("logging").is_some()
}

/// Returns the name of an event and its content.
fn describe(event: SubscriptionEvent) -> (&'static str, Value) {
    match event {
        SubscriptionEvent::Listening(filter) => ("listening", to_json(&filter)),
        SubscriptionEvent::ToolListChanged => ("tools changed", Value::Null),
        SubscriptionEvent::PromptListChanged => ("prompts changed", Value::Null),
        SubscriptionEvent::ResourceListChanged => ("resources changed", Value::Null),
        SubscriptionEvent::ResourceUpdated(params) => ("resource updated", params.uri.into()),
        SubscriptionEvent::ResourceContentChanged(mut resource) => {
            for icon in resource.icons.iter_mut().flatten() {
                icon.src = short(&icon.src);
            }
            ("resource changed", to_json(&resource))
        }
        SubscriptionEvent::Other { method, params } => {
            let params = params.map(|params| to_json(&params)).unwrap_or_default();
            let both = [("method", Value::from(method)), ("params", params)];
            ("notification", Object::from(both).into())
        }
        SubscriptionEvent::Missed => ("missed some events", Value::Null),
        _ => ("unknown", Value::Null),
    }
}
