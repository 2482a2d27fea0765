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
        .tool("test_sampling", "Asks the client's model", sample)
        .tool("test_missing_capability", "Needs sampling", need_sampling)
        .tool("test_elicitation", "Asks the user", elicit)
        .tool(
            "test_elicitation_sep1034_defaults",
            "Asks with defaults",
            elicit_with_defaults,
        )
        .tool(
            "test_elicitation_sep1330_enums",
            "Asks with choices",
            elicit_choices,
        )
        .tool(
            "test_streaming_elicitation",
            "Reports progress, then asks",
            report_and_elicit,
        )
}

async fn sample(args: Prompt, cx: Context) -> Result<String, HandlerError> {
    let answer = cx.sample(conversation(&args.prompt, 100)).await?;
    Ok(format!("LLM response: {}", text_of(&answer)))
}

async fn need_sampling(cx: Context) -> Result<&'static str, HandlerError> {
    cx.sample(conversation("ping", 10)).await?;
    Ok("Success")
}

async fn elicit(args: Message, cx: Context) -> Result<String, HandlerError> {
    let username = StringSchema::new().description("User's response");
    let email = StringSchema::new().description("User's email address");
    let form = Form::new(args.message)
        .required("username", username)
        .required("email", email);
    let answer = outcome(cx.elicit(form).await?)?;
    Ok(format!("User response: {answer}"))
}

async fn elicit_with_defaults(cx: Context) -> Result<String, HandlerError> {
    let integer = NumberSchema::new(NumberSchemaType::Integer);
    let number = NumberSchema::new(NumberSchemaType::Number);
    let status = Field::one_of(["active", "inactive", "pending"]);
    let form = Form::new("Please review and update the form fields with defaults")
        .optional("name", StringSchema::new().default("John Doe"))
        .optional("age", integer.default(30.0))
        .optional("score", number.default(95.5))
        .optional("status", status.default("active"))
        .optional("verified", BooleanSchema::new().default(true));
    let answer = outcome(cx.elicit(form).await?)?;
    Ok(format!("Elicitation completed: {answer}"))
}

async fn elicit_choices(cx: Context) -> Result<String, HandlerError> {
    let options = ["option1", "option2", "option3"];
    let titled = |name: &str| {
        let values = [
            ("value1", "First"),
            ("value2", "Second"),
            ("value3", "Third"),
        ];
        values.map(|(value, title)| (value, format!("{title} {name}")))
    };
    let legacy = LegacyTitledEnumSchema::new(["opt1", "opt2", "opt3"].map(str::to_owned))
        .enum_names(["Option One", "Option Two", "Option Three"].map(str::to_owned));
    let untitled_many = Field::many_of(options).min_items(1).max_items(3);
    let titled_many = Field::many_of_titled(titled("Choice"))
        .min_items(1)
        .max_items(3);
    let form = Form::new("Please select options from the enum fields")
        .optional("untitledSingle", Field::one_of(options))
        .optional("titledSingle", Field::one_of_titled(titled("Option")))
        .optional("legacyEnum", legacy)
        .optional("untitledMulti", untitled_many)
        .optional("titledMulti", titled_many);
    let answer = outcome(cx.elicit(form).await?)?;
    Ok(format!("Elicitation completed: {answer}"))
}

async fn report_and_elicit(cx: Context) -> Result<String, HandlerError> {
    cx.progress(1.0, 2.0, "about to ask").await?;
    let form = ask("Please confirm", "ok", BooleanSchema::new());
    let answer = outcome(cx.elicit(form).await?)?;
    Ok(format!("Streaming complete: {answer}"))
}

/// Tools that the conformance suite calls by these names.
fn rounds(builder: ServerBuilder) -> ServerBuilder {
    let prompt = PromptDef::new("test_input_required_result_prompt")
        .description("Asks for its context")
        .handler(prompt_with_context);
    builder
        .tool(
            "test_input_required_result_elicitation",
            "Asks for a name",
            greet,
        )
        .tool(
            "test_input_required_result_sampling",
            "Asks for a capital",
            ask_capital,
        )
        .tool(
            "test_input_required_result_list_roots",
            "Counts roots",
            count_roots,
        )
        .tool(
            "test_input_required_result_request_state",
            "Asks to confirm",
            keep_state,
        )
        .tool(
            "test_input_required_result_tampered_state",
            "Asks to confirm",
            check_state,
        )
        .tool(
            "test_input_required_result_multiple_inputs",
            "Asks three at once",
            ask_three,
        )
        .tool(
            "test_input_required_result_multi_round",
            "Asks one after another",
            ask_in_rounds,
        )
        .tool(
            "test_input_required_result_capabilities",
            "Asks what the client can do",
            ask_what_is_declared,
        )
        .add_prompt(prompt)
}

async fn greet(cx: Context) -> Result<String, HandlerError> {
    let name = ask_text(&cx, "user_name", "What is your name?", "name").await?;
    Ok(format!("Hello, {name}!"))
}

async fn ask_capital(cx: Context) -> Result<String, HandlerError> {
    let question = conversation("What is the capital of France?", 100);
    let answer = cx.sample(question).key("capital_question").await?;
    Ok(text_of(&answer))
}

async fn count_roots(cx: Context) -> Result<String, HandlerError> {
    let roots = cx.roots().key("client_roots").await?;
    Ok(format!("Found {} root(s)", roots.len()))
}

async fn keep_state(cx: Context) -> Result<&'static str, HandlerError> {
    confirm(&cx).await?;
    Ok("state-ok")
}

async fn check_state(cx: Context) -> Result<&'static str, HandlerError> {
    confirm(&cx).await?;
    Ok("confirmed")
}

async fn ask_three(cx: Context) -> Result<String, HandlerError> {
    let greeting = conversation("Generate a greeting", 50);
    let (name, greeting, roots) = tokio::join!(
        ask_text(&cx, "user_name", "What is your name?", "name"),
        cx.sample(greeting).key("greeting"),
        cx.roots().key("client_roots"),
    );
    let (name, greeting, roots) = (name?, text_of(&greeting?), roots?.len());
    Ok(format!("{greeting} {name}, {roots} root(s)"))
}

async fn ask_in_rounds(cx: Context) -> Result<String, HandlerError> {
    let name = ask_text(&cx, "step1", "Step 1: What is your name?", "name").await?;
    let question = "Step 2: What is your favorite color?";
    let color = ask_text(&cx, "step2", question, "color").await?;
    Ok(format!("{name} likes {color}"))
}

async fn ask_what_is_declared(cx: Context) -> Result<&'static str, HandlerError> {
    if cx.peer().declares("elicitation") {
        confirm(&cx).await?;
    }
    if cx.peer().declares("sampling") {
        cx.sample(conversation("Generate a greeting", 50)).await?;
    }
    Ok("asked all that could be asked")
}

async fn prompt_with_context(cx: Context) -> Result<String, HandlerError> {
    let question = "What context should the prompt use?";
    let context = ask_text(&cx, "user_context", question, "context").await?;
    Ok(format!("Prompt with context: {context}"))
}

/// Returns a form with one field.
fn ask(message: &str, field: &str, schema: impl Into<Field>) -> Form {
    Form::new(message).required(field, schema)
}

async fn confirm(cx: &Context) -> Result<(), HandlerError> {
    let form = ask("Please confirm", "ok", BooleanSchema::new());
    cx.elicit(form).key("confirm").await?;
    Ok(())
}

/// Asks for a single text.
async fn ask_text(
    cx: &Context,
    key: &str,
    message: &str,
    field: &str,
) -> Result<String, HandlerError> {
    let form = ask(message, field, StringSchema::new());
    let answer = cx
        .elicit(form)
        .key(key)
        .await?
        .accepted()
        .unwrap_or_default();
    let text = answer.get(field).and_then(|text| text.as_str());
    Ok(text.unwrap_or("nobody").to_owned())
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

/// Returns the texts of an answer.
fn text_of(answer: &CreateMessageResult) -> String {
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
