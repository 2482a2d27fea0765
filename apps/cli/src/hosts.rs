//! [`Host`]: programs that use servers, and the files in which they list them.

use std::env;
use std::path::PathBuf;

use clap::ValueEnum;

/// A program that uses servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Host {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    Vscode,
    Zed,
}

/// Where a file belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The current folder.
    Project,
    /// The home of the user.
    User,
}

/// How a host writes variables of the environment in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variables {
    /// `${NAME}` and `${NAME:-default}`.
    Plain,
    /// `${env:NAME}`.
    Prefixed,
    /// The host replaces no variables.
    Absent,
}

/// The file of Claude Desktop in its folder of settings.
const CLAUDE_DESKTOP: &str = "Claude/claude_desktop_config.json";

#[derive(Clone, Copy, PartialEq, Eq)]
enum System {
    Linux,
    Mac,
    Windows,
}

/// The folders from which the paths of the files begin.
pub(crate) struct Places {
    system: System,
    pub(crate) home: Option<PathBuf>,
    /// The value of `XDG_CONFIG_HOME`, or of `APPDATA` on Windows.
    settings: Option<PathBuf>,
    /// The value of `LOCALAPPDATA`, on Windows.
    local_data: Option<PathBuf>,
    /// The value of `CLAUDE_CONFIG_DIR`.
    claude: Option<PathBuf>,
    /// The current folder.
    pub(crate) folder: PathBuf,
}

impl Places {
    pub(crate) fn current() -> Self {
        let absolute = |name: &str| {
            let path = env::var_os(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let (system, settings) = if cfg!(windows) {
            (System::Windows, "APPDATA")
        } else if cfg!(target_os = "macos") {
            (System::Mac, "XDG_CONFIG_HOME")
        } else {
            (System::Linux, "XDG_CONFIG_HOME")
        };
        Self {
            system,
            home: env::home_dir().filter(|home| home.is_absolute()),
            settings: absolute(settings),
            local_data: absolute("LOCALAPPDATA"),
            claude: absolute("CLAUDE_CONFIG_DIR"),
            folder: env::current_dir().unwrap_or_default(),
        }
    }

    /// Returns the folder in which most programs have their settings.
    fn settings(&self) -> Option<PathBuf> {
        match self.system {
            System::Mac => Some(self.home.as_ref()?.join("Library/Application Support")),
            System::Linux | System::Windows => self.plain_settings(),
        }
    }

    /// Returns the folder in which Claude Desktop has its settings. On Windows its installer creates a package,
    /// which reads its own file if it has one, and else the usual one. The name of a package ends with a digest
    /// of its publisher.
    fn claude_desktop(&self) -> Option<PathBuf> {
        let usual = self.settings();
        let has_file = |folder: &PathBuf| folder.join(CLAUDE_DESKTOP).exists();
        let package = "Packages/Claude_pzs8sxrjxfjjc";
        let package = self.local_data.as_ref().map(|data| data.join(package));
        match package {
            Some(package) if self.system == System::Windows && package.is_dir() => {
                let own = package.join("LocalCache/Roaming");
                let is_own = has_file(&own) || !usual.as_ref().is_some_and(has_file);
                if is_own { Some(own) } else { usual }
            }
            _ => usual,
        }
    }

    /// Returns the folder for programs that use `~/.config` on macOS, too.
    fn plain_settings(&self) -> Option<PathBuf> {
        let fallback = || {
            Some(self.home.as_ref()?.join(match self.system {
                System::Windows => "AppData/Roaming",
                System::Linux | System::Mac => ".config",
            }))
        };
        match self.system {
            // Zed does not look at the variable there.
            System::Mac => fallback(),
            System::Linux | System::Windows => self.settings.clone().or_else(fallback),
        }
    }
}

impl Host {
    /// Returns the name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Zed => "zed",
        }
    }

    /// Returns the host with a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut all = Self::value_variants().iter().copied();
        all.find(|host| host.name() == name)
    }

    /// Returns the files of the host, those of the current folder first, as the host prefers them.
    pub(crate) fn files(self, places: &Places) -> Vec<(Scope, PathBuf)> {
        let scopes = [Scope::Project, Scope::User].into_iter();
        scopes
            .filter_map(|scope| Some((scope, self.file(scope, places)?)))
            .collect()
    }

    /// Returns a file of the host, which need not exist.
    pub(crate) fn file(self, scope: Scope, places: &Places) -> Option<PathBuf> {
        let zed = match places.system {
            System::Windows => "Zed/settings.json",
            System::Linux | System::Mac => "zed/settings.json",
        };
        let project = || Some(places.folder.clone());
        let (folder, path) = match (self, scope) {
            (Self::ClaudeCode, Scope::Project) => (project(), ".mcp.json"),
            (Self::ClaudeDesktop, Scope::Project) => return None,
            (Self::Cursor, Scope::Project) => (project(), ".cursor/mcp.json"),
            (Self::Vscode, Scope::Project) => (project(), ".vscode/mcp.json"),
            (Self::Zed, Scope::Project) => (project(), ".zed/settings.json"),
            (Self::ClaudeCode, Scope::User) => (
                places.claude.clone().or(places.home.clone()),
                ".claude.json",
            ),
            (Self::ClaudeDesktop, Scope::User) => (places.claude_desktop(), CLAUDE_DESKTOP),
            (Self::Cursor, Scope::User) => (places.home.clone(), ".cursor/mcp.json"),
            (Self::Vscode, Scope::User) => (places.settings(), "Code/User/mcp.json"),
            (Self::Zed, Scope::User) => (places.plain_settings(), zed),
        };
        // With the separator of the system only.
        Some(folder?.join(path).components().collect())
    }

    /// Returns the member of its file in which the host lists servers.
    pub(crate) fn list(self) -> &'static str {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor => "mcpServers",
            Self::Vscode => "servers",
            Self::Zed => "context_servers",
        }
    }

    pub(crate) fn variables(self) -> Variables {
        match self {
            Self::ClaudeCode => Variables::Plain,
            Self::Cursor | Self::Vscode => Variables::Prefixed,
            Self::ClaudeDesktop | Self::Zed => Variables::Absent,
        }
    }

    /// Returns `true` if entries have a `type`.
    pub(crate) fn has_types(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Vscode)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn user_files(system: System, home: &str, settings: Option<&str>) -> Vec<String> {
        let places = Places {
            system,
            home: Some(home.into()),
            settings: settings.map(PathBuf::from),
            local_data: None,
            claude: None,
            folder: "/project".into(),
        };
        let hosts = Host::value_variants().iter();
        hosts
            .filter_map(|host| host.file(Scope::User, &places))
            .map(|path| path.to_string_lossy().replace('\\', "/"))
            .collect()
    }

    #[test]
    fn hosts_have_their_files_on_each_system() {
        assert_eq!(
            user_files(System::Linux, "/home/ada", None),
            [
                "/home/ada/.claude.json",
                "/home/ada/.config/Claude/claude_desktop_config.json",
                "/home/ada/.cursor/mcp.json",
                "/home/ada/.config/Code/User/mcp.json",
                "/home/ada/.config/zed/settings.json",
            ]
        );
        let mac = "/Users/ada/Library/Application Support";
        assert_eq!(
            user_files(System::Mac, "/Users/ada", Some("/elsewhere")),
            [
                "/Users/ada/.claude.json".to_owned(),
                format!("{mac}/Claude/claude_desktop_config.json"),
                "/Users/ada/.cursor/mcp.json".to_owned(),
                format!("{mac}/Code/User/mcp.json"),
                "/Users/ada/.config/zed/settings.json".to_owned(),
            ]
        );
        let roaming = "C:/Users/ada/AppData/Roaming";
        for settings in [None, Some(roaming)] {
            assert_eq!(
                user_files(System::Windows, "C:/Users/ada", settings),
                [
                    "C:/Users/ada/.claude.json".to_owned(),
                    format!("{roaming}/Claude/claude_desktop_config.json"),
                    "C:/Users/ada/.cursor/mcp.json".to_owned(),
                    format!("{roaming}/Code/User/mcp.json"),
                    format!("{roaming}/Zed/settings.json"),
                ]
            );
        }
    }

    #[test]
    fn claude_desktop_that_is_a_package_has_its_own_file() {
        let local = tempfile::tempdir().expect("a folder");
        let roaming = local.path().join("Roaming");
        let file = |system| {
            let places = Places {
                system,
                home: Some("C:/Users/ada".into()),
                settings: Some(roaming.clone()),
                local_data: Some(local.path().to_owned()),
                claude: None,
                folder: "/project".into(),
            };
            Host::ClaudeDesktop.file(Scope::User, &places)
        };
        let name = "Claude/claude_desktop_config.json";
        let write = |path: &Path| {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "{}").expect("written");
        };
        let usual = roaming.join(name);
        assert_eq!(file(System::Windows).as_deref(), Some(&*usual));

        let package = local.path().join("Packages/Claude_pzs8sxrjxfjjc");
        fs::create_dir_all(&package).expect("a folder");
        let own = package.join("LocalCache/Roaming").join(name);
        assert_eq!(file(System::Windows).as_deref(), Some(&*own));
        // The package reads the usual file until it has its own.
        write(&usual);
        assert_eq!(file(System::Windows).as_deref(), Some(&*usual));
        write(&own);
        assert_eq!(file(System::Windows).as_deref(), Some(&*own));
        assert_ne!(file(System::Mac).as_deref(), Some(&*own));
    }
}
