//! [`find_program`]: where the program of a command is, and whether it is a batch file.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the path of the program that [`ChildProcess::new`](crate::ChildProcess::new) starts, for programs that
/// start servers themselves.
///
/// On Windows this searches as a command prompt does: with the extensions `.com`, `.exe`, `.bat` and `.cmd`, in
/// the order of the variable `PATHEXT`, and for a name in the folders of the `PATH` that the command sets, or
/// else of that of this process. The working directory is not searched, nor folders of `PATH` without a root. A
/// relative path is one in the working directory that the command sets. A batch file should not search its working
/// directory for the programs that it starts either: `ChildProcess` sets the variable
/// `NoDefaultCurrentDirectoryInExePath` for it. Elsewhere the system searches, and this returns the program unchanged.
///
/// # Errors
///
/// On Windows [`io::ErrorKind::NotFound`], with a text that says what was tried.
pub fn find_program(command: &Command) -> io::Result<PathBuf> {
    #[cfg(windows)]
    let found = windows::find(command);
    #[cfg(not(windows))]
    let found = Ok(command.get_program().into());
    found
}

/// Returns `true` for a batch file, which Windows starts through the command processor; elsewhere `false`.
#[must_use]
pub fn is_batch_file(program: &Path) -> bool {
    let extension = program.extension().unwrap_or_default();
    let is = |other| extension.eq_ignore_ascii_case(other);
    cfg!(windows) && (is("bat") || is("cmd"))
}

#[cfg(windows)]
mod windows {
    use std::env;
    use std::ffi::{OsStr, OsString};
    use std::io::{self, ErrorKind};
    use std::path::{Component, Path, PathBuf};
    use std::process::Command;

    /// The extensions of what the system starts, in the order of `PATHEXT` after an installation.
    const EXTENSIONS: [&str; 4] = [".com", ".exe", ".bat", ".cmd"];

    pub(super) fn find(command: &Command) -> io::Result<PathBuf> {
        let program = Path::new(command.get_program());
        let is_name = program.components().count() == 1 && !program.has_root();
        let folders = if is_name {
            let path = search_path(command).unwrap_or_default();
            let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
            folders.collect()
        } else {
            let working = command.get_current_dir().unwrap_or(Path::new(""));
            vec![env::current_dir()?.join(working)]
        };
        let extensions = extensions();
        let names = names(program.as_os_str(), &extensions);
        let mut paths = folders
            .iter()
            .flat_map(|folder| names.iter().map(move |name| folder.join(name)));
        // `C:npx` depends on the working directory of a drive.
        let has_name = program.file_name().is_some();
        let is_plain = has_name && (program.has_root() || !has_prefix(program));
        let found = paths.find(|path| is_plain && path.is_file());
        found.ok_or_else(|| {
            let place = if is_name {
                " in the folders of PATH"
            } else {
                ""
            };
            let tried = extensions.join(", ");
            let text = format!("program not found{place}, also with the extensions {tried}");
            io::Error::new(ErrorKind::NotFound, text)
        })
    }

    fn has_prefix(path: &Path) -> bool {
        matches!(path.components().next(), Some(Component::Prefix(_)))
    }

    /// Returns the value of `PATH` that the process gets, or else our own.
    fn search_path(command: &Command) -> Option<OsString> {
        let mut set = command.get_envs();
        let own = set.find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
        own.map_or_else(|| env::var_os("PATH"), |(_, value)| value.map(Into::into))
    }

    /// Returns the extensions of `PATHEXT` that the system starts. The variable is absent in processes whose
    /// parent passes few variables.
    fn extensions() -> Vec<&'static str> {
        let set = env::var("PATHEXT").unwrap_or_default();
        let known = |name: &str| {
            let mut all = EXTENSIONS.into_iter();
            all.find(|extension| extension.eq_ignore_ascii_case(name.trim()))
        };
        let found: Vec<_> = set.split(';').filter_map(known).collect();
        if found.is_empty() {
            EXTENSIONS.to_vec()
        } else {
            found
        }
    }

    /// Returns the names of files that a program may have. Other files cannot be started: beside `npx.cmd` there
    /// is a script for Unix, `npx`.
    fn names(program: &OsStr, extensions: &[&str]) -> Vec<OsString> {
        let own = Path::new(program).extension().unwrap_or_default();
        let is_started = EXTENSIONS
            .iter()
            .any(|extension| own.eq_ignore_ascii_case(&extension[1..]));
        let unchanged = is_started.then(|| program.to_owned());
        let longer = extensions.iter().map(|extension| {
            let mut name = program.to_owned();
            name.push(extension);
            name
        });
        unchanged.into_iter().chain(longer).collect()
    }

    #[cfg(test)]
    mod tests {
        use std::fs;

        use super::*;

        #[test]
        fn programs_are_found_as_a_command_prompt_does() {
            let folder = env::temp_dir().join(format!("mcp-search-{}", std::process::id()));
            let [first, second, working] = ["first", "second", "working"].map(|it| folder.join(it));
            for (place, names) in [
                (
                    &first,
                    &["npx", "npx.cmd", "node.js", "tool.py", "tool.py.exe"][..],
                ),
                (&second, &["npx.exe", "node.exe", "py3.11.exe", "ONLY.BAT"]),
                (&working, &["evil.exe", "run", "run.cmd", ".exe"]),
            ] {
                fs::create_dir_all(place.join("folder.exe")).unwrap();
                for name in names {
                    fs::write(place.join(name), "").unwrap();
                }
            }
            let path = [
                Path::new(""),
                Path::new("."),
                Path::new("C:"),
                &first,
                &second,
            ];
            let path = env::join_paths(path).unwrap();
            let drive = working.display().to_string()[..2].to_owned();
            let found = |program: &str| {
                let mut command = Command::new(program);
                command.env("Path", &path).current_dir(&working);
                find(&command).ok().map(|found| {
                    let found = found.strip_prefix(&folder).unwrap();
                    found.display().to_string().to_lowercase()
                })
            };
            for (program, expected) in [
                ("npx", Some(r"first\npx.cmd")),
                ("NPX", Some(r"first\npx.cmd")),
                ("npx.exe", Some(r"second\npx.exe")),
                ("npx.", None),
                ("npx.cmd ", None),
                ("node", Some(r"second\node.exe")),
                ("py3.11", Some(r"second\py3.11.exe")),
                ("tool.py", Some(r"first\tool.py.exe")),
                ("only", Some(r"second\only.bat")),
                ("folder", None),
                ("evil", None),
                ("evil.exe", None),
                (&format!("{drive}evil"), None),
                ("", None),
                (".", None),
                ("..", None),
                (r".\evil", Some(r"working\.\evil.exe")),
                (r".\run", Some(r"working\.\run.cmd")),
                (r"..\second\only", Some(r"working\..\second\only.bat")),
                ("absent", None),
            ] {
                assert_eq!(found(program).as_deref(), expected, "{program}");
            }
            let absolute = second.join("only").display().to_string();
            assert_eq!(found(&absolute).as_deref(), Some(r"second\only.bat"));
            let error = find(Command::new("absent").env_remove("PATH")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound);
            assert!(error.to_string().contains(".cmd"), "{error}");
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}
