//! `mcp install` and `mcp uninstall`.

mod entry;

use std::path::{Path, PathBuf};
use std::process::Command;

use mcp_client::{find_program, is_batch_file};

use crate::args::{Install, Place, Uninstall};
use crate::authorization::folder;
use crate::edit::file::{OldFile, lock};
use crate::edit::{Change, edit};
use crate::failure::Failure;
use crate::hosts::{Host, Places, Scope};
use crate::output::print_message;

/// The file that is changed.
struct Target {
    path: PathBuf,
    host: Option<Host>,
    /// Whether missing folders are created.
    creates_folder: bool,
}

/// Adds a server to a file.
pub(crate) fn install(args: &Install) -> Result<(), Failure> {
    let (name, rest) = args.words.split_first().ok_or_else(|| {
        let message = "no name is given: expected the name of the server as the first argument";
        Failure::Usage(message.to_owned())
    })?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_part) {
        return Err(Failure::Usage(format!(
            "invalid name `{name}`: expected at most 64 letters, digits, `_`, `-` and `.`"
        )));
    }
    let target = target(&args.place)?;
    let value = entry::entry(args, rest, target.host)?;
    let replace = args.replace;
    change(&target, name, &Change::Set { value, replace })?;
    print_message(&format!("added `{name}` to {}", target.path.display()));
    if let Some(program) = args.program.first()
        && find_program(&Command::new(program)).is_ok_and(|path| is_batch_file(&path))
    {
        print_message(&format!(
            "`{0}` is a batch file: for a host that does not start it, \
             install `-- cmd /d /c {0}` with arguments that `cmd` does not interpret",
            program.display()
        ));
    }
    Ok(())
}

/// Removes a server from a file.
pub(crate) fn uninstall(args: &Uninstall) -> Result<(), Failure> {
    let target = target(&args.place)?;
    change(&target, &args.name, &Change::Remove)?;
    let path = target.path.display();
    print_message(&format!("removed `{}` from {path}", args.name));
    Ok(())
}

fn target(place: &Place) -> Result<Target, Failure> {
    let Some(host) = Host::named(&place.config) else {
        if place.project {
            let message =
                "`--project` is for the file of a host: expected its name after `--config`";
            return Err(Failure::Usage(message.to_owned()));
        }
        return Ok(Target {
            path: Path::new(&place.config).to_owned(),
            host: None,
            creates_folder: false,
        });
    };
    let scope = if place.project {
        Scope::Project
    } else {
        Scope::User
    };
    let path = host.file(scope, &Places::current()).ok_or_else(|| {
        let name = host.name();
        let of = match scope {
            Scope::Project => "in projects",
            Scope::User => "without a home folder",
        };
        Failure::Usage(format!("{name} has no file {of}"))
    })?;
    Ok(Target {
        path,
        host: Some(host),
        creates_folder: place.project,
    })
}

/// Changes a file, and keeps a copy of it.
fn change(target: &Target, name: &str, change: &Change) -> Result<(), Failure> {
    // Without a home, nothing keeps two processes apart.
    let folder = folder().ok();
    let edited = || {
        let _locked = folder.as_deref().map(lock).transpose()?;
        let old = OldFile::read(&target.path, target.creates_folder)?;
        let list = target.host.map(Host::list);
        let text = edit(old.text(), list, name, change)?;
        old.replace(&text)
    };
    edited().map_err(|source| Failure::Edit {
        path: target.path.clone(),
        source,
    })
}
