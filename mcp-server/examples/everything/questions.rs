//! Handlers that ask the client: the same lines serve both eras.

use mcp_server::types::{
    BooleanSchema, CreateMessageRequestParams, CreateMessageResult, LegacyTitledEnumSchema,
    NumberSchema, NumberSchemaType, Role, SamplingContent, SamplingMessage,
    SamplingMessageContentBlock, StringSchema, TextContent, json::Object,
};
use mcp_server::{Context, Elicited, Field, Form, HandlerError, PromptDef, ServerBuilder};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Prompt {
    /// The prompt to send to the LLM
    prompt: String,
}

#[derive(Deserialize, JsonSchema)]
struct Message {
    /// The message to show the user
    message: String,
}

pub(crate) fn add(builder: ServerBuilder) -> ServerBuilder {
    rounds(builder)
        .tool(
            "test_sampling",
            "Asks the client's model",
            async |args: Prompt, cx: Context| -> Result<_, HandlerError> {
                let answer = cx.sample(conversation(&args.prompt, 100)).await?;
                Ok(format!("LLM response: {}", said(&answer)))
            },
        )
        .tool(
            "test_missing_capability",
            "Needs sampling",
            async |cx: Context| -> Result<_, HandlerError> {
                cx.sample(conversation("ping", 10)).await?;
                Ok("Success")
            },
        )
        .tool(
            "test_elicitation",
            "Asks the user",
            async |args: Message, cx: Context| -> Result<_, HandlerError> {
                let form = Form::new(args.message)
                    .required(
                        "username",
                        StringSchema::new().description("User's response"),
                    )
                    .required(
                        "email",
                        StringSchema::new().description("User's email address"),
                    );
                Ok(format!(
                    "User response: {}",
                    outcome(cx.elicit(form).await?)?
                ))
            },
        )
        .tool(
            "test_elicitation_sep1034_defaults",
            "Asks with defaults",
            async |cx: Context| -> Result<_, HandlerError> {
                let form = Form::new("Please review and update the form fields with defaults")
                    .optional("name", StringSchema::new().default("John Doe"))
                    .optional(
                        "age",
                        NumberSchema::new(NumberSchemaType::Integer).default(30.0),
                    )
                    .optional(
                        "score",
                        NumberSchema::new(NumberSchemaType::Number).default(95.5),
                    )
                    .optional(
                        "status",
                        Field::one_of(["active", "inactive", "pending"]).default("active"),
                    )
                    .optional("verified", BooleanSchema::new().default(true));
                Ok(format!(
                    "Elicitation completed: {}",
                    outcome(cx.elicit(form).await?)?
                ))
            },
        )
        .tool(
            "test_elicitation_sep1330_enums",
            "Asks with choices",
            async |cx: Context| -> Result<_, HandlerError> {
                let options = ["option1", "option2", "option3"];
                let titled = |name: &str| {
                    [
                        ("value1", "First"),
                        ("value2", "Second"),
                        ("value3", "Third"),
                    ]
                    .map(|(value, title)| (value, format!("{title} {name}")))
                };
                let legacy =
                    LegacyTitledEnumSchema::new(["opt1", "opt2", "opt3"].map(str::to_owned))
                        .enum_names(
                            ["Option One", "Option Two", "Option Three"].map(str::to_owned),
                        );
                let form = Form::new("Please select options from the enum fields")
                    .optional("untitledSingle", Field::one_of(options))
                    .optional("titledSingle", Field::one_of_titled(titled("Option")))
                    .optional("legacyEnum", legacy)
                    .optional(
                        "untitledMulti",
                        Field::many_of(options).min_items(1).max_items(3),
                    )
                    .optional(
                        "titledMulti",
                        Field::many_of_titled(titled("Choice"))
                            .min_items(1)
                            .max_items(3),
                    );
                Ok(format!(
                    "Elicitation completed: {}",
                    outcome(cx.elicit(form).await?)?
                ))
            },
        )
        .tool(
            "test_streaming_elicitation",
            "Reports progress, then asks",
            async |cx: Context| -> Result<_, HandlerError> {
                cx.progress(1.0, 2.0, "about to ask").await?;
                let answer = cx
                    .elicit(ask("Please confirm", "ok", BooleanSchema::new()))
                    .await?;
                Ok(format!("Streaming complete: {}", outcome(answer)?))
            },
        )
}

/// Tools whose names say what the conformance suite looks at.
fn rounds(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            "test_input_required_result_elicitation",
            "Asks for a name",
            async |cx: Context| -> Result<_, HandlerError> {
                Ok(format!(
                    "Hello, {}!",
                    name(&cx, "user_name", "What is your name?", "name").await?
                ))
            },
        )
        .tool(
            "test_input_required_result_sampling",
            "Asks for a capital",
            async |cx: Context| -> Result<_, HandlerError> {
                let question = conversation("What is the capital of France?", 100);
                Ok(said(&cx.sample(question).key("capital_question").await?))
            },
        )
        .tool(
            "test_input_required_result_list_roots",
            "Counts roots",
            async |cx: Context| -> Result<_, HandlerError> {
                let roots = cx.roots().key("client_roots").await?;
                Ok(format!("Found {} root(s)", roots.len()))
            },
        )
        .tool(
            "test_input_required_result_request_state",
            "Asks to confirm",
            async |cx: Context| -> Result<_, HandlerError> {
                confirm(&cx).await?;
                Ok("state-ok")
            },
        )
        .tool(
            "test_input_required_result_tampered_state",
            "Asks to confirm",
            async |cx: Context| -> Result<_, HandlerError> {
                confirm(&cx).await?;
                Ok("confirmed")
            },
        )
        .tool(
            "test_input_required_result_multiple_inputs",
            "Asks three at once",
            async |cx: Context| -> Result<_, HandlerError> {
                let (name, greeting, roots) = tokio::join!(
                    name(&cx, "user_name", "What is your name?", "name"),
                    cx.sample(conversation("Generate a greeting", 50))
                        .key("greeting"),
                    cx.roots().key("client_roots"),
                );
                Ok(format!(
                    "{} {}, {} root(s)",
                    said(&greeting?),
                    name?,
                    roots?.len()
                ))
            },
        )
        .tool(
            "test_input_required_result_multi_round",
            "Asks one after another",
            async |cx: Context| -> Result<_, HandlerError> {
                let name = name(&cx, "step1", "Step 1: What is your name?", "name").await?;
                let color = self::name(
                    &cx,
                    "step2",
                    "Step 2: What is your favorite color?",
                    "color",
                )
                .await?;
                Ok(format!("{name} likes {color}"))
            },
        )
        .tool(
            "test_input_required_result_capabilities",
            "Asks what the client can do",
            async |cx: Context| -> Result<_, HandlerError> {
                let can = cx.peer().capabilities();
                if can.elicitation.is_some() {
                    confirm(&cx).await?;
                }
                if can.sampling.is_some() {
                    cx.sample(conversation("Generate a greeting", 50)).await?;
                }
                Ok("asked all that could be asked")
            },
        )
        .add_prompt(
            PromptDef::new("test_input_required_result_prompt")
                .description("Asks for its context")
                .handler(async |cx: Context| -> Result<_, HandlerError> {
                    let context = name(
                        &cx,
                        "user_context",
                        "What context should the prompt use?",
                        "context",
                    )
                    .await?;
                    Ok(format!("Prompt with context: {context}"))
                }),
        )
}

fn ask(message: &str, field: &str, schema: impl Into<Field>) -> Form {
    Form::new(message).required(field, schema)
}

async fn confirm(cx: &Context) -> Result<(), HandlerError> {
    let form = ask("Please confirm", "ok", BooleanSchema::new());
    cx.elicit(form).key("confirm").await?;
    Ok(())
}

async fn name(cx: &Context, key: &str, message: &str, field: &str) -> Result<String, HandlerError> {
    let answer = cx
        .elicit(ask(message, field, StringSchema::new()))
        .key(key)
        .await?;
    let content = answer.accepted().unwrap_or_default();
    Ok(content
        .get(field)
        .and_then(|name| name.as_str())
        .unwrap_or("nobody")
        .to_owned())
}

fn outcome(answer: Elicited<Object>) -> Result<String, HandlerError> {
    Ok(match answer {
        Elicited::Accepted(content) => {
            format!(
                "action=accept, content={}",
                serde_json::to_string(&content)?
            )
        }
        Elicited::Declined => "action=decline, content={}".into(),
        Elicited::Cancelled => "action=cancel, content={}".into(),
    })
}

fn conversation(text: &str, max_tokens: i64) -> CreateMessageRequestParams {
    let text = SamplingMessageContentBlock::Text(TextContent::new(text));
    CreateMessageRequestParams::new([SamplingMessage::new(Role::User, text)], max_tokens)
}

fn said(answer: &CreateMessageResult) -> String {
    let blocks = match &answer.content {
        SamplingContent::Block(block) => std::slice::from_ref(block),
        SamplingContent::Array(blocks) => blocks,
        _ => &[],
    };
    let texts = blocks.iter().filter_map(|block| match block {
        SamplingMessageContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join(" ")
}
