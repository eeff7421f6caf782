//! Every example does what it says.

#[path = "../../examples/in_process.rs"]
mod in_process;

#[test]
fn a_service_is_asked_without_a_socket() {
    in_process::main().unwrap();
}
