//! The servers of the example `agent`. `forecast` ends the process when it is called for the first
//! time, and works after the restart.

use std::path::Path;
use std::time::Duration;

use mcp_server::types::StringSchema;
use mcp_server::{Context, Elicited, Form, HandlerError, Server, TaskOptions, Tasks, ToolDef};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    city: String,
}

async fn book(place: Place, cx: Context) -> Result<String, HandlerError> {
    let form = Form::new("Which class?").required("class", StringSchema::new());
    Ok(match cx.elicit(form).await? {
        Elicited::Accepted(answer) => {
            let class = answer.get("class").and_then(|class| class.as_str());
            format!("booked {} class to {}", class.unwrap_or("any"), place.city)
        }
        _ => "not booked".to_owned(),
    })
}

async fn itinerary(place: Place, cx: Context) -> Result<String, HandlerError> {
    for day in 1..=2 {
        cx.progress(day, Some(2.0), format!("planning day {day}"))
            .await?;
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    Ok(format!("two days in {}", place.city))
}

/// Fails in the way of a process that crashes, unless it has done so before.
async fn forecast(place: Place) -> String {
    if let Some(marker) = std::env::args().nth(1)
        && !Path::new(&marker).exists()
    {
        let _ = std::fs::write(marker, "");
        std::process::exit(3);
    }
    format!("sun in {}", place.city)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let itinerary = ToolDef::new("itinerary").handler(itinerary);
    let server = Server::builder("travel", "1.0.0")
        .extension(Tasks::new().poll_interval(Duration::from_millis(100)))
        .add_tool(itinerary.as_task(TaskOptions::new()))
        .add_tool(ToolDef::new("book").handler(book))
        .add_tool(ToolDef::new("forecast").handler(forecast))
        .build()?;
    server.serve_stdio().await?;
    Ok(())
}
