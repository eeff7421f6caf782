//! The files of the API reference at `/-/docs`. Swagger UI renders it. Its files are those of the
//! npm package `swagger-ui-dist`, which `update-swagger-ui` fetches and compresses.

use bytes::Bytes;

use super::PageFile;
use crate::base::hash::StableHasher;

/// The variables of the template.
pub(super) const VARIABLES: &[&str] = &[
    "interface",
    "home",
    "openapi",
    "base",
    "icon",
    "files",
    "watch",
    "script",
    "styles",
    "scripts",
    "license",
    "version",
];

/// The style sheet of Swagger UI, and Swagger UI with the libraries that it uses.
const RELEASED: [(&str, &[u8]); 2] = [
    ("swagger-ui.css", include_bytes!("swagger_ui/swagger-ui.css.gz")),
    ("swagger-ui-bundle.js", include_bytes!("swagger_ui/swagger-ui-bundle.js.gz")),
];

/// The version of Swagger UI, and the digests of its files.
const RELEASE: &str = include_str!("swagger_ui/VERSION");

/// Returns the version of Swagger UI.
pub(crate) fn swagger_ui_version() -> &'static str {
    RELEASE.lines().next().unwrap_or_default()
}

/// Returns the files of the page.
pub(super) fn embedded() -> impl Iterator<Item = PageFile> {
    let texts = [
        ("docs.css", include_str!("docs.css")),
        ("docs.js", include_str!("docs.js")),
        // The licences of Swagger UI and of the libraries that it uses. It names this file.
        ("swagger-ui-bundle.js.LICENSE.txt", include_str!("swagger_ui/LICENSE.txt")),
    ];
    let released = RELEASED.into_iter().filter_map(|(name, content)| compressed(name, content));
    texts.into_iter().filter_map(|(name, text)| PageFile::new(name, text)).chain(released)
}

/// A file of Swagger UI. The hash of its URL is that of the whole release.
fn compressed(name: &str, content: &'static [u8]) -> Option<PageFile> {
    let hash = StableHasher::new().text(RELEASE).finish();
    let file = PageFile::hashed(name.to_owned(), Bytes::from_static(content), hash)?;
    Some(PageFile { is_compressed: true, ..file })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_files_are_those_of_the_release() {
        for (name, content) in RELEASED {
            let mut line = String::new();
            for byte in Sha256::digest(content) {
                write!(line, "{byte:02x}").unwrap();
            }
            write!(line, "  {name}.gz").unwrap();
            assert!(RELEASE.lines().any(|known| known == line), "{line}");
        }
        let named = ["Swagger UI ", swagger_ui_version(), "\n"].concat();
        assert!(include_str!("swagger_ui/LICENSE.txt").starts_with(&named));
        assert_eq!(embedded().count(), 5);
    }
}
