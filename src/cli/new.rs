//! `nouns new`: writes a schema file to begin with.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use nouns_codegen::json_schema;

use super::{Failure, new_file::write_new, print, shell};

/// The schema of a blog. A new schema has other names in the place of these.
const TEMPLATE: &str = include_str!("new/blog.yaml");

/// The name of the file in the comments of the template.
const TEMPLATE_FILE: &str = "blog.yaml";

/// The line of the template with the title.
const TEMPLATE_TITLE: &str = "  title: Blog\n";

/// The JSON Schema of the schema language, which the first line of the template names.
const JSON_SCHEMA: &str = "nouns.schema.json";

/// The maximum length of a file name in bytes, without its extension.
const NAME_BYTES_MAX: usize = 100;

/// The name of a file whose directory has no usable name.
const USUAL_NAME: &str = "api";

/// Words that YAML reads as something else than a text.
const YAML_WORDS: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "null", "nan"];

const EXAMPLES: &str = "Examples:
  nouns new blog
  nouns new .";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct New {
    /// The directory, which is created if it does not exist. The schema file gets its name.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

impl New {
    pub(super) fn run(self) -> Result<(), Failure> {
        let shown = self.directory.display();
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                Failure(format!("error: `{shown}` is not a directory"))
            }
            _ => Failure(format!("error: the directory `{shown}` cannot be created: {error}")),
        };
        fs::create_dir_all(&self.directory).map_err(failed)?;
        let name = file_name(&fs::canonicalize(&self.directory).map_err(failed)?);
        let file = format!("{name}.yaml");
        write_new(&self.directory.join(&file), &schema(&file, &title(&name)))?;
        let for_editors = self.directory.join(JSON_SCHEMA);
        if !for_editors.exists() {
            write_new(&for_editors, &json_schema::text())?;
        }
        print(&next(&self.directory, &file));
        Ok(())
    }
}

/// The name of the schema file, without its extension: the words in the name of the directory.
fn file_name(directory: &Path) -> String {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_alphanumeric() || letter == '_' {
            words.push(letter);
        } else if !words.ends_with('-') {
            words.push('-');
        }
    }
    let end = words.floor_char_boundary(NAME_BYTES_MAX);
    match words[..end].trim_matches(['-', '_']) {
        "" => USUAL_NAME.to_owned(),
        name => name.to_owned(),
    }
}

/// The title as a YAML scalar: `Pet shop` for `pet-shop`.
fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let title: String = first.chain(letters).collect();
    let is_text = title.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && title.is_ascii()
        && title.len() > 1
        && !YAML_WORDS.contains(&&*title.to_ascii_lowercase());
    if is_text { title } else { format!("\"{title}\"") }
}

fn schema(file: &str, title: &str) -> String {
    let title = format!("  title: {title}\n");
    TEMPLATE.replace(TEMPLATE_FILE, file).replace(TEMPLATE_TITLE, &title)
}

/// Returns the text about the next steps of the user.
fn next(directory: &Path, file: &str) -> String {
    let (mut path, mut change) = (file.to_owned(), String::new());
    if directory != Path::new(".") {
        path = directory.join(file).display().to_string();
        let name = directory.display().to_string();
        // A shell would take a hyphen for an option.
        let name = if name.starts_with('-') { format!("./{name}") } else { name };
        change = format!("  cd {}\n", shell::word(&name));
    }
    let file = shell::word(file);
    format!(
        "Created `{path}`, a blog to change to what you need.\n\n\
         Serve it, and open http://127.0.0.1:8080/ in a browser:\n\n\
         {change}  nouns serve {file}\n\n\
         Then, in another terminal:\n\n  \
         curl --json '{{\"name\": \"Ada Lovelace\", \"email\": \"ada@example.org\"}}' http://127.0.0.1:8080/authors\n  \
         curl --json '{{\"title\": \"Hello\", \"text\": \"My first article\", \"author_id\": 1}}' http://127.0.0.1:8080/articles\n  \
         curl 'http://127.0.0.1:8080/articles?status=draft&sortby=title'\n\n\
         `nouns check {file}` finds mistakes, and `nouns routes {file}` lists the URLs.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_words_of_its_directory() {
        let long = "é".repeat(127);
        for (directory, file, shown) in [
            ("/home/kim/blog", "blog", "Blog"),
            ("pet-shop", "pet-shop", "Pet shop"),
            ("my shop v2.0", "my-shop-v2-0", "My shop v2 0"),
            ("-rf", "rf", "Rf"),
            ("__x__", "x", "\"X\""),
            (":memory:", "memory", "Memory"),
            ("file:a?b=c", "file-a-b-c", "File a b c"),
            ("it's `$(ls)` \"#: ", "it-s-ls", "It s ls"),
            ("null", "null", "\"Null\""),
            ("on", "on", "\"On\""),
            ("2026", "2026", "\"2026\""),
            ("0x1F", "0x1F", "\"0x1F\""),
            ("日本", "日本", "\"日本\""),
            ("...", "api", "Api"),
            ("/", "api", "Api"),
            (&long, &"é".repeat(50), &format!("\"É{}\"", "é".repeat(49))),
        ] {
            let name = file_name(Path::new(directory));
            assert_eq!((&*name, &*title(&name)), (file, shown), "{directory}");
        }
    }

    /// A title of any name is the text that it shows.
    #[test]
    fn a_title_is_a_text() {
        for name in
            ["null", "Yes", "2026", "0x1F", "1e3", "inf", "日本", "ß", "y", "ⅷ", "a_-b", "٣"]
        {
            let text = schema("x.yaml", &title(name));
            let schema = nouns_codegen::read_yaml("x.yaml", &text).expect("the schema is valid");
            let lower = |text: &str| text.to_lowercase().replace(['-', '_'], " ");
            assert_eq!(lower(&schema.api.title).replace("ss", "ß"), lower(name), "{name}");
        }
    }
}
