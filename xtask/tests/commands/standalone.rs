//! Generated modules in crates of their own.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::codegen::generate;
use super::{errors, folder, printed, revisions, root};

/// A crate that contains the output and code that uses it.
pub(super) fn check(name: &str, schema: &Path, test: &str) {
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
    let shown = || printed(&output) + &errors(&output);
    assert!(output.status.success(), "{name}: {}", shown());
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
        (r##""animals":[null,{"kind":"cat","lives":9}]"##, "", ""),
        (r##""names":null"##, "$.names", "expected array"),
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
    let (_, newest) = revisions().pop().unwrap();
    check("newest", &newest, "");
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

#[test]
fn schema_of_one_value_compiles() {
    for (name, schema, wrong) in [
        ("anything", "true", "{"),
        ("whole", r#"{"type": "integer"}"#, "1.5"),
        (
            "few",
            r#"{"type": "object", "properties": {"all": {"type": "array", "maxItems": 2.0}}}"#,
            r#"{"all": [1, 2, 3]}"#,
        ),
    ] {
        let file = folder(&format!("{name}-schema")).join(format!("{name}.json"));
        fs::write(&file, schema).unwrap();
        let ty = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
        let test = format!(
            "#[test]\nfn works() {{\n    use generated::{{{ty}, support::json}};\n    \
             assert!(json::from_str::<{ty}>({wrong:?}).is_err());\n}}\n"
        );
        check(name, &file, &test);
    }
}
