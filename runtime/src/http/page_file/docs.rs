//! The files of the API reference at `/-/docs`. Swagger UI renders it. Its files are those of the
//! npm package `swagger-ui-dist`, which `update-swagger-ui` fetches and compresses.

use super::{FileContent, PageFile, SEED, hashed};

/// The style sheet of the page, beside that of Swagger UI.
pub(crate) static DOCS_STYLE: PageFile =
    PageFile::new("docs.css", "text/css; charset=utf-8", include_str!("docs.css"));
/// The script that starts Swagger UI.
pub(crate) static DOCS_SCRIPT: PageFile =
    PageFile::new("docs.js", "text/javascript; charset=utf-8", include_str!("docs.js"));
/// The style sheet of Swagger UI.
pub(crate) static SWAGGER_UI_STYLE: PageFile = PageFile::compressed(
    "swagger-ui.css",
    "text/css; charset=utf-8",
    include_bytes!("swagger_ui/swagger-ui.css.gz"),
);
/// Swagger UI, with the libraries that it uses.
pub(crate) static SWAGGER_UI_SCRIPT: PageFile = PageFile::compressed(
    "swagger-ui-bundle.js",
    "text/javascript; charset=utf-8",
    include_bytes!("swagger_ui/swagger-ui-bundle.js.gz"),
);
/// The licences of Swagger UI and of those libraries. The bundle names the file in a comment.
pub(crate) static SWAGGER_UI_LICENSE: PageFile = PageFile::new(
    "swagger-ui-bundle.js.LICENSE.txt",
    "text/plain; charset=utf-8",
    include_str!("swagger_ui/LICENSE.txt"),
);

/// The version of Swagger UI, and the digests of its files.
const RELEASE: &str = include_str!("swagger_ui/VERSION");

/// Returns the version of Swagger UI.
pub(crate) fn swagger_ui_version() -> &'static str {
    RELEASE.lines().next().unwrap_or_default()
}

impl PageFile {
    /// A file of Swagger UI. The hash of its URL is that of the whole release.
    const fn compressed(
        name: &'static str,
        media_type: &'static str,
        content: &'static [u8],
    ) -> Self {
        Self { name, media_type, content: FileContent::Gzip(content), hash: hashed(SEED, RELEASE) }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_files_are_those_of_the_release() {
        for file in [&SWAGGER_UI_SCRIPT, &SWAGGER_UI_STYLE] {
            let FileContent::Gzip(content) = file.content else { panic!("{}", file.name) };
            let mut line = String::new();
            for byte in Sha256::digest(content) {
                write!(line, "{byte:02x}").unwrap();
            }
            write!(line, "  {}.gz", file.name).unwrap();
            assert!(RELEASE.lines().any(|known| known == line), "{line}");
        }
        let named = ["Swagger UI ", swagger_ui_version(), "\n"].concat();
        assert!(include_str!("swagger_ui/LICENSE.txt").starts_with(&named));
    }
}
