//! `print!` and `println!` of the commands, which end the program quietly if the reader of its
//! output has closed the pipe, as `head` does. Those of the standard library panic.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::process;

/// Prints like the macro of the standard library.
#[macro_export]
macro_rules! print {
    ($($text:tt)*) => {
        $crate::output::write(format_args!($($text)*))
    };
}

/// Prints like the macro of the standard library.
#[macro_export]
macro_rules! println {
    () => {
        $crate::output::write(format_args!("\n"))
    };
    ($($text:tt)*) => {
        $crate::output::write(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// Writes to the standard output. Ends the program if its reader is gone.
pub fn write(text: Arguments<'_>) {
    match std::io::stdout().lock().write_fmt(text) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => process::exit(0),
        Err(error) => {
            eprintln!("error: cannot write to standard output: {error}");
            process::exit(2);
        }
    }
}
