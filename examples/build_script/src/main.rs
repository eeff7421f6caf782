//! The zoo example, declared in a schema file and compiled into the program by a build script.
//!
//! The program prints the URLs that it would serve: `cargo run -p build_script`.

use nouns::routes;
use std::io::Write as _;

#[expect(unreachable_pub, reason = "generated items are `pub`, so that a library can export them")]
mod zoo {
    //! The structs that the build script generated from `schemas/zoo.yaml`.
    include!(concat!(env!("OUT_DIR"), "/zoo.rs"));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = zoo::api().build()?;
    let mut output = std::io::stdout();
    for route in routes::table(&model) {
        writeln!(output, "{:<7} {}", route.method, route.path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_compiled_serves_what_was_declared() {
        let model = zoo::api().build().expect("`schemas/zoo.yaml` is a valid schema");
        let paths: Vec<_> = routes::table(&model).into_iter().map(|route| route.path).collect();
        assert!(paths.iter().any(|path| path == "/zoos/{zoo_id}/animals"), "{paths:?}");
    }
}
