//! `mcp shell`.

use std::os::unix::fs::PermissionsExt;

use super::run_with;
use super::terminal::User;
use crate::support::folder::Folder;

#[test]
fn piped_commands_run_on_one_connection() {
    let commands = "call add a=1 b=2\n\ncall echo 'text=two words'\ntools ad --limit 1\n";
    let printed = run_with(commands, &["shell"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert_eq!(
        printed.out,
        "3\ntwo words\nadd\n  Adds two numbers\n    a: number, required - The first\n    b: number, required - The second\n"
    );
}

#[test]
fn failures_do_not_end_the_shell_and_the_last_one_is_its_exit_code() {
    let commands = "dance\nread\ncall 'add\nservers\ncheck\nping --header a:b\ntools -- true\ncall add a=1 b=2\nread test://nowhere\n";
    let printed = run_with(commands, &["shell"]);
    assert_eq!(printed.code, Some(4), "{printed:?}");
    assert_eq!(printed.out, "3\n");
    for part in [
        "unrecognized subcommand 'dance'",
        "`read` expects one URI, found 0",
        "is not closed",
        "outside of the shell",
        "its own connection",
        "`--header` is an option of `mcp shell` itself",
        "has its server already",
        "the server refused `resources/read`",
    ] {
        assert_eq!(printed.err.matches(part).count(), 1, "{part} {printed:?}");
    }
    assert_eq!(
        run_with("call fail\nexit\nping\n", &["shell"]).code,
        Some(1)
    );
}

#[test]
fn names_are_completed_at_a_terminal() {
    let mut user = User::runs(&["shell", "--no-history"]);
    user.sees("connected to subject (The Subject) 1.2.3");
    user.sees("mcp> ");
    user.types("disc\t");
    user.sees("revision ");
    user.sees("mcp> ");
    user.types("call ad\ta\t1 b\t2");
    user.sees("3\r\n");
    user.sees("mcp> ");
    user.types("read test://t\t");
    user.sees("two");
    user.sees("mcp> ");
    user.types("exit");
    user.ends(0);
}

#[test]
fn history_is_private_and_has_no_secrets() {
    let folder = Folder::new("shell-history");
    let mut user = User::runs_in(&folder.0, &["shell"]);
    for line in [
        "call echo text=kept",
        "call echo text=a password=sesame",
        "call echo --args '{\"api_key\": \"sesame\"}'",
        "call echo 'text=Authorization: Bearer sesame-sesame'",
        "call echo text=ghp_sesame0123456789",
    ] {
        user.sees("mcp> ");
        user.types(line);
    }
    user.sees("mcp> ");
    user.types("exit");
    user.ends(0);
    let path = folder.0.join("history");
    let history = std::fs::read_to_string(&path).expect("a file");
    assert!(history.contains("text=kept"), "{history}");
    assert!(!history.contains("sesame"), "{history}");
    let mode = |path| {
        std::fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!((mode(&path), mode(&folder.0)), (0o600, 0o700));
}
