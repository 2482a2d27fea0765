//! Examples, which are built together with the tests.

use std::path::PathBuf;

/// Returns the path of the program.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test has a path");
    let folder = test
        .ancestors()
        .nth(2)
        .expect("the test runs in target/*/deps");
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = folder.join("examples").join(name);
    assert!(
        path.exists(),
        "build the examples of this package first: `cargo build --all-features --examples`"
    );
    path
}
