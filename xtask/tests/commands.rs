//! Runs the commands like a user.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Creates an empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns the names of the revisions, oldest first.
fn revisions() -> Vec<String> {
    let entries = fs::read_dir(root().join("schema")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.retain(|name| {
        root()
            .join("schema")
            .join(name)
            .join("schema.json")
            .is_file()
    });
    names.sort();
    names
}

fn xtask(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(arguments)
        .output()
        .unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn closed_pipe_ends_a_command_quietly() {
    let all = revisions();
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        panic!("no revisions")
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["schema", "diff", first, last]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*errors(&output)), (Some(0), ""));
}

#[test]
fn steps_of_ci_are_listed_and_several_can_be_named() {
    let help = xtask(&["ci", "--help"]);
    assert_eq!(help.status.code(), Some(0), "{}", errors(&help));
    for (options, has_attack) in [(&["--list"][..], false), (&["--nightly", "--list"], true)] {
        let list = xtask(&[&["ci"], options].concat());
        let text = String::from_utf8_lossy(&list.stdout).into_owned();
        let has = |step| text.lines().any(|line| line.starts_with(step));
        assert!(has("format") && has("clippy") && has("tests"), "{text}");
        assert_eq!(has("attack "), has_attack, "{text}");
    }
    let two = xtask(&["ci", "--only", "links", "--only", "layers"]);
    let text = String::from_utf8_lossy(&two.stdout).into_owned();
    assert!(
        text.contains("links ok") && text.contains("layers ok"),
        "{text}"
    );
    let wrong = xtask(&["ci", "--only", "links", "--only", "nothing"]);
    assert!(errors(&wrong).contains("unknown step `nothing`"));
    let wrong = xtask(&["ci", "--only"]);
    assert!(errors(&wrong).contains("usage"), "{}", errors(&wrong));
}

fn generate(schema: &Path, out: &Path) -> Output {
    xtask(&[
        "codegen",
        "--schema",
        schema.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ])
}

/// Runs the generator with an invalid text, and returns its message. Nothing must have been
/// written.
fn rejected(name: &str, text: &str) -> String {
    let folder = folder(name);
    let schema = folder.join("schema.json");
    fs::write(&schema, text).unwrap();
    let out = folder.join("out");
    let output = generate(&schema, &out);
    assert!(!output.status.success(), "{name} was accepted");
    assert!(!out.exists(), "{name}: something was written");
    errors(&output)
}

#[test]
fn invalid_schema_is_rejected_with_file_and_pointer() {
    let no_json = rejected("no-json", "{");
    assert!(
        no_json.contains("schema.json") && no_json.contains("line"),
        "{no_json}"
    );
    let no_schema = rejected("no-schema", "[1]");
    assert!(no_schema.contains("schema.json"), "{no_schema}");
    let dangling = rejected("dangling", r##"{"$defs":{"A":{"$ref":"#/$defs/B"}}}"##);
    assert!(dangling.contains("/$defs/A"), "{dangling}");
}

#[test]
fn keywords_that_no_type_expresses_are_warnings() {
    let text = r#"{"$defs":{"A":{"type":"object","properties":{
        "x":{"type":"string","pattern":"^a"},
        "y":{"type":"object","additionalProperties":{"type":"number","minimum":1}},
        "z":{"$ref":"other.json"}},
        "minProperties":1,"novel":true}}}"#;
    let folder = folder("unchecked");
    let (schema, out) = (folder.join("schema.json"), folder.join("out"));
    fs::write(&schema, text).unwrap();
    let output = xtask(&[
        "codegen",
        "--deny-warnings",
        "--schema",
        schema.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ]);
    assert!(!output.status.success() && !out.exists(), "it was accepted");
    let output = generate(&schema, &out);
    assert!(
        output.status.success() && out.exists(),
        "{}",
        errors(&output)
    );
    let warnings = errors(&output);
    for warning in [
        "warning: `pattern` at `/A/properties/x` is not checked",
        "warning: `minimum` at `/A/properties/y/additionalProperties` is not checked",
        "warning: `other.json` at `/A/properties/z` is in another document",
        "warning: `minProperties` at `/A` is not checked",
        "warning: the unknown keyword `novel` at `/A` is ignored",
    ] {
        assert!(warnings.contains(warning), "{warning}: {warnings}");
    }
    assert_eq!(warnings.lines().count(), 5, "{warnings}");
}

#[test]
fn missing_schema_file_is_named_in_the_error() {
    let output = xtask(&[
        "codegen",
        "--schema",
        "does-not-exist.json",
        "--out",
        "nowhere",
    ]);
    assert!(!output.status.success());
    assert!(
        errors(&output).contains("does-not-exist.json"),
        "{}",
        errors(&output)
    );
}

#[test]
fn unknown_arguments_exit_with_2() {
    assert_eq!(xtask(&["codegen", "--chekc"]).status.code(), Some(2));
    assert_eq!(xtask(&["no-such-command"]).status.code(), Some(2));
}

#[test]
fn checked_in_files_match_the_generator() {
    let output = xtask(&["codegen", "--check"]);
    assert!(output.status.success(), "{}", errors(&output));
}

#[test]
fn ambiguous_union_members_are_reported() {
    let out = folder("alike").join("out");
    let output = generate(&root().join("codegen/tests/fixtures/foreign.json"), &out);
    assert!(output.status.success(), "{}", errors(&output));
    let warning = errors(&output);
    assert!(
        warning.contains("Left and Right cannot be distinguished"),
        "{warning}"
    );
}

/// Returns code without its documentation.
fn code(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//") && !line.is_empty());
    lines.map(str::to_owned).collect()
}

#[test]
fn published_schema_gives_the_same_api_as_ours() {
    for revision in &revisions() {
        let Some(specification) = std::env::var_os("MCP_SPEC_DIR") else {
            println!("skipped: MCP_SPEC_DIR names no folder with published files");
            return;
        };
        let published = PathBuf::from(specification)
            .join(revision)
            .join("schema.json");
        if !published.is_file() {
            println!("skipped: {} is not there", published.display());
            continue;
        }
        let folder = folder(&format!("same-{revision}"));
        let ours = root().join("schema").join(revision).join("schema.json");
        for (schema, name) in [(&published, "published"), (&ours, "ours")] {
            let output = generate(schema, &folder.join(name));
            assert!(output.status.success(), "{}", errors(&output));
        }
        for file in ["mod.rs", "types.rs", "messages.rs"] {
            let (published, ours) = (
                folder.join("published").join(file),
                folder.join("ours").join(file),
            );
            assert_eq!(code(&published), code(&ours), "{revision} {file}");
        }
    }
}

/// A crate that contains the output and code that uses it.
fn check(name: &str, schema: &Path, test: &str) {
    let folder = folder(name);
    let output = generate(schema, &folder.join("src/generated"));
    assert!(output.status.success(), "{}", errors(&output));
    let manifest = format!(
        "[workspace]\n[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         [dependencies]\nbase64 = {{ version = \"0.22\", default-features = false, features = [\"alloc\"] }}\n\
         serde = {{ version = \"1\", default-features = false, features = [\"std\"] }}\n\
         serde_json = {{ version = \"1\", features = [\"raw_value\", \"float_roundtrip\"] }}\n\
         lean_string = {{ version = \"0.8\", default-features = false }}\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    fs::write(
        folder.join("src/lib.rs"),
        format!("pub mod generated;\n\n{test}"),
    )
    .unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--offline", "--lib"])
        .current_dir(&folder)
        .env(
            "CARGO_TARGET_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("standalone"),
        )
        .env("RUSTFLAGS", "-D warnings")
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {}", errors(&output));
}

#[test]
fn standalone_output_compiles_without_warnings_and_decodes() {
    check(
        "foreign",
        &root().join("codegen/tests/fixtures/foreign.json"),
        r###"
#[test]
fn works() {
    use generated::{Animal, Blank, Either, FeedRequest, Flock, support::{json, message::Request}};
    let text = r##"{"kind":"cat","lives":9,"friends":[{"name":"Rex","kind":"dog"},[null]],"extra":null}"##;
    let animal: Animal = json::from_str(text).unwrap();
    assert!(matches!(animal, Animal::Cat(_)));
    assert_eq!(json::to_value(&animal).unwrap(), json::from_str::<json::Value>(text).unwrap());
    let fault = json::from_str::<Animal>(r##"{"kind":"cat","lives":10}"##).unwrap_err();
    assert_eq!(fault.path().to_string(), "$.lives");
    let closed = json::from_str::<Animal>(r##"{"kind":"dog","name":"Rex","age":3}"##);
    assert!(closed.unwrap_err().to_string().contains("age"));
    assert!(matches!(json::from_str(r##"{"a":"x"}"##).unwrap(), Either::Left(_) | Either::Right(_)));
    assert_eq!(FeedRequest::METHOD, "feed");
    for (members, path, message) in [
        (r##""names":["a","b"],"marks":[1,"1",[1]],"sizes":[1,"a",2.5],"calls":[0,"woof"]"##, "", ""),
        (r##""names":null,"sizes":null,"animals":[null,{"kind":"cat","lives":9}]"##, "", ""),
        (r##""names":["a","b","a"]"##, "$.names[2]", "equal to element 0"),
        (r##""marks":[{"a":1,"b":[]},{"b":[],"a":1.0}]"##, "$.marks[1]", "equal to element 0"),
        (r##""animals":[{"name":"Rex","kind":"dog"},null]"##, "$.animals", "0 elements are of the kind"),
        (r##""animals":[{"kind":"cat","lives":9},{"lives":9.0,"kind":"cat"}]"##, "$.animals[1]", "equal to element 0"),
        (r##""sizes":[1,"a"]"##, "$.sizes", "expected at least 2"),
        (r##""calls":["miaow"]"##, "$.calls", "expected at least 1"),
    ] {
        let text = format!("{{{members},\"weights\":[1,2]}}");
        match json::from_str::<Flock>(&text) {
            Ok(_) => assert_eq!(path, "", "{text}"),
            Err(fault) => {
                assert_eq!(fault.path().to_string(), path, "{text}: {fault}");
                assert!(fault.to_string().contains(message), "{text}: {fault}");
            }
        }
    }
    for (weights, path) in [("[]", "$.weights"), ("[1,2,1.0]", "$.weights[2]"), ("[0.5]", "$.weights")] {
        let fault = json::from_str::<Flock>(&format!("{{\"weights\":{weights}}}")).unwrap_err();
        assert_eq!(fault.path().to_string(), path, "{fault}");
    }
    for text in [r##"{}"##, r##"{"":"x"}"##, r##"{"":"x","b":1}"##, r##"{"b":1}"##] {
        let blank: Blank = json::from_str(text).unwrap();
        assert_eq!(json::to_string(&blank).unwrap(), text);
    }
    for text in [r##"{"":"x","":"y"}"##, r##"{"":"x","b":1,"b":2}"##] {
        let twice = json::from_str::<Blank>(text).unwrap_err().to_string();
        assert!(twice.contains("duplicate"), "{twice}");
    }
}
"###,
    );
    let newest = revisions().pop().unwrap();
    let schema = root().join("schema").join(newest).join("schema.json");
    check("newest", &schema, "");
    check(
        "recursive",
        &root().join("codegen/tests/fixtures/recursive.json"),
        r###"
#[test]
fn works() {
    use generated::{Chain, Expression, Husband, Literal, Node, Not, Wife, support::json};
    let text = r##"{"left":{"next":null},"next":{"next":null,"perhaps":{"next":null}},"later":null,"children":[{"next":null}],"named":{"a":{"next":null}}}"##;
    let node: Node = json::from_str(text).unwrap();
    assert_eq!(json::to_string(&node).unwrap(), text);
    let built = Node::new(Some(Node::new(None))).left(Node::new(None)).later(None);
    let text = r##"{"left":{"next":null},"next":{"next":null},"later":null}"##;
    assert_eq!(json::to_string(&built).unwrap(), text);
    assert_eq!(json::from_str::<Node>(text).unwrap(), built);
    let fault = json::from_str::<Node>(r##"{"next":{"left":{}}}"##).unwrap_err();
    assert_eq!(fault.path().to_string(), "$.next.left");

    let text = r##"{"rest":{"rest":null}}"##;
    let chain: Chain = json::from_str(text).unwrap();
    assert!(chain.rest.is_some());
    assert_eq!(json::to_string(&chain).unwrap(), text);

    let text = r##"{"kind":"not","operand":{"kind":"and","all":[{"kind":"not","operand":{"value":true,"kind":"literal"}}]}}"##;
    let expression: Expression = json::from_str(text).unwrap();
    let Expression::Not(not) = &expression else { panic!("{expression:?}") };
    assert!(matches!(not.operand, Expression::And(_)));
    assert_eq!(
        json::from_str::<Expression>(&json::to_string(&expression).unwrap()).unwrap(),
        expression
    );
    let built = Expression::from(Not::new(Literal::new(true)));
    assert_eq!(
        json::to_string(&built).unwrap(),
        r##"{"kind":"not","operand":{"kind":"literal","value":true}}"##
    );

    let couple = Husband::new().wife(Wife::new().husband(Husband::new()).either("alone".to_owned()));
    assert_eq!(
        json::to_string(&couple).unwrap(),
        r##"{"wife":{"husband":{},"either":"alone"}}"##
    );
}
"###,
    );
}

/// Writes a workspace of two packages that cannot be published as they are.
fn write_unpublishable_workspace(folder: &Path) {
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n");
    write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n");
    write("a/src/lib.rs", "");
    write("b/src/lib.rs", "");
    let metadata = "license = \"MIT\"\nreadme = false\nrust-version = \"1.88\"\n\
        keywords = [\"model-context-protocol\"]\ncategories = [\"encoding\"]\n";
    write(
        "a/Cargo.toml",
        &format!("[package]\nname = \"a\"\nversion = \"0.2.0\"\ndescription = \"A\"\n{metadata}"),
    );
    write(
        "b/Cargo.toml",
        &format!(
            "[package]\nname = \"b\"\nversion = \"0.1.0\"\n{metadata}\
            [dependencies]\na = {{ path = \"../a\", version = \"0.2\" }}\n"
        ),
    );
}

#[test]
fn release_names_what_prevents_it() {
    let folder = folder("unpublishable");
    write_unpublishable_workspace(&folder);
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["release", "--dry-run", "--quick"])
        .env("XTASK_WORKSPACE", &folder)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let faults: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.strip_prefix("error: "))
        .collect();
    let keyword = "keyword `model-context-protocol` has 22 characters; expected at most 20";
    assert_eq!(
        faults,
        [
            "a/Cargo.toml: no `readme`",
            &format!("a/Cargo.toml: {keyword}"),
            "b/Cargo.toml: no `description`",
            "b/Cargo.toml: no `readme`",
            &format!("b/Cargo.toml: {keyword}"),
            "b/Cargo.toml: version 0.1.0, but a has 0.2.0",
            "b/Cargo.toml: requires a ^0.2; expected ^0.2.0",
            "CHANGELOG.md: no entry below `## [0.2.0]`, the version in Cargo.toml, \
            or below `## [Unreleased]`",
        ]
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn this_workspace_can_be_released() {
    let output = xtask(&["release", "--dry-run", "--quick"]);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    for name in [
        "mcp-types",
        "mcp-server",
        "mcp-client",
        "mcp-cli",
        "mcp-gateway",
    ] {
        let warning = format!("the name `{name}` belongs to others on crates.io");
        assert!(printed.contains(&warning), "{printed}");
    }
}
