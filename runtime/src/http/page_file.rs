//! The files of the web pages: templates, a style sheet, a script and an icon, and those of the API
//! reference. They are embedded in the program.

#[cfg(feature = "docs-page")]
mod docs;

#[cfg(feature = "docs-page")]
pub(crate) use self::docs::{
    DOCS_SCRIPT, DOCS_STYLE, SWAGGER_UI_LICENSE, SWAGGER_UI_SCRIPT, SWAGGER_UI_STYLE,
    swagger_ui_version,
};

/// A file that the web pages load from this server. Its URL contains a hash of its content, so a
/// browser may cache it for ever.
#[derive(Debug, PartialEq, Eq)]
pub struct PageFile {
    /// The name of the file, which is the last segment of its URL.
    pub(crate) name: &'static str,
    /// The media type of the file.
    pub(crate) media_type: &'static str,
    /// The content of the file.
    pub(crate) content: FileContent,
    /// The hash of the content.
    pub(crate) hash: u64,
}

/// The content of a file, as it is embedded in the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FileContent {
    /// The text itself.
    Text(&'static str),
    /// A large text, compressed with gzip.
    #[cfg(feature = "docs-page")]
    Gzip(&'static [u8]),
}

/// The style sheet of all pages.
pub(crate) static STYLE: PageFile =
    PageFile::new("page.css", "text/css; charset=utf-8", include_str!("page_file/page.css"));
/// The script of all pages. The pages work without it.
pub(crate) static SCRIPT: PageFile =
    PageFile::new("page.js", "text/javascript; charset=utf-8", include_str!("page_file/page.js"));
/// The icon that browsers show beside the title of a page.
pub(crate) static ICON: PageFile =
    PageFile::new("icon.svg", "image/svg+xml", include_str!("page_file/icon.svg"));

/// All files that a page loads.
static FILES: &[&PageFile] = &[
    &STYLE,
    &SCRIPT,
    &ICON,
    #[cfg(feature = "docs-page")]
    &DOCS_STYLE,
    #[cfg(feature = "docs-page")]
    &DOCS_SCRIPT,
    #[cfg(feature = "docs-page")]
    &SWAGGER_UI_STYLE,
    #[cfg(feature = "docs-page")]
    &SWAGGER_UI_SCRIPT,
    #[cfg(feature = "docs-page")]
    &SWAGGER_UI_LICENSE,
];

/// The templates of the pages, each with its name.
pub(crate) const TEMPLATES: &[(&str, &str)] = &[
    ("layout.html", include_str!("page_file/layout.html")),
    ("home.html", include_str!("page_file/home.html")),
    ("collection.html", include_str!("page_file/collection.html")),
    ("reference.html", include_str!("page_file/reference.html")),
    ("watch.html", include_str!("page_file/watch.html")),
    ("member.html", include_str!("page_file/member.html")),
    ("alert.html", include_str!("page_file/alert.html")),
    ("form.html", include_str!("page_file/form.html")),
    ("sign_in.html", include_str!("page_file/sign_in.html")),
    #[cfg(feature = "docs-page")]
    ("docs.html", include_str!("page_file/docs.html")),
];

/// A hash of all that a page is made of beside its data: the files, the templates and the version
/// of the program. The entity tags of pages contain it.
pub(crate) const PAGES_HASH: u64 = {
    let mut hash = hashed(SEED, env!("CARGO_PKG_VERSION"));
    let mut at = 0;
    while at < TEMPLATES.len() {
        hash = hashed(hash, TEMPLATES[at].1);
        at += 1;
    }
    let files = [include_str!("page_file/page.css"), include_str!("page_file/page.js"), ICON_TEXT];
    hashed(hashed(hashed(hash, files[0]), files[1]), files[2])
};

const ICON_TEXT: &str = include_str!("page_file/icon.svg");

impl PageFile {
    const fn new(name: &'static str, media_type: &'static str, content: &'static str) -> Self {
        let hash = hashed(SEED, content);
        Self { name, media_type, content: FileContent::Text(content), hash }
    }

    /// Returns the path of the file, relative to the base URL.
    pub(crate) fn path(&self) -> String {
        format!("/-/pages/{:016x}/{}", self.hash, self.name)
    }

    /// Finds the file with this path below `/-/pages/`.
    pub(crate) fn find(path: &str) -> Option<&'static Self> {
        let (hash, name) = path.split_once('/')?;
        let is = |file: &&Self| file.name == name && format!("{:016x}", file.hash) == hash;
        FILES.iter().copied().find(is)
    }
}

/// The start of an FNV-1a hash.
const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds a text to an FNV-1a hash of 64 bits. A constant can be computed with this function.
const fn hashed(mut hash: u64, text: &str) -> u64 {
    let (bytes, mut at) = (text.as_bytes(), 0);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    (hash ^ 0xff).wrapping_mul(0x0000_0100_0000_01b3)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_file_is_found_by_its_own_path_alone() {
        for file in FILES.iter().copied() {
            let path = file.path();
            let below = path.strip_prefix("/-/pages/").unwrap();
            assert_eq!(PageFile::find(below), Some(file));
            assert_eq!(PageFile::find(&below.to_uppercase()), None);
            assert_eq!(PageFile::find(&format!("0000000000000000/{}", file.name)), None);
        }
        let paths: BTreeSet<_> = FILES.iter().map(|file| file.path()).collect();
        assert_eq!(paths.len(), FILES.len());
    }
}
