//! The programs that tests run beside `nouns`, and that a machine may lack.

use std::{
    io::{self, Write as _},
    process::{Child, Command, Stdio},
};

/// Sends a signal to a process, such as `-TERM`. Returns whether the process was there.
///
/// Every shell has `kill`. The program of this name is in a package that some systems lack.
pub(crate) fn signal(child: &Child, signal: &str) -> bool {
    let id = child.id().to_string();
    let mut shell = Command::new("sh");
    shell.args(["-c", "kill \"$0\" \"$1\"", signal, &id]).status().unwrap().success()
}

/// Whether a program is installed. If not, the output of the tests says what is left out.
pub(crate) fn has(program: &str, left_out: &str) -> bool {
    let mut asked = Command::new(program);
    asked.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let is_there = asked.status().is_ok();
    if !is_there {
        // The macros that print are captured in a test that passes.
        let line = format!("left out: {left_out}: `{program}` is not installed\n");
        io::stderr().write_all(line.as_bytes()).unwrap();
    }
    is_there
}

#[test]
fn what_is_left_out_is_a_program_that_is_not_there() {
    assert!(has("rustc", "nothing"));
    assert!(!has("a-program-that-nobody-has", "nothing; a test prints this line"));
}
