//! Invalid definitions.

use mcp_server::types::json::{Object, Value as Json5};
use mcp_server::types::{
    CallToolOutcome, CallToolRequest, CallToolResult, GetPromptRequest, GetPromptResult, Icon,
    PromptArgument,
};
use mcp_server::{
    BuildError, Completing, Params, PromptDef, ResourceDef, Server, ServerBuilder, TemplateDef,
    ToolDef,
};
use serde_json::{Value, json};

fn builder() -> ServerBuilder {
    Server::builder("test", "1")
}

fn fault(builder: ServerBuilder) -> BuildError {
    let errors = builder.build().expect_err("a fault passed");
    let mut errors = errors.into_iter();
    let first = errors.next().expect("an error");
    assert!(errors.next().is_none(), "one fault, several errors");
    first
}

fn raw(schema: Value) -> String {
    let schema = Json5::from(schema);
    let tool = ToolDef::new("t")
        .input_schema(schema)
        .object_handler(|_: Object| async {});
    fault(builder().add_tool(tool)).to_string()
}

#[test]
fn invalid_schemas_are_rejected() {
    let mut deep = json!({});
    for _ in 0..70 {
        deep = json!({ "not": deep });
    }
    let object = |name: &str, value: Value| {
        let mut schema = json!({ "type": "object" });
        schema[name] = value;
        schema
    };
    let property = |property: Value| object("properties", json!({ "p": property }));
    for (schema, part) in [
        (json!(true), "must be an object"),
        (json!({ "type": "array" }), "type `object`"),
        (object("required", json!("p")), "required"),
        (
            object("$schema", json!("https://example.com/mine")),
            "https://example.com/mine",
        ),
        (
            property(json!({ "$ref": "https://example.com/p.json" })),
            "example.com",
        ),
        (
            property(json!({ "$ref": "file:///etc/passwd" })),
            "file:///etc/passwd",
        ),
        (property(json!({ "$ref": "#/$defs/none" })), "none"),
        (property(json!({ "pattern": "(" })), "pattern"),
        (
            property(json!({ "type": "array", "x-mcp-header": "P" })),
            "header",
        ),
        (property(deep), "deeper"),
        (property(json!({ "const": "x".repeat(300_000) })), "bytes"),
    ] {
        let message = raw(schema);
        assert!(
            message.contains("tool `t`") && message.contains(part),
            "{part}: {message}"
        );
    }
}

#[test]
fn incomplete_definitions_are_rejected() {
    let say = |builder| fault(builder).to_string();
    assert!(say(builder().add_tool(ToolDef::new("t"))).contains("no handler"));
    let no_schema = ToolDef::new("t").object_handler(|_: Object| async {});
    assert!(say(builder().add_tool(no_schema)).contains("input schema"));
    let text = |_: String| async { "x" };
    assert!(say(builder().tool("t", "", text)).contains("expected a struct"));
    assert!(say(builder().add_prompt(PromptDef::new("p"))).contains("no handler"));
    assert!(say(builder().add_resource(ResourceDef::new("x:1", "r"))).contains("no handler"));
    assert!(say(builder().add_resource(ResourceDef::text("x", "r", ""))).contains("scheme"));
    let none = TemplateDef::new("x:{a}", "r");
    assert!(say(builder().add_resource_template(none)).contains("no handler"));
    let cut = TemplateDef::new("x:{a:3}", "r").handler(async || "");
    assert!(say(builder().add_resource_template(cut)).contains("{a:3}"));
}

#[test]
fn duplicate_names_and_methods_are_rejected() {
    let tool = || ToolDef::new("t").handler(async || {});
    let twice = fault(builder().add_tool(tool()).add_tool(tool()));
    assert!(
        matches!(twice, BuildError::DuplicateName { kind: "tool", .. }),
        "{twice}"
    );
    let resource = || ResourceDef::text("x:1", "r", "");
    let twice = fault(builder().add_resource(resource()).add_resource(resource()));
    assert!(
        matches!(
            twice,
            BuildError::DuplicateName {
                kind: "resource",
                ..
            }
        ),
        "{twice}"
    );
    let empty = |_: Completing| async { Vec::<String>::new() };
    let prompt = PromptDef::new("p")
        .argument(PromptArgument::new("a"))
        .map_handler(async |_| "");
    let twice = fault(
        builder()
            .add_prompt(prompt)
            .complete_prompt("p", "a", empty)
            .complete_prompt("p", "a", empty),
    );
    assert!(matches!(twice, BuildError::DuplicateName { .. }), "{twice}");
    let handler =
        |_: Params<CallToolRequest>| async { CallToolOutcome::from(CallToolResult::new([])) };
    let twice = fault(builder().on(handler).on(handler));
    assert!(
        matches!(&twice, BuildError::DuplicateMethod(m) if m == "tools/call"),
        "{twice}"
    );
}

#[test]
fn invalid_icons_are_rejected() {
    let icon = || Icon::new("https://example.com/i.png").sizes(["48".to_owned()]);
    let tool = ToolDef::new("t").handler(async || "text").icon(icon());
    let prompt = PromptDef::new("p").handler(async || "text").icon(icon());
    let resource = ResourceDef::text("d:a", "a", "text").icon(icon());
    let template = TemplateDef::new("d:{a}", "a").handler(async || "text");
    for builder in [
        builder().add_tool(tool),
        builder().add_prompt(prompt),
        builder().add_resource(resource),
        builder().add_resource_template(template.icon(icon())),
        builder().icon(icon()),
    ] {
        let text = fault(builder).to_string();
        let expected = "icon `https://example.com/i.png`: invalid `sizes` \"48\", \
                        expected `any` or a size such as `48x48`";
        assert!(text.ends_with(expected), "{text}");
    }
    let server = builder().icon(icon().sizes(["48x48".to_owned()])).build();
    assert!(server.is_ok());
    let text = ResourceDef::text("d:a", "a", "text");
    let error = server
        .unwrap()
        .resources()
        .add(text.icon(icon()))
        .unwrap_err();
    assert!(error.to_string().contains("\"48\""), "{error}");
}

#[test]
fn names_that_cannot_be_shown_are_rejected() {
    for (name, part) in [
        ("", "empty"),
        ("a\nb", "control"),
        ("a\u{1b}[2J", "control"),
    ] {
        let tool = ToolDef::new(name).handler(async || "");
        assert!(fault(builder().add_tool(tool)).to_string().contains(part));
        let prompt = PromptDef::new(name).handler(async || "");
        assert!(
            fault(builder().add_prompt(prompt))
                .to_string()
                .contains(part)
        );
    }
    let group = mcp_server::Group::new()
        .prefix("a\tb")
        .tool("t", "", async || "");
    assert!(
        fault(builder().merge(group))
            .to_string()
            .contains("control")
    );
}

#[test]
fn completions_of_what_does_not_exist_are_rejected() {
    let nothing = |_: &str| Vec::<String>::new();
    let greet = || {
        PromptDef::new("greet")
            .argument(PromptArgument::new("tone"))
            .map_handler(async |_| "")
    };
    let note = || TemplateDef::new("notes:{id}", "note").handler(async || "");
    let own = || builder().add_prompt(greet()).add_resource_template(note());
    let wrong = vec![
        (
            own().complete_prompt("great", "tone", nothing),
            "completion `tone`: there is no prompt `great`",
        ),
        (
            own().complete_prompt("greet", "tune", nothing),
            "completion `tune`: the prompt `greet` has no such argument",
        ),
        (
            own().complete_resource("note:{id}", "id", nothing),
            "completion `id`: there is no resource template `note:{id}`",
        ),
        (
            own().complete_resource("notes:{id}", "name", nothing),
            "completion `name`: the resource template `notes:{id}` has no such argument",
        ),
        // The prompt of the group has another name in the server.
        (
            own().merge(
                mcp_server::Group::new()
                    .prefix("n_")
                    .complete_prompt("greet", "tone", nothing),
            ),
            "completion `tone`: there is no prompt `n_greet`",
        ),
        (
            builder().add_prompt(greet().complete("tune", nothing)),
            "prompt `greet`: completes `tune`, which is not one of its arguments",
        ),
        (
            builder().add_resource_template(note().complete("name", nothing)),
            "resource template `notes:{id}`: completes `name`, which is not one of its arguments",
        ),
        (
            builder().add_prompt(greet().complete("tone", nothing).complete("tone", nothing)),
            "prompt `greet`: completes the argument `tone` twice",
        ),
    ];
    for (builder, expected) in wrong {
        assert_eq!(fault(builder).to_string(), expected);
    }
    let group = mcp_server::Group::new()
        .prefix("n_")
        .complete_prompt("greet", "tone", nothing)
        .add_prompt(greet());
    assert!(builder().merge(group).build().is_ok());
    // The application knows its prompts itself.
    let handler = |_: Params<GetPromptRequest>| async {
        mcp_server::types::GetPromptOutcome::from(GetPromptResult::new([]))
    };
    let server = builder().on(handler).complete_prompt("any", "a", nothing);
    assert!(server.build().is_ok());
    // Added while the server runs.
    let server = builder().build().unwrap();
    let error = server.prompts().add(greet().complete("tune", nothing));
    assert!(
        matches!(error, Err(BuildError::Invalid { .. })),
        "{error:?}"
    );
}

#[test]
fn arguments_that_are_no_struct_are_rejected_with_their_type() {
    let tool = fault(builder().tool("t", "", async |_: u32| ""));
    let prompt = fault(builder().prompt("p", "", async |_: Vec<String>| ""));
    let expected = "tool `t`: the handler takes `u32` as its arguments, whose JSON type is \
                    \"integer\": expected a struct, whose fields are the arguments";
    assert_eq!(tool.to_string(), expected);
    let expected = "the handler takes `alloc::vec::Vec<alloc::string::String>` as its arguments";
    assert!(prompt.to_string().contains(expected), "{prompt}");
}
