//! What the compiler says of functions that are not handlers.
//!
//! Each program is checked by `rustc` with the library that this test is linked to.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;
use std::{env, fs};

/// Types that all programs use. `Query` and `More` are arguments, as types are that implement
/// `serde::Deserialize`; `Database` is neither arguments nor an extractor.
const TYPES: &str = "
    #![allow(dead_code, unused_imports)]
    use mcp_server::{Context, Input, State, check_handler};
    struct Query;
    impl Input for Query {}
    struct More;
    impl Input for More {}
    #[derive(Clone)]
    struct Database;
";

/// Returns the folder of the libraries that the tests are linked to.
fn libraries() -> PathBuf {
    let test = env::current_exe().expect("the path of this test");
    test.parent().expect("a folder").to_owned()
}

/// Checks a program. Returns whether it compiles, and what the compiler says.
fn check(library: &Path, program: &str) -> (bool, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc
        .args([
            "--crate-type=lib",
            "--edition=2024",
            "--emit=metadata",
            "-o",
        ])
        .arg(folder.path().join("checked.rmeta"))
        .arg("-L")
        .arg(format!("dependency={}", libraries().display()))
        .arg("--extern")
        .arg(format!("mcp_server={}", library.display()))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = rustc.spawn().expect("the compiler");
    let mut input = running.stdin.take().expect("an input");
    std::io::Write::write_all(&mut input, format!("{TYPES}{program}").as_bytes()).expect("written");
    drop(input);
    let output = running.wait_with_output().expect("an output");
    let text = String::from_utf8_lossy(&output.stderr);
    // The compiler may write where a type is from.
    (
        output.status.success(),
        text.replace("mcp_server::Context", "Context"),
    )
}

/// Returns the library with which a program of sound handlers compiles. Others may be left from
/// earlier builds.
fn library() -> PathBuf {
    let sound = "
        async fn none() {}
        async fn arguments(_: Query) -> u8 { 1 }
        async fn extractors(_: Context, _: State<Database>) {}
        async fn both(_: Query, _: State<Database>, _: Context) {}
        const _: () = check_handler(&none);
        const _: () = check_handler(&arguments);
        const _: () = check_handler(&extractors);
        const _: () = check_handler(&both);
    ";
    let files = fs::read_dir(libraries()).expect("the folder of libraries");
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let mut files: Vec<_> = files
        .filter(|file| {
            let name = file.file_stem().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("libmcp_server-"))
                && file.extension().is_some_and(|kind| kind == "rlib")
        })
        .collect();
    let modified = |file: &PathBuf| {
        let file = fs::metadata(file).and_then(|file| file.modified());
        file.unwrap_or(SystemTime::UNIX_EPOCH)
    };
    files.sort_by_key(|file| std::cmp::Reverse(modified(file)));
    let mut errors = String::new();
    for file in files {
        let (compiles, text) = check(&file, sound);
        if compiles {
            return file;
        }
        errors += &text;
    }
    panic!(
        "no library in {} compiles sound handlers:\n{errors}",
        libraries().display()
    );
}

#[test]
fn each_fault_of_a_handler_has_a_text_of_its_own() {
    let library = library();
    for (handler, expected) in [
        (
            "fn h(_: Query) -> u8 { 1 }",
            "the handler is not async: it returns `u8`, which is not a future",
        ),
        (
            "async fn h(_: Query) {
                let shared = std::rc::Rc::new(1);
                std::future::ready(()).await;
                drop(shared);
            }",
            "future cannot be sent between threads safely",
        ),
        (
            "async fn h(_: Context, _: Query) {}",
            "the arguments `Query` come after the extractor `Context`: they are the first parameter of \
             a handler",
        ),
        (
            "async fn h(_: Query, _: Database) {}",
            "`Database` is neither the arguments of a handler nor an extractor",
        ),
        (
            "async fn h(_: Query, _: More) {}",
            "`Query` and `More` are both arguments: a handler has one parameter for all of them",
        ),
        (
            "async fn h(_: Query, _: Context, _: Database) {}",
            "a value that the program shares is taken as `State<Database>`",
        ),
        (
            "const h: u8 = 1;",
            "`u8` is not a function of at most nine parameters",
        ),
    ] {
        let program = format!("{handler} const _: () = check_handler(&h);");
        let (compiles, text) = check(&library, &program);
        assert!(!compiles, "{handler} compiles");
        assert!(
            text.contains(expected),
            "{handler}: expected {expected:?}, found:\n{text}"
        );
    }
}

#[test]
fn compiler_names_the_function_that_says_more() {
    let program = "
        fn h(_: Query) -> u8 { 1 }
        fn server() {
            let _ = mcp_server::Server::builder(\"test\", \"1\").tool(\"h\", \"\", h);
        }
    ";
    let (_, text) = check(&library(), program);
    assert!(
        text.contains("is not a handler that can be used here"),
        "{text}"
    );
    assert!(
        text.contains("const _: () = mcp_server::check_handler(&name);"),
        "{text}"
    );
}
