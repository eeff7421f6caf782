//! Turns the schema file into Rust whenever it changes.

fn main() -> Result<(), nouns_codegen::build::Failure> {
    nouns_codegen::build::rust("../../schemas/zoo.yaml")
}
