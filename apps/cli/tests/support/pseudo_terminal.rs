//! A pseudo-terminal for a program.

use std::fs::File;
use std::process::{Child, Command};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Starts a program at a terminal. Returns the side of the terminal that the user has.
pub(crate) fn start(command: &mut Command) -> (File, Child) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("granted");
    unlockpt(&terminal).expect("unlocked");
    let name = ptsname(&terminal, Vec::new()).expect("a name");
    let name = name.into_string().expect("text");
    let end = || {
        let mut options = File::options();
        let end = options.read(true).write(true).open(&name);
        end.expect("the other end")
    };
    command.stdin(end()).stdout(end()).stderr(end());
    (File::from(terminal), command.spawn().expect("it runs"))
}
