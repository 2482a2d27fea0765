//! Events and log messages of the server, one a line.

use mcp_client::types::LoggingMessageNotificationParams;
use mcp_client::types::json::{Object, Value};

use super::exact::to_json;
use crate::output::Output;

/// Prints an event as a line of text, or as a JSON object.
pub(crate) fn show(name: &str, about: Value, output: Output) -> std::io::Result<()> {
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
