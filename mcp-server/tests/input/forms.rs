//! Forms with all types of fields, and the validation of answers.

use mcp_server::types::{
    BooleanSchema, CallToolOutcome, CallToolRequest, CallToolResult, LegacyTitledEnumSchema,
    NumberSchema, NumberSchemaType, StringSchema, TextContent,
};
use mcp_server::{Context, Elicited, Field, Form, HandlerError, Params, Server};
use serde_json::{Value, json};

use super::peer::{Peer, accept, connect, text};

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Class {
    Economy,
    Business,
}

/// A booking.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Trip {
    /// Where to?
    city: String,
    #[schemars(range(min = 1, max = 9))]
    seats: u8,
    price: Option<f64>,
    window: Option<bool>,
    class: Class,
    also: Option<Vec<Class>>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Visit {
    #[schemars(extend("format" = "date"))]
    day: String,
    /// Forms do not have this format.
    #[schemars(extend("format" = "uuid"))]
    room: String,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
enum Size {
    /// For one
    Small,
    Large,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Order {
    size: Size,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Deep {
    inner: Option<Vec<Vec<u8>>>,
}

async fn tool(
    Params(params): Params<CallToolRequest>,
    cx: Context,
) -> Result<CallToolOutcome, HandlerError> {
    let text = match &*params.name {
        "typed" => match cx.elicit(Form::<Trip>::of("Trip?")).key("q").await? {
            Elicited::Accepted(trip) => {
                let business = matches!(trip.class, Class::Business);
                let rest = (trip.price, trip.window, trip.also.map(|it| it.len()));
                format!("{} {} {business} {rest:?}", trip.city, trip.seats)
            }
            other => format!("{:?}", other.accepted().is_some()),
        },
        "titled" => {
            let titled = Field::one_of_titled([("a", "Apple"), ("b", "Pear")]);
            let form = Form::new("Which?").required("fruit", titled.default("b").title("Fruit"));
            let answer = cx.elicit(form).await?;
            serde_json::to_string(&answer.accepted())?
        }
        "documented" => {
            let answer = cx.elicit(Form::<Order>::of("Which?")).await?;
            format!("{:?}", answer.accepted().map(|order| order.size))
        }
        "formats" => match cx.elicit(Form::<Visit>::of("When?")).key("q").await? {
            Elicited::Accepted(visit) => format!("{} {}", visit.day, visit.room),
            other => format!("{:?}", other.accepted().is_some()),
        },
        "ambiguous" => {
            let form = Form::new("Which?")
                .required("many", Field::many_of(["a"]))
                .required("many.a", BooleanSchema::new());
            format!("{:?}", cx.elicit(form).await?)
        }
        "deep" => match cx.elicit(Form::<Deep>::of("Deep?")).await {
            Ok(deep) => format!("{:?}", deep.accepted().map(|deep| deep.inner)),
            Err(error) => error.to_string(),
        },
        _ => {
            let names = ["A", "B"].map(String::from);
            let form = Form::new("All?")
                .optional("word", StringSchema::new().min_length(2).default("ab"))
                .optional(
                    "score",
                    NumberSchema::new(NumberSchemaType::Number).default(95.5),
                )
                .optional(
                    "age",
                    NumberSchema::new(NumberSchemaType::Integer).maximum(130),
                )
                .optional("sure", BooleanSchema::new().default(true))
                .optional("one", Field::one_of(["a", "b"]).default("a"))
                .optional("titled", Field::one_of_titled([("a", "A"), ("b", "B")]))
                .optional(
                    "old",
                    LegacyTitledEnumSchema::new(names.clone()).enum_names(names),
                )
                .optional("many", Field::many_of(["a", "b"]).min_items(1))
                .optional("many_titled", Field::many_of_titled([("a", "A")]));
            match cx.elicit(form).key("q").await? {
                Elicited::Accepted(object) => serde_json::to_string(&object)?,
                other => format!("{other:?}"),
            }
        }
    };
    Ok(CallToolResult::new([TextContent::new(text).into()]).into())
}

fn peer() -> Peer {
    let server = Server::builder("forms", "1").on(tool);
    connect(&server.build().unwrap())
}

fn schema(answer: &Value) -> &Value {
    &answer["result"]["inputRequests"]["q"]["params"]["requestedSchema"]
}

#[tokio::test]
async fn formats_that_forms_have_are_sent() {
    let mut peer = peer();
    let first = peer.call_round("formats", json!({})).await;
    let fields = &schema(&first)["properties"];
    assert_eq!(fields["day"], json!({ "type": "string", "format": "date" }));
    assert_eq!(
        fields["room"],
        json!({ "type": "string", "description": "Forms do not have this format." })
    );
}

#[tokio::test]
async fn every_published_field_type_is_sent() {
    let mut peer = peer();
    let first = peer.call_round("all", json!({})).await;
    let titled = json!([{ "const": "a", "title": "A" }, { "const": "b", "title": "B" }]);
    let many = json!({ "type": "string", "enum": ["a", "b"] });
    let expected = json!({ "type": "object", "properties": {
        "word": { "type": "string", "minLength": 2, "default": "ab" },
        "score": { "type": "number", "default": 95.5 },
        "age": { "type": "integer", "maximum": 130 },
        "sure": { "type": "boolean", "default": true },
        "one": { "type": "string", "enum": ["a", "b"], "default": "a" },
        "titled": { "type": "string", "oneOf": titled },
        "old": { "type": "string", "enum": ["A", "B"], "enumNames": ["A", "B"] },
        "many": { "type": "array", "minItems": 1, "items": many },
        "many_titled": { "type": "array", "items": { "anyOf": [titled[0]] } },
    }});
    assert_eq!(schema(&first), &expected);
}

#[tokio::test]
async fn absent_optional_answers_stay_absent() {
    let mut peer = peer();
    for content in [
        json!({}),
        json!({ "word": "xyz", "age": 3.0, "many": ["b"], "old": "A" }),
    ] {
        let responses = json!({ "inputResponses": { "q": accept(content.clone()) } });
        let answer = peer.call_round("all", responses).await;
        let back: Value = serde_json::from_str(text(&answer)).unwrap();
        let mut content = content;
        // JSON Schema counts 3.0 as an integer.
        if content["age"] == json!(3.0) {
            content["age"] = json!(3);
        }
        assert_eq!(back, content);
    }
}

#[tokio::test]
async fn content_that_violates_the_form_is_rejected() {
    let mut peer = peer();
    for (field, value) in [
        ("word", json!("x")),
        ("word", json!(true)),
        ("score", json!("1")),
        ("age", json!(1.5)),
        ("age", json!(131)),
        ("sure", json!("true")),
        ("one", json!("c")),
        ("one", json!(["a"])),
        ("titled", json!("A")),
        ("old", json!("C")),
        ("many", json!([])),
        ("many", json!(["c"])),
        ("many", json!("a")),
        ("many_titled", json!(["A"])),
    ] {
        let responses = json!({ "inputResponses": { "q": accept(json!({ field: value })) } });
        let answer = peer.call_round("all", responses).await;
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        let place = format!("`inputResponses.q`: `content.{field}` ");
        assert!(message.starts_with(&place), "{field} {value}: {answer}");
    }
}

#[tokio::test]
async fn form_is_derived_from_a_type() {
    let mut peer = peer();
    let first = peer.call_round("typed", json!({})).await;
    let class = json!({ "type": "string", "enum": ["economy", "business"] });
    let expected = json!({ "type": "object", "properties": {
        "city": { "type": "string", "description": "Where to?" },
        "seats": { "type": "integer", "minimum": 1, "maximum": 9 },
        "price": { "type": "number" },
        "window": { "type": "boolean" },
        "class": class,
        "also": { "type": "array", "items": class },
    }, "required": ["city", "seats", "class"] });
    assert_eq!(schema(&first), &expected);
    let trip = json!({ "city": "Oslo", "seats": 2.0, "class": "business" });
    let responses = json!({ "inputResponses": { "q": accept(trip) } });
    assert_eq!(
        text(&peer.call_round("typed", responses).await),
        "Oslo 2 true (None, None, None)"
    );
}

#[tokio::test]
async fn type_that_is_not_a_flat_form_is_rejected_by_name() {
    let answer = peer().call_round("deep", json!({})).await;
    assert!(text(&answer).contains("`inner`"), "{answer}");
}

#[tokio::test]
async fn titled_choices_are_sent_to_clients_of_2025_06_18() {
    let mut peer = peer();
    peer.handshake("2025-06-18").await;
    for (tool, field, choice, answer, expected) in [
        (
            "titled",
            "fruit",
            json!({
                "type": "string", "title": "Fruit",
                "enum": ["a", "b"], "enumNames": ["Apple", "Pear"],
            }),
            "a",
            r#"{"fruit":"a"}"#,
        ),
        (
            "documented",
            "size",
            json!({
                "type": "string", "enum": ["Large", "Small"], "enumNames": ["Large", "For one"],
            }),
            "Small",
            "Some(Small)",
        ),
    ] {
        peer.begin("c", tool).await;
        let question = peer.receive().await;
        let mut sent = question["params"]["requestedSchema"]["properties"][field].clone();
        // The revision does not have a default; one is an unknown member to it.
        sent.as_object_mut().unwrap().remove("default");
        assert_eq!(sent, choice, "{question}");
        peer.answer(&question, accept(json!({ field: answer })))
            .await;
        assert_eq!(text(&peer.receive().await), expected);
    }
}

#[tokio::test]
async fn several_choices_are_checkboxes_for_clients_of_2025_06_18() {
    let mut peer = peer();
    peer.handshake("2025-06-18").await;
    for (content, expected) in [
        (
            json!({ "many.a": false, "many.b": true, "sure": true }),
            Ok(json!({ "many": ["b"], "sure": true })),
        ),
        (json!({}), Ok(json!({}))),
        (
            json!({ "many_titled.a": true, "many.a": true, "many.b": true }),
            Ok(json!({ "many": ["a", "b"], "many_titled": ["a"] })),
        ),
        (json!({ "many.a": false }), Err("`content.many` has fewer")),
        (json!({ "many.a": "yes" }), Err("`content.many.a`")),
    ] {
        peer.begin("c", "all").await;
        let question = peer.receive().await;
        let fields = &question["params"]["requestedSchema"]["properties"];
        assert!(fields.get("many").is_none(), "{question}");
        let checkbox = json!({
            "type": "boolean", "title": "many: a", "description": "Choose at least 1",
        });
        assert_eq!(fields["many.a"], checkbox);
        assert_eq!(fields["many.b"]["title"], "many: b");
        assert_eq!(fields["many_titled.a"]["title"], "many_titled: A");
        peer.answer(&question, accept(content)).await;
        let answer = peer.receive().await;
        match expected {
            Ok(expected) => {
                let content: Value = serde_json::from_str(text(&answer)).unwrap();
                assert_eq!(content, expected);
            }
            Err(part) => assert!(answer.to_string().contains(part), "{answer}"),
        }
    }
}

#[tokio::test]
async fn checkbox_with_the_name_of_another_field_is_refused_in_words() {
    let mut peer = peer();
    peer.handshake("2025-06-18").await;
    peer.begin("c", "ambiguous").await;
    let answer = peer.receive().await;
    assert!(answer.to_string().contains("`many.a`"), "{answer}");
}
