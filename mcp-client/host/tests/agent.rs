//! The example `agent`, with real servers.

use std::process::Stdio;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use self::example::example;
use crate::soon;

#[path = "../../tests/support/example.rs"]
mod example;

#[tokio::test]
async fn agent_uses_several_servers_over_questions_tasks_and_a_restart() {
    let server = example("agent-subject").display().to_string();
    let marker = std::env::temp_dir().join(format!("mcp-agent-{}", std::process::id()));
    let _ = std::fs::remove_file(&marker);
    let mut agent = Command::new(example("agent"))
        .arg(format!("travel={server}"))
        .arg(format!("weather={server} {}", marker.display()))
        .arg("nowhere=/nowhere/server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("started");
    let mut user = agent.stdin.take().expect("a pipe");
    user.write_all(b"economy\n").await.expect("written");
    let output = soon(agent.wait_with_output()).await.expect("it ends");
    let _ = std::fs::remove_file(&marker);
    let (said, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{said}\n{errors}");
    for line in [
        "travel asks: Which class?",
        "travel__itinerary: 2.0 of 2.0",
        r#""booked economy class to Oslo; sun in Oslo; two days in Oslo""#,
    ] {
        assert!(
            said.lines().any(|said| said == line),
            "{line}:\n{said}\n{errors}"
        );
    }
    assert!(errors.contains("nowhere: cannot start"), "{errors}");
}
