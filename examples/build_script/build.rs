//! A build script that generates Rust from the schema file. Cargo reruns it when the file changes.

fn main() -> Result<(), nouns_codegen::build::Failure> {
    nouns_codegen::build::rust("../../schemas/zoo.yaml")
}
