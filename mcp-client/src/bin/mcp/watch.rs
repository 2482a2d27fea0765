//! `mcp watch`.

use mcp_client::types::json::{Object, Value};
use mcp_client::types::{LoggingMessageNotificationParams, SubscriptionFilter};
use mcp_client::{Client, SubscriptionEvent};

use crate::exact::to_json;
use crate::failure::Failure;
use crate::lists::short;
use crate::output::{Output, print_message};

pub(crate) async fn watch(client: &Client, uris: &[String], output: Output) -> Result<(), Failure> {
    let mut filter = SubscriptionFilter::new()
        .tools_list_changed(true)
        .prompts_list_changed(true)
        .resources_list_changed(true);
    if !uris.is_empty() {
        filter = filter.resource_subscriptions(uris);
    }
    let mut subscription = client.listen(filter);
    while let Some(event) = subscription.next().await {
        let event = event?;
        if let SubscriptionEvent::Interrupted { error, again } = &event {
            print_message(&format!("interrupted, trying again in {again:?}: {error}"));
            continue;
        }
        let nothing = matches!(&event, SubscriptionEvent::Listening(filter) if is_empty(filter));
        let (name, about) = describe(event);
        show(name, about, output)?;
        if nothing && !logs(client) {
            let message = "the server reports no changes of what was asked for";
            return Err(Failure::Absent(message.to_owned()));
        }
    }
    Ok(())
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

/// Prints an event as a line of text, or as a JSON object.
fn show(name: &str, about: Value, output: Output) -> std::io::Result<()> {
    if output.json {
        let mut event = Object::from([("event", name)]);
        if !about.is_null() {
            event.insert("about", about);
        }
        return output.value(&event);
    }
    match about {
        Value::Null => output.line(name),
        Value::String(text) => output.line(&format!("{name}: {text}")),
        about => output.line(&format!("{name}: {about}")),
    }
}

/// Prints a log message of the server like an event.
pub(crate) fn log(log: &LoggingMessageNotificationParams, output: Output) {
    let shown = if output.json {
        show("log", to_json(log), output)
    } else {
        output.message(&log_line(log))
    };
    // If stdout is closed, the next event ends the program.
    drop(shown);
}

/// Returns a log message of the server as a line.
pub(crate) fn log_line(log: &LoggingMessageNotificationParams) -> String {
    let level = log.level.as_str();
    let data = match &log.data {
        Value::String(text) => text.clone(),
        data => data.to_string(),
    };
    match &log.logger {
        Some(logger) => format!("log {level} {logger}: {data}"),
        None => format!("log {level}: {data}"),
    }
}
