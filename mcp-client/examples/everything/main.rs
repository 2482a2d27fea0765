//! The client that the official conformance suite tests: `cargo xtask conformance client`. The
//! suite passes the URL of a server as argument, the scenario in `MCP_CONFORMANCE_SCENARIO`, and
//! its data in `MCP_CONFORMANCE_CONTEXT`. The client uses everything that the server offers.

mod authorization;

use std::env;
use std::error::Error;

use mcp_client::types::json::{self, Map, Object, Value};
use mcp_client::types::{
    CallToolRequest, CreateMessageResult, ElicitAction, ElicitResult, Role, Root,
    SamplingMessageContentBlock, TextContent, Tool,
};
use mcp_client::{Call, Client, ClientBuilder, Http};
use mcp_host::skills::SkillsHost;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let url = env::args().next_back().ok_or("which URL?")?;
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let mut builder = builder();
    // The other scenarios use one revision only, and check whether the client detects it.
    if let Ok(revision) = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION")
        && env::var_os("MCP_CONFORMANCE_PIN").is_some()
    {
        builder = builder.revision(revision.parse()?);
    }
    let server = authorization::authorize(Http::new(url), &scenario)?;
    let client = builder.connect(server).await?;
    if scenario.starts_with("sep-2640-client-") {
        return use_skills(&client, &scenario).await;
    }
    let listed = client.tools().all().await?;
    for fault in &listed.faults {
        eprintln!("a tool that cannot be read: {fault}");
    }
    let tools = listed.items;
    match scenario.as_str() {
        "initialize" | "request-metadata" | "json-schema-ref-no-deref" => {}
        "json-schema-2020-12-preservation" => echo_schema(&client, &tools).await?,
        "http-custom-headers" => call_with_context(&client).await?,
        _ => use_everything(&client, &tools).await?,
    }
    Ok(())
}

/// Returns a client with handlers for all requests of a server.
fn builder() -> ClientBuilder {
    Client::builder("conformance", "1.0.0")
        // Fields that the user does not fill in get their defaults.
        .on_elicit_form(|form| async move {
            let asked = form.requested_schema.properties;
            let confirmed = asked
                .contains_key("confirmed")
                .then_some(("confirmed", true));
            Ok(ElicitResult::new(ElicitAction::Accept).content(Map::from_iter(confirmed)))
        })
        .on_elicit_url(|_| async { Ok(ElicitResult::new(ElicitAction::Accept)) })
        .on_sample(|_| async {
            let said = SamplingMessageContentBlock::from(TextContent::new("Hello."));
            Ok(CreateMessageResult::new("none", Role::Assistant, said))
        })
        .on_roots(|| async { Ok(vec![Root::new("file:///")]) })
}

/// Lists the skills, and uses all files of each.
async fn use_skills(client: &Client, scenario: &str) -> Result<()> {
    let host = SkillsHost::new(client, "conformance");
    for skill in host.list()?.all().await?.items {
        println!("{}: {}", host.id(&skill), skill.description());
        if scenario == "sep-2640-client-no-prefetch" {
            continue;
        }
        let loaded = host.load(&skill).await?;
        for file in skill.files() {
            loaded.read(&file.uri).await?;
        }
    }
    Ok(())
}

/// Makes the calls with the arguments of the suite.
async fn call_with_context(client: &Client) -> Result<()> {
    let context: Value = json::from_str(&env::var("MCP_CONFORMANCE_CONTEXT")?)?;
    for call in context
        .get("toolCalls")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let name = call
            .get("name")
            .and_then(Value::as_str)
            .ok_or("a call without a name")?;
        let arguments = call.get("arguments").and_then(Value::as_object);
        let arguments = arguments.cloned().unwrap_or_default();
        report(client.call_tool(name).arguments(arguments)).await;
    }
    Ok(())
}

/// Sends a schema back unchanged.
async fn echo_schema(client: &Client, tools: &[Tool]) -> Result<()> {
    let tool = tools
        .iter()
        .find(|tool| tool.name == "json_schema_2020_12_tool");
    let tool = tool.ok_or("the tool with the schema is not listed")?;
    let schema = json::to_value(&tool.input_schema)?;
    let arguments = Object::from([("schema", schema)]);
    client
        .call_tool("json_schema_echo")
        .arguments(arguments)
        .await?;
    Ok(())
}

async fn use_everything(client: &Client, tools: &[Tool]) -> Result<()> {
    for tool in tools {
        let numbers = Object::from([("a", 5), ("b", 3)]);
        report(client.call_tool(&tool.name).arguments(numbers)).await;
    }
    let offered = client.server_capabilities();
    if offered.resources.is_some() {
        for resource in client.resources().all().await?.items {
            client.read_resource(resource.uri).await?;
        }
    }
    if offered.prompts.is_some() {
        for prompt in client.prompts().all().await?.items {
            client.get_prompt(prompt.name).await?;
        }
    }
    Ok(())
}

/// Some calls are expected to fail.
async fn report(call: Call<CallToolRequest>) {
    match call.await {
        Ok(result) => println!("{:?}", serde_json::to_string(&result)),
        Err(error) => eprintln!("{error}"),
    }
}
