//! The folders of a user, with the files of hosts.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::folder::Folder;
use super::program::{Printed, mcp};
use crate::subject;

/// A home and a project of a user.
pub(crate) struct UserFolders(pub(crate) Folder);

impl UserFolders {
    pub(crate) fn new(name: &str) -> Self {
        let folder = Folder::new(name).created();
        for path in [
            "home/.config/Claude",
            "home/.config/Code/User",
            "home/.config/zed",
            "home/.cursor",
            "project/.vscode",
        ] {
            fs::create_dir_all(folder.0.join(path)).expect("a folder");
        }
        Self(folder)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("a file")
    }

    /// Returns the path of a file. On macOS, some hosts have their files elsewhere.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        let elsewhere = ["home/.config/Claude/", "home/.config/Code/"];
        let path = if cfg!(target_os = "macos") && elsewhere.iter().any(|of| path.starts_with(of)) {
            path.replacen(".config", "Library/Application Support", 1)
        } else {
            path.to_owned()
        };
        self.0.0.join(path)
    }

    /// Runs `mcp` in the project.
    pub(crate) fn run(&self, arguments: &[&str]) -> Printed {
        self.command(arguments).output().expect("it runs").into()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = mcp();
        command
            .args(arguments)
            .current_dir(self.0.0.join("project"));
        for home in ["HOME", "USERPROFILE"] {
            command.env(home, self.0.0.join("home"));
        }
        command.env("APPDATA", self.0.0.join("home/.config"));
        command.env("MCP_AUTH_DIR", self.0.0.join("tokens"));
        command.env("SUBJECT", subject()).env("HUSH", "hunter2");
        for name in ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "LOCALAPPDATA"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs `mcp`, which must succeed.
    pub(crate) fn printed(&self, arguments: &[&str]) -> String {
        let printed = self.run(arguments);
        assert_eq!(printed.code, Some(0), "{arguments:?} {printed:?}");
        printed.out
    }
}
