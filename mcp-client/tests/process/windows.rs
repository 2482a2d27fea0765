//! Batch files.

use std::fs;

use super::*;

/// Arguments that the command processor interprets if they are not quoted for it, such as those of
/// CVE-2024-24576.
const HOSTILE: [&str; 13] = [
    "a&b",
    "a|b",
    "<a>b",
    "a^b",
    "^&x",
    "!a!",
    "a \"b\" c",
    "\"&echo x&\"",
    "\\\"&echo x",
    "\"^&x",
    "",
    "\\",
    "a b\\",
];

#[tokio::test]
async fn arguments_of_batch_files_are_not_interpreted() {
    let folder = std::env::temp_dir().join(format!("mcp a&b {}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let script = format!("@\"{}\" %*\r\n", program().display());
    fs::write(folder.join("subject.cmd"), script).expect("written");
    let mut hostile = HOSTILE.to_vec();
    // Wine replaces variables in spite of what the standard library does.
    if std::env::var_os("WINEPREFIX").is_none() {
        hostile.extend(["%PATH%", "%CMDCMDLINE:~-1%&echo x"]);
    }
    let process = ChildProcess::new(folder.join("subject")).args(&hostile);
    let client = connect(process).await;
    let result = client.call_tool("arguments").await.expect("a result");
    let seen: Vec<String> = serde_json::from_str(text(&result)).expect("a list");
    assert_eq!(seen, hostile);
    client.close().await;
    let refused = ChildProcess::new(folder.join("subject")).arg("a\nb");
    let error = builder().connect(refused).await.expect_err("refused");
    assert!(
        error.to_string().contains("arguments are invalid"),
        "{error}"
    );
    fs::remove_dir_all(&folder).expect("removed");
}
