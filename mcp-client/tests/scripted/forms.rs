//! Answers to forms are validated before they are sent.

use mcp_client::types::json::{self, Object, Value};
use mcp_client::types::{BooleanSchema, ElicitResult, Revision};
use mcp_client::{CallError, Client, FormError, Misfit};
use mcp_server::{Context, Elicited, Form, HandlerError, Server};

use super::fake::FakeStream;
use crate::support::serve;

/// Returns the content that is sent as the answer to a form, or the error.
async fn answer(properties: &str, required: &str, answer: &str) -> Result<Value, FormError> {
    let asked = format!(
        r#""result":{{"resultType":"input_required","inputRequests":{{"q":{{"method":"elicitation/create","params":{{"mode":"form","message":"?","requestedSchema":{{"type":"object","properties":{properties},"required":{required}}}}}}}}}}}"#
    );
    let result: ElicitResult = json::from_str(answer).expect("a result");
    let builder = Client::builder("test", "1.0.0").on_elicit_form(move |_| {
        let result = result.clone();
        async move { Ok(result) }
    });
    let mut fake = FakeStream::connect(Revision::LATEST, builder, move |_, params| {
        if params.contains_key("inputResponses") {
            r#""result":{"resultType":"complete","content":[]}"#.to_owned()
        } else {
            asked.clone()
        }
    })
    .await;
    match fake.client.call_tool("ask").await {
        Ok(_) => {
            let (_, params) = fake.asked().pop().expect("it was asked");
            let answers = params.get("inputResponses").and_then(Value::as_object);
            Ok(answers.expect("answers").get("q").cloned().expect("one"))
        }
        Err(CallError::Input { source, .. }) => {
            assert_eq!(fake.asked().len(), 1, "nothing is sent");
            Err(*source.downcast::<FormError>().expect("a form's error"))
        }
        Err(error) => panic!("{error}"),
    }
}

const TITLED: &str = r#"{"const":"a","title":"A"},{"const":"b","title":"B"}"#;

#[tokio::test]
async fn missing_fields_get_their_defaults() {
    let properties = format!(
        r#"{{"text":{{"type":"string","default":"x"}},"whole":{{"type":"integer","default":3}},"part":{{"type":"number","default":0.5}},"yes":{{"type":"boolean","default":true}},"one":{{"type":"string","enum":["a","b"],"default":"a"}},"titled":{{"type":"string","oneOf":[{TITLED}],"default":"b"}},"old":{{"type":"string","enum":["a"],"enumNames":["A"],"default":"a"}},"many":{{"type":"array","items":{{"type":"string","enum":["a","b"]}},"default":["b"]}},"labelled":{{"type":"array","items":{{"anyOf":[{TITLED}]}},"default":["a","b"]}},"none":{{"type":"string"}},"said":{{"type":"string","default":"no"}}}}"#
    );
    let sent = answer(
        &properties,
        r#"["text","said"]"#,
        r#"{"action":"accept","content":{"said":"yes"}}"#,
    );
    let sent = sent.await.expect("an answer");
    let expected = r#"{"said":"yes","text":"x","whole":3,"part":0.5,"yes":true,"one":"a","titled":"b","old":"a","many":["b"],"labelled":["a","b"]}"#;
    let expected: Value = json::from_str(expected).expect("JSON");
    assert_eq!(sent.get("content"), Some(&expected));
}

#[tokio::test]
async fn declined_form_has_no_content() {
    for action in ["decline", "cancel"] {
        let given = format!(r#"{{"action":"{action}","content":{{"secret":"x"}}}}"#);
        let sent = answer(r#"{"secret":{"type":"string"}}"#, "[]", &given).await;
        let expected = Object::from([("action", action)]);
        assert_eq!(sent.expect("an answer"), Value::from(expected));
    }
}

#[tokio::test]
async fn invalid_form_answer_is_not_sent() {
    let titled = format!(r#"{{"type":"string","oneOf":[{TITLED}]}}"#);
    let labelled = format!(r#"{{"type":"array","minItems":1,"items":{{"anyOf":[{TITLED}]}}}}"#);
    let many = r#"{"type":"array","maxItems":1,"items":{"type":"string","enum":["a","b"]}}"#;
    let short = r#"{"type":"string","minLength":2,"maxLength":3}"#;
    let range = r#"{"type":"number","minimum":1,"maximum":2.5}"#;
    let large = r#"{"type":"integer","maximum":9007199254740992}"#;
    let email = r#"{"type":"string","format":"email"}"#;
    let few = |least, of| Misfit::Few { least, of };
    let most = |most, of| Misfit::Many { most, of };
    let kind = |expected| Misfit::Type { expected };
    let cases = [
        (short, r#""é""#, few(2, "characters")),
        (short, r#""abcd""#, most(3, "characters")),
        (short, "1", kind("a string")),
        (range, "0.5", Misfit::Less { least: 1.into() }),
        (range, "3", Misfit::More { most: 2.5.into() }),
        (range, r#""2""#, kind("a number")),
        (r#"{"type":"integer"}"#, "1.5", kind("an integer")),
        // As floats the two values are equal.
        (
            large,
            "9007199254740993",
            Misfit::More {
                most: 9_007_199_254_740_992_i64.into(),
            },
        ),
        (r#"{"type":"boolean"}"#, r#""yes""#, kind("true or false")),
        (
            email,
            r#""nobody""#,
            Misfit::Format {
                format: "email".to_owned(),
            },
        ),
        (
            r#"{"type":"string","enum":["a"]}"#,
            r#""b""#,
            Misfit::NotOffered,
        ),
        (&titled, r#""A""#, Misfit::NotOffered),
        (&titled, r#"["a"]"#, kind("a string")),
        (
            r#"{"type":"string","enum":["a"],"enumNames":["A"]}"#,
            r#""A""#,
            Misfit::NotOffered,
        ),
        (many, r#"["a","b"]"#, most(1, "values")),
        (many, r#"["c"]"#, Misfit::NotOffered),
        (many, r#""a""#, kind("a list of values")),
        (&labelled, "[]", few(1, "values")),
        (&labelled, r#"["c"]"#, Misfit::NotOffered),
    ];
    for (schema, value, reason) in cases {
        let given = format!(r#"{{"action":"accept","content":{{"it":{value}}}}}"#);
        let fault = answer(&format!(r#"{{"it":{schema}}}"#), "[]", &given).await;
        let member = "it".to_owned();
        let expected = FormError::Misfit { member, reason };
        assert_eq!(fault, Err(expected), "{value} for {schema}");
    }
    let given = r#"{"action":"accept"}"#;
    let fault = answer(r#"{"it":{"type":"string"}}"#, r#"["it"]"#, given).await;
    let member = "it".to_owned();
    assert_eq!(fault, Err(FormError::Missing { member }));
    // An invalid default is also reported.
    let bad = r#"{"it":{"type":"string","minLength":2,"default":"x"}}"#;
    let fault = answer(bad, "[]", given).await.expect_err("a fault");
    assert_eq!(
        fault.to_string(),
        "`content.it` has fewer than 2 characters"
    );
}

#[tokio::test]
async fn legacy_servers_get_the_same_answers() {
    let server = Server::builder("asks", "1.0.0")
        .tool(
            "ask",
            "Asks",
            async |cx: Context| -> Result<_, HandlerError> {
                let form = Form::new("Sure?").required("sure", BooleanSchema::new().default(true));
                let Elicited::Accepted(answer) = cx.elicit(form).await? else {
                    return Ok("nobody".to_owned());
                };
                Ok(format!("{:?}", answer.get("sure")))
            },
        )
        .build()
        .expect("the definition is valid");
    let accepted: ElicitResult = json::from_str(r#"{"action":"accept"}"#).expect("a result");
    let builder = Client::builder("test", "1.0.0")
        .revision(Revision::V2025_11_25)
        .on_elicit_form(move |_| {
            let accepted = accepted.clone();
            async move { Ok(accepted) }
        });
    let client = builder.connect(serve(&server)).await;
    let client = client.expect("the server answers");
    let result = client.call_tool("ask").await.expect("an answer");
    let text = serde_json::to_string(&result.content).expect("content is JSON");
    assert!(text.contains("Bool(true)"), "{text}");
}
