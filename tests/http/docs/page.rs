//! Parses a page of documentation into the steps that its reader would take.

use std::fs;

use crate::tidy::root;

/// The steps of a page, in order.
pub(super) struct Page {
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A schema. Later requests are sent to a new server with this schema.
    Schema(String),
    /// A YAML block that begins with a file name, which is written to that file.
    File { name: String, text: String },
    /// A command with its line number, and the output below it.
    Command { line: usize, command: String, output: String },
}

impl Page {
    pub(super) fn read(text: &str) -> Self {
        let mut steps = vec![];
        let mut lines = text.lines().enumerate();
        while let Some((_, line)) = lines.next() {
            let mut block =
                || lines.by_ref().take_while(|(_, line)| *line != "```").collect::<Vec<_>>();
            match line {
                "```yaml" => steps.extend(yaml(&block())),
                "```console" => steps.extend(console(&block())),
                line if line.starts_with("```") => drop(block()),
                line => steps.extend(named(line).map(Step::Schema)),
            }
        }
        Self { steps }
    }
}

/// Reads the schema that a comment names; `None` if the line is not such a comment.
fn named(line: &str) -> Option<String> {
    let path = line.strip_prefix("<!-- schema: ")?.strip_suffix(" -->")?;
    Some(fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}")))
}

fn yaml(lines: &[(usize, &str)]) -> Vec<Step> {
    let text: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
    let file = lines.first().and_then(|(_, line)| line.strip_prefix("# "));
    let file = file.filter(|name| name.ends_with(".yaml") && !name.contains(['/', ' ']));
    let file = file.map(|name| Step::File { name: name.to_owned(), text: text.clone() });
    let schema = lines.iter().any(|(_, line)| line.starts_with("nouns: "));
    file.into_iter().chain(schema.then_some(Step::Schema(text))).collect()
}

/// Parses the commands of a block. A line that ends with a backslash or within quotes is joined to
/// the next line.
fn console(lines: &[(usize, &str)]) -> Vec<Step> {
    let mut steps = vec![];
    let mut continued = false;
    for (number, text) in lines {
        if let Some(text) = text.strip_prefix("$ ") {
            steps.push(Step::Command {
                line: number + 1,
                command: String::new(),
                output: String::new(),
            });
            continued = true;
            extend(&mut steps, text, &mut continued);
        } else {
            extend(&mut steps, text, &mut continued);
        }
    }
    steps
}

/// Adds a line to the last command, or to the output of that command.
fn extend(steps: &mut [Step], text: &str, continued: &mut bool) {
    let Some(Step::Command { command, output, .. }) = steps.last_mut() else {
        panic!("a console block must begin with a command: {text}");
    };
    if *continued {
        let joined = text.strip_suffix('\\');
        command.push_str(joined.unwrap_or(text));
        let open = command.matches('\'').count() % 2 == 1;
        command.push_str(if open && joined.is_none() { "\n" } else { "" });
        *continued = joined.is_some() || open;
    } else {
        *output += &format!("{text}\n");
    }
}

#[test]
fn a_page_is_read_as_its_steps() {
    let console = "```console\n$ curl a \\\n  b\nc\n\nd\n$ e '{\n}'\n```";
    let text = format!("```yaml\n# zoo.yaml\nnouns: 1\n```\n```sh\n$ no\n```\n{console}");
    let schema = "# zoo.yaml\nnouns: 1\n".to_owned();
    let command = |line, command: &str, output: &str| Step::Command {
        line,
        command: command.into(),
        output: output.into(),
    };
    let expected = [
        Step::File { name: "zoo.yaml".into(), text: schema.clone() },
        Step::Schema(schema),
        command(9, "curl a   b", "c\n\nd\n"),
        command(14, "e '{\n}'", ""),
    ];
    assert_eq!(Page::read(&text).steps, expected);
}
