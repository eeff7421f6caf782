//! The tutorial quotes the example `booking`. Each block on the page is a part of the file that its
//! first line names.

use std::fs;

use crate::tidy::root;

#[test]
fn the_tutorial_shows_the_program_that_is_tested() {
    let page = fs::read_to_string(root().join("docs/tutorial-rust.md")).unwrap();
    let mut blocks = 0;
    for block in page.split("```rust\n").skip(1) {
        let (block, _) = block.split_once("\n```").unwrap();
        let (path, code) = block.split_once('\n').unwrap();
        let path = path.strip_prefix("// ").expect("the first line names the file");
        let file = fs::read_to_string(root().join("examples/booking").join(path)).unwrap();
        assert!(file.contains(code), "`{path}` has no such part:\n{code}");
        blocks += 1;
    }
    assert!(blocks >= 15, "the tutorial has only {blocks} blocks");
}
