//! Reads a directory whose files replace the embedded ones of the web pages.

use std::{
    fs,
    io::{self, Read},
    path::Path,
};

use super::{Pages, TemplateFault, TemplatesError, check};
use crate::{
    base::{
        limits::{TEMPLATE_BYTES_MAX, TEMPLATES_MAX},
        nearest::nearest,
    },
    http::page_file::{self, MEDIA_TYPES, PageFile, TEMPLATES},
};

/// The files of a directory, and what is wrong with them.
struct Folder<'p> {
    path: &'p Path,
    templates: Vec<(String, String)>,
    files: Vec<PageFile>,
    faults: Vec<TemplateFault>,
}

impl Pages {
    /// Whether a file of a directory is left out: its name begins with `.` or ends with `~`, as
    /// those of files that editors make.
    pub fn is_left_out(name: &str) -> bool {
        name.starts_with('.') || name.ends_with('~')
    }

    /// Reads the files of a directory. Each replaces the embedded file of the same name. Further
    /// templates can be included by others, and pages can load the further files.
    ///
    /// Some files are [left out](Self::is_left_out).
    ///
    /// # Errors
    /// All that is wrong with the directory. A file cannot be read or is too large, its name has no
    /// known end, or is almost that of an embedded file. A template has a mistake in its syntax, or
    /// an unknown name of a variable, a filter or a template.
    pub fn read(path: &Path) -> Result<Self, TemplatesError> {
        let mut folder = Folder { path, templates: vec![], files: vec![], faults: vec![] };
        match folder.names() {
            Ok(names) => names.iter().for_each(|name| folder.read(name)),
            Err(error) => folder.report(path, format!("the directory cannot be read: {error}")),
        }
        if !folder.faults.is_empty() {
            return Err(TemplatesError(folder.faults));
        }
        check::compiled(path, folder.templates, folder.files)
    }
}

impl Folder<'_> {
    /// Returns the names of the files in alphabetical order.
    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = vec![];
        for entry in fs::read_dir(self.path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if Pages::is_left_out(&name) {
                continue;
            }
            names.push(name);
            if names.len() > TEMPLATES_MAX {
                let message = format!("it has more than {TEMPLATES_MAX} files");
                return Err(io::Error::other(message));
            }
        }
        names.sort();
        Ok(names)
    }

    fn read(&mut self, name: &str) {
        let path = self.path.join(name);
        match self.content(&path, name) {
            Ok(content) if name.ends_with(".html") => match String::from_utf8(content) {
                Ok(text) => self.templates.push((name.to_owned(), text)),
                Err(_) => self.report(&path, "the template is not UTF-8".to_owned()),
            },
            Ok(content) => self.files.extend(PageFile::new(name, content)),
            Err(error) => self.report(&path, error.to_string()),
        }
    }

    /// Checks the name of a file, and reads the file if it has a usual size.
    fn content(&self, path: &Path, name: &str) -> io::Result<Vec<u8>> {
        if let Some(says) = misnamed(name) {
            return Err(io::Error::other(says));
        }
        // A read of a pipe or a socket could wait.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        let mut content = vec![];
        fs::File::open(path)?.take(TEMPLATE_BYTES_MAX + 1).read_to_end(&mut content)?;
        if content.len() as u64 > TEMPLATE_BYTES_MAX {
            let message = format!("the file has more than {} KiB", TEMPLATE_BYTES_MAX / 1024);
            return Err(io::Error::other(message));
        }
        Ok(content)
    }

    fn report(&mut self, path: &Path, says: String) {
        self.faults.push(TemplateFault { place: path.display().to_string(), says });
    }
}

/// Returns what is wrong with the name of a file, if anything is.
fn misnamed(name: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if !name.bytes().all(is_plain) {
        return Some("its name must consist of ASCII letters, digits, `.`, `-` and `_`".to_owned());
    }
    let mut ends = MEDIA_TYPES.iter().map(|(end, _)| *end);
    if !name.ends_with(".html") && !ends.clone().any(|end| name.ends_with(end)) {
        let ends = ends.by_ref().collect::<Vec<_>>().join(", ");
        return Some(format!("its name must end with `.html` or one of {ends}"));
    }
    let near = misspelt(name)?;
    Some(format!(
        "the pages have no such file; did you mean `{near}`? A further file needs a name that is \
         less like it"
    ))
}

/// Returns the name of the embedded file that a name is probably meant to be.
fn misspelt(name: &str) -> Option<String> {
    let (stem, end) = name.rsplit_once('.')?;
    let files: Vec<_> = page_file::embedded().map(|file| file.name).collect();
    let known = TEMPLATES.iter().map(|one| one.name).chain(files.iter().map(String::as_str));
    let alike = known.filter_map(|known| known.rsplit_once('.')).filter(|known| known.1 == end);
    let stems: Vec<_> = alike.map(|(stem, _)| stem).collect();
    if stems.contains(&stem) {
        return None;
    }
    Some([nearest(stem, stems.into_iter())?, ".", end].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a directory with these files.
    fn read(files: &[(&str, &str)]) -> Result<Pages, Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        let place = folder.path().display().to_string() + "/";
        let plain = |fault: &TemplateFault| fault.to_string().replace(&place, "");
        Pages::read(folder.path()).map_err(|error| error.0.iter().map(plain).collect())
    }

    #[test]
    fn each_file_replaces_the_embedded_one_of_its_name() {
        let embedded = Pages::embedded();
        let pages = read(&[
            ("page.css", "body { color: red }"),
            ("logo.svg", "<svg/>"),
            ("footer.html", "<p>{{ interface }}</p>"),
            (".page.css.swp", "\0"),
            ("page.css~", "old"),
        ])
        .unwrap();
        assert_ne!(pages.path("page.css"), embedded.path("page.css"));
        assert_eq!(pages.path("page.js"), embedded.path("page.js"));
        assert_eq!(pages.own_files().len(), 2);
        let style = pages.find(pages.path("page.css").strip_prefix("/-/pages/").unwrap()).unwrap();
        assert_eq!(&*style.content, b"body { color: red }");
        assert_ne!(pages.hash(), embedded.hash());
        assert_eq!(read(&[]).unwrap().hash(), embedded.hash());
        assert_ne!(read(&[("footer.html", "")]).unwrap().hash(), pages.hash());
    }

    #[test]
    fn each_fault_of_a_directory_is_named() {
        let long = "x".repeat(usize::try_from(TEMPLATE_BYTES_MAX).unwrap() + 1);
        let faults = read(&[
            ("colection.html", ""),
            ("long.png", &long),
            ("page.ccs", ""),
            ("pages.css", ""),
            ("read me.txt", ""),
        ])
        .unwrap_err();
        insta::assert_snapshot!(faults.join("\n"));
        let missing = Pages::read(Path::new("/nowhere/pages")).unwrap_err().to_string();
        assert!(missing.starts_with("error: /nowhere/pages: the directory cannot be read: "));
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner.html")).unwrap();
        fs::write(folder.path().join("latin.html"), [0xe9]).unwrap();
        let faults = Pages::read(folder.path()).unwrap_err().0;
        assert_eq!(faults[0].says, "it is not a file");
        assert_eq!(faults[1].says, "the template is not UTF-8");
        for number in 0..=TEMPLATES_MAX {
            fs::write(folder.path().join(format!("{number}.txt")), "").unwrap();
        }
        let faults = Pages::read(folder.path()).unwrap_err().0;
        assert_eq!(faults[0].says, "the directory cannot be read: it has more than 100 files");
    }

    #[test]
    fn each_mistake_in_a_template_is_named() {
        let faults = read(&[
            (
                "home.html",
                "{% extends \"layout.html\" %}\n{% block main %}\n{{ titel }}{% endblock %}",
            ),
            ("member.html", "<p>\n{{ headin }} {{ rows|length }}</p>"),
            ("sign_in.html", "{{ login|shout }}"),
            ("form.html", "{% include \"foter.html\" %}"),
            ("collection.html", "<img src=\"{{ files['logo.svg'] }}\">"),
        ])
        .unwrap_err();
        insta::assert_snapshot!("unknown_names", faults.join("\n"));
        let faults = read(&[
            ("form.html", "{% if heading %}"),
            ("home.html", "<p>\n{{ version }"),
            ("member.html", "{% for one in fields %}{% endif %}"),
        ])
        .unwrap_err();
        insta::assert_snapshot!("syntax", faults.join("\n"));
        let faults = read(&[
            ("member.html", "{{ heading|shout }}"),
            ("sign_in.html", "<p>\n{% if login is shouted %}{% endif %}"),
            ("form.html", "{% include \"foter.html\" %}"),
            ("collection.html", "<img src=\"{{ files['logo.svg'] }}\">"),
        ])
        .unwrap_err();
        insta::assert_snapshot!("unknown_in_a_rehearsal", faults.join("\n"));
        // A byte that is written counts as a step does, and is sooner done.
        let line = "-".repeat(10_000);
        let endless = format!(
            "{{% for a in range(9999) %}}{{% for b in range(9999) %}}{line}{{% endfor %}}{{% endfor %}}"
        );
        let faults = read(&[
            ("logo.svg", "<svg/>"),
            ("footer.html", "{{ rows|length }}"),
            ("collection.html", "<img src=\"{{ files['logo.svg'] }}\">{% include 'footer.html' %}"),
            ("home.html", &endless),
            (
                "member.html",
                "{{ fields|list }}{{ fields|join }}{{ fields|unique }}{{ fields|sort }}",
            ),
        ])
        .unwrap_err();
        insta::assert_snapshot!("endless", faults.join("\n"));
    }
}
