//! The files of the web pages: templates, a style sheet, a script and an icon, and those of the API
//! reference. They are embedded in the program.

#[cfg(feature = "docs-page")]
mod docs;

use bytes::Bytes;

#[cfg(feature = "docs-page")]
pub(crate) use self::docs::swagger_ui_version;
use crate::base::hash::StableHasher;

/// A file that the web pages load from this server. Its URL contains a hash of its content, so a
/// browser may cache it for ever.
#[derive(Debug, PartialEq, Eq)]
pub struct PageFile {
    /// The name of the file, which is the last segment of its URL.
    pub(crate) name: String,
    /// The media type of the file.
    pub(crate) media_type: &'static str,
    /// The content of the file.
    pub(crate) content: Bytes,
    /// Whether the content is compressed with gzip, as that of large embedded files is.
    pub(crate) is_compressed: bool,
    /// The hash of the content.
    pub(crate) hash: u64,
    /// The path of the file, relative to the base URL.
    pub(crate) path: String,
}

/// A template of the web pages.
pub(crate) struct PageTemplate {
    /// The name of the file.
    pub(crate) name: &'static str,
    /// The text of the template.
    pub(crate) text: &'static str,
    /// The purpose of the template.
    pub(crate) purpose: &'static str,
    /// The variables that the template has.
    pub(crate) variables: TemplateVariables,
}

/// The variables that a template has.
pub(crate) enum TemplateVariables {
    /// Those of all pages, and these.
    Page(&'static [&'static str]),
    /// These alone, since the page extends no other.
    #[cfg(feature = "docs-page")]
    Own(&'static [&'static str]),
    /// Those of the page that the template is a part of.
    Part,
}

/// The style sheet of all pages.
pub(crate) const STYLE: &str = "page.css";
/// The script of all pages. The pages work without it.
pub(crate) const SCRIPT: &str = "page.js";
/// The icon that browsers show beside the title of a page.
pub(crate) const ICON: &str = "icon.svg";

/// Returns the embedded files that pages load.
pub(crate) fn embedded() -> impl Iterator<Item = PageFile> {
    let texts = [
        (STYLE, include_str!("page_file/page.css")),
        (SCRIPT, include_str!("page_file/page.js")),
        (ICON, include_str!("page_file/icon.svg")),
    ];
    let files = texts.into_iter().filter_map(|(name, text)| PageFile::new(name, text));
    #[cfg(feature = "docs-page")]
    let files = files.chain(docs::embedded());
    files
}

/// The media types of files, by the ends of their names.
pub(crate) const MEDIA_TYPES: &[(&str, &str)] = &[
    (".css", "text/css; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".svg", "image/svg+xml"),
    (".png", "image/png"),
    (".jpg", "image/jpeg"),
    (".webp", "image/webp"),
    (".ico", "image/x-icon"),
    (".woff2", "font/woff2"),
    (".txt", "text/plain; charset=utf-8"),
];

/// The variables that each page has.
pub(crate) const FRAME_VARIABLES: &[&str] = &[
    "interface",
    "title",
    "style",
    "script",
    "icon",
    "files",
    "watch",
    "crumbs",
    "session",
    "curl",
    "json",
];

/// The templates of the pages.
pub(crate) const TEMPLATES: &[PageTemplate] = &[
    PageTemplate {
        name: "layout.html",
        text: include_str!("page_file/layout.html"),
        purpose: "the frame of all pages but the API reference",
        variables: TemplateVariables::Part,
    },
    PageTemplate {
        name: "home.html",
        text: include_str!("page_file/home.html"),
        purpose: "the home page",
        variables: TemplateVariables::Page(&[
            "version",
            "description",
            "docs",
            "diagram",
            "resources",
        ]),
    },
    PageTemplate {
        name: "collection.html",
        text: include_str!("page_file/collection.html"),
        purpose: "a collection",
        variables: TemplateVariables::Page(&[
            "heading",
            "description",
            "deprecated",
            "path",
            "new",
            "member",
            "columns",
            "sort",
            "rows",
            "filter",
            "tallies",
            "prev",
            "next",
            "total",
            "exports",
        ]),
    },
    PageTemplate {
        name: "member.html",
        text: include_str!("page_file/member.html"),
        purpose: "a member",
        variables: TemplateVariables::Page(&[
            "heading",
            "kind",
            "description",
            "deprecated",
            "edit",
            "delete",
            "alert",
            "fields",
            "children",
            "referrers",
        ]),
    },
    PageTemplate {
        name: "form.html",
        text: include_str!("page_file/form.html"),
        purpose: "the form for a member",
        variables: TemplateVariables::Page(&[
            "heading",
            "description",
            "action",
            "inputs",
            "button",
            "cancel",
            "alert",
            "conflicts",
            "is_blocked",
            "created",
        ]),
    },
    PageTemplate {
        name: "sign_in.html",
        text: include_str!("page_file/sign_in.html"),
        purpose: "the form to sign in",
        variables: TemplateVariables::Page(&[
            "action", "login", "password", "entered", "alert", "created",
        ]),
    },
    PageTemplate {
        name: "alert.html",
        text: include_str!("page_file/alert.html"),
        purpose: "why a form was refused",
        variables: TemplateVariables::Part,
    },
    PageTemplate {
        name: "reference.html",
        text: include_str!("page_file/reference.html"),
        purpose: "the input of a reference",
        variables: TemplateVariables::Part,
    },
    PageTemplate {
        name: "watch.html",
        text: include_str!("page_file/watch.html"),
        purpose: "the mistake in a watched file",
        variables: TemplateVariables::Part,
    },
    #[cfg(feature = "docs-page")]
    PageTemplate {
        name: "docs.html",
        text: include_str!("page_file/docs.html"),
        purpose: "the API reference",
        variables: TemplateVariables::Own(docs::VARIABLES),
    },
];

impl PageTemplate {
    /// Whether the template is a page, and not a part of pages.
    pub(crate) const fn is_page(&self) -> bool {
        !matches!(self.variables, TemplateVariables::Part)
    }
}

impl PageFile {
    /// A file with this content. `None` if the name has no end that tells a media type.
    pub(crate) fn new(name: impl Into<String>, content: impl Into<Bytes>) -> Option<Self> {
        let content = content.into();
        let hash = StableHasher::new().bytes(&content).finish();
        Self::hashed(name.into(), content, hash)
    }

    fn hashed(name: String, content: Bytes, hash: u64) -> Option<Self> {
        let (_, media_type) = *MEDIA_TYPES.iter().find(|(end, _)| name.ends_with(end))?;
        let path = format!("/-/pages/{hash:016x}/{name}");
        Some(Self { name, media_type, content, is_compressed: false, hash, path })
    }
}
