//! An app: a chart with a form, which a host shows in a frame (extension `io.modelcontextprotocol/ui`).
//!
//! `cargo run -p mcp-server --features apps,http --example apps -- --port 3000` serves
//! `http://127.0.0.1:3000/mcp`. Without `--port`, it serves standard input and output.

use std::error::Error;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_server::apps::{Apps, UiResourceMeta, UiToolMeta, UiToolVisibility};
use mcp_server::{HandlerError, Http, Json, ResourceDef, Server, State, ToolDef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const CHART: &str = "ui://sales/chart.html";
/// The maximum number of bars.
const BARS: usize = 12;

#[derive(Clone, Serialize, JsonSchema)]
struct Sale {
    product: String,
    amount: u32,
}

#[derive(Serialize, JsonSchema)]
struct Sales {
    sales: Vec<Sale>,
}

#[derive(Deserialize, JsonSchema)]
struct NewSale {
    /// What was sold
    product: String,
    /// How many were sold
    amount: u32,
}

#[derive(Clone)]
struct Sold(Arc<Mutex<Vec<Sale>>>);

async fn sales(State(sold): State<Sold>) -> Json<Sales> {
    let sales = sold.0.lock().unwrap_or_else(PoisonError::into_inner);
    let sales = sales.clone();
    Json(Sales { sales })
}

async fn add_sale(
    NewSale { product, amount }: NewSale,
    State(sold): State<Sold>,
) -> Result<Json<Sales>, HandlerError> {
    let mut sales = sold.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = sales.iter_mut().find(|sale| sale.product == product) {
        known.amount = known.amount.saturating_add(amount);
    } else if sales.len() < BARS {
        sales.push(Sale { product, amount });
    } else {
        return Err(HandlerError::tool(
            "the chart has no place for another product",
        ));
    }
    let sales = sales.clone();
    Ok(Json(Sales { sales }))
}

async fn forecast() -> &'static str {
    "More of everything"
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let sold = [("Apples", 30), ("Pears", 12), ("Plums", 21)].map(|(product, amount)| Sale {
        product: product.to_owned(),
        amount,
    });
    let chart = ResourceDef::text(CHART, "chart", include_str!("chart.html"))
        .title("Sales")
        .description("A chart of the sales, and a form for another one")
        .ui(UiResourceMeta::new().prefers_border(true));
    let server = Server::builder("sales", env!("CARGO_PKG_VERSION"))
        .state(Sold(Arc::new(Mutex::new(sold.into()))))
        .extension(Apps::new())
        .add_resource(chart)
        .add_tool(
            ToolDef::new("sales")
                .description("Returns the sales of today, and shows them as a chart")
                .handler(sales)
                .ui(UiToolMeta::new().resource_uri(CHART)),
        )
        .add_tool(
            ToolDef::new("add_sale")
                .description("Adds a sale, for the form below the chart")
                .handler(add_sale)
                .ui(UiToolMeta::new().visibility([UiToolVisibility::App])),
        )
        .add_tool(
            ToolDef::new("forecast")
                .description("Returns the sales of tomorrow")
                .handler(forecast)
                .ui(UiToolMeta::new().visibility([UiToolVisibility::Model])),
        )
        .build()?;
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => server.serve_stdio().await?,
        (Some("--port"), Some(port)) => {
            let serving = server.serve_http(Http::at(format!("127.0.0.1:{port}")))?;
            let mut output = std::io::stdout();
            writeln!(output, "listening on http://{}/mcp", serving.local_addr())?;
            output.flush()?;
            serving.await?;
        }
        _ => return Err("usage: apps [--port PORT]".into()),
    }
    Ok(())
}
