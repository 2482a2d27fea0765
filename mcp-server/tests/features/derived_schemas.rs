//! Schemas that are derived from the types of arguments, and what a call reports whose arguments do
//! not match them.

use mcp_server::{Json, Server};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::peer::Peer;

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn schemas_have_ranges_instead_of_formats_specific_to_rust() {
    #[derive(Deserialize, JsonSchema)]
    struct Numbers {
        size: usize,
        bytes: Vec<u8>,
        id: i64,
        part: f32,
        #[schemars(range(min = 1))]
        port: u32,
        #[schemars(with = "Value", extend(
            "default" = { "format": "uint32" },
            "examples" = [{ "format": "uint32" }],
            "properties" = { "format": { "const": "uint32" } }
        ))]
        data: Option<Value>,
    }

    #[derive(Serialize, JsonSchema)]
    struct Total {
        total: u64,
    }

    let tool = |numbers: Numbers| async move {
        let Numbers {
            size,
            bytes,
            id,
            part,
            port,
            data,
        } = numbers;
        let _ = (id, part, port, data);
        Json(Total {
            total: (size + bytes.len()) as u64,
        })
    };
    let server = Server::builder("test", "1")
        .tool("sum", "Sums", tool)
        .build()
        .unwrap();
    let listed = Peer::modern(&server).result("tools/list", json!({})).await;
    let tool = &listed["tools"][0];
    let input = &tool["inputSchema"]["properties"];
    let natural = json!({ "type": "integer", "minimum": 0 });
    assert_eq!(input["size"], natural);
    let byte = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
    assert_eq!(input["bytes"]["items"], byte);
    // JavaScript cannot represent the bounds of 64 bits.
    assert_eq!(input["id"], json!({ "type": "integer" }));
    assert_eq!(input["part"], json!({ "type": "number" }));
    let port = json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX });
    assert_eq!(input["port"], port);
    assert_eq!(tool["outputSchema"]["properties"]["total"], natural);
    // A member of data that has the name and the value of such a format.
    let data = json!({ "format": "uint32" });
    assert_eq!(input["data"]["default"], data);
    assert_eq!(input["data"]["examples"], json!([data]));
    assert_eq!(input["data"]["properties"]["format"]["const"], "uint32");
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Category {
    /// Meals and groceries.
    Food,
    Travel,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Payer {
    Person { name: String },
    Company { id: u32 },
}

#[derive(Deserialize, JsonSchema)]
struct Expense {
    #[schemars(range(min = 1))]
    amount: u32,
    category: Category,
    kind: Option<Category>,
    #[schemars(extend("format" = "date"))]
    day: String,
    payer: Payer,
}

#[tokio::test]
async fn all_faults_are_reported_in_words_that_a_model_can_act_on() {
    let server = Server::builder("test", "1")
        .tool("spend", "Spends", async |args: Expense| {
            let _ = (args.category, args.kind);
            let payer = match args.payer {
                Payer::Person { name } => name,
                Payer::Company { id } => id.to_string(),
            };
            format!("{} {} {payer}", args.amount, args.day)
        })
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let payer = json!({ "kind": "company", "id": "7" });
    let wrong =
        json!({ "amount": 0, "category": "x", "kind": "y", "day": "today", "payer": payer });
    let result = peer.call("spend", wrong).await;
    for expected in [
        "$.amount: expected at least 1",
        "$.category: expected one of `travel`, `food`",
        "$.kind: expected one of `travel`, `food`",
        "$.day: expected a date such as 2026-01-31",
        "$.payer.id: expected integer, found string",
    ] {
        assert!(text(&result).contains(expected), "{expected}: {result}");
    }
    let payer = json!({ "kind": "nobody" });
    let wrong = json!({ "amount": 1, "category": "food", "day": "2026-01-31", "payer": payer });
    let result = peer.call("spend", wrong).await;
    let expected = "$.payer.kind: expected one of `person`, `company`";
    assert!(text(&result).contains(expected), "{result}");
    let payer = json!({ "kind": "person", "name": "Ada" });
    let right = json!({ "amount": 1, "category": "food", "day": "2026-01-31", "payer": payer });
    assert_eq!(text(&peer.call("spend", right).await), "1 2026-01-31 Ada");
}
