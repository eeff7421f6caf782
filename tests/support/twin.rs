//! An interface with every case that a store handles: four levels of nesting, circular and self
//! references, all kinds of ids. `twin.yaml` declares the same in the schema language.

use nouns_runtime::def::{
    AccessDef, ApiDef, DefaultDef, FieldDef, FieldKind, FieldMode, Format, IdKind, LimitDef,
    Literal, OnDelete, Operations, ParentDef, Precondition, ReferenceDef, ResourceDef, Routes,
    SortDef,
};

/// The declaration of the interface.
pub(crate) static API: ApiDef = ApiDef {
    resources: &[&DISTRICT, &SCHOOL, &CLASS, &PUPIL, &TEACHER, &SUBJECT, &EXAM],
    ..ApiDef::new("City schools")
};

static DISTRICT: ResourceDef = ResourceDef {
    name: "district",
    collection: "districts",
    table: "districts",
    rust: "District",
    description: Some("A part of the city."),
    parent: None,
    routes: Routes::Nested,
    id: IdKind::Integer,
    optional_id: false,
    fields: &[FieldDef {
        required: true,
        unique: true,
        ignore_case: true,
        max_length: Some(80),
        ..FieldDef::new("name", FieldKind::String)
    }],
    methods: Operations::DEFAULT,
    sort: &[SortDef { field: "name", descending: false }],
    limit: LimitDef::DEFAULT,
    unique: &[],
    indexes: &[],
    timestamps: true,
    label: None,
    deprecated: None,
    cache: None,
    precondition: Precondition::Optional,
    push: &[],
    moved_from: &[],
    moved_to: None,
    access: AccessDef::EMPTY,
    extensions: &[],
};

static SCHOOL: ResourceDef = ResourceDef {
    name: "school",
    collection: "schools",
    table: "schools",
    rust: "School",
    description: None,
    parent: Some(ParentDef {
        resource: "district",
        field: "district_id",
        on_delete: OnDelete::Restrict,
        movable: false,
        required: true,
    }),
    routes: Routes::Both,
    id: IdKind::Integer,
    optional_id: false,
    fields: &[
        FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) },
        FieldDef { unique: true, ..FieldDef::new("code", FieldKind::String) },
        FieldDef {
            rust: "r#type",
            default: Some(DefaultDef::Value(Literal::String("primary"))),
            choices: &[Literal::String("primary"), Literal::String("secondary")],
            ..FieldDef::new("type", FieldKind::String)
        },
        FieldDef::new("founded", FieldKind::Date),
        FieldDef {
            required: true,
            default: Some(DefaultDef::Value(Literal::String("0.00"))),
            ..FieldDef::new("budget", FieldKind::Decimal { scale: 2 })
        },
        FieldDef {
            reference: Some(ReferenceDef {
                resource: "teacher",
                alias: "head_teacher",
                on_delete: OnDelete::SetNull,
                children: Some("headed_schools"),
            }),
            ..FieldDef::new("head_teacher_id", FieldKind::Reference)
        },
    ],
    methods: Operations::DEFAULT,
    sort: &[SortDef { field: "name", descending: false }],
    limit: LimitDef::DEFAULT,
    unique: &[&["district_id", "name"]],
    indexes: &[],
    timestamps: true,
    label: None,
    deprecated: None,
    cache: None,
    precondition: Precondition::Optional,
    push: &[],
    moved_from: &[],
    moved_to: None,
    access: AccessDef::EMPTY,
    extensions: &[],
};

static CLASS: ResourceDef = ResourceDef {
    name: "class",
    collection: "classes",
    table: "classes",
    rust: "Class",
    description: None,
    parent: Some(ParentDef {
        resource: "school",
        field: "school_id",
        on_delete: OnDelete::Cascade,
        movable: false,
        required: true,
    }),
    routes: Routes::Nested,
    id: IdKind::Integer,
    optional_id: false,
    fields: &[
        FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) },
        FieldDef {
            required: true,
            minimum: Some(Literal::Integer(1)),
            maximum: Some(Literal::Integer(13)),
            ..FieldDef::new("year", FieldKind::Integer)
        },
        FieldDef {
            reference: Some(ReferenceDef {
                resource: "teacher",
                alias: "teacher",
                on_delete: OnDelete::Restrict,
                children: None,
            }),
            ..FieldDef::new("teacher_id", FieldKind::Reference)
        },
    ],
    methods: Operations::DEFAULT,
    sort: &[
        SortDef { field: "year", descending: true },
        SortDef { field: "name", descending: false },
    ],
    limit: LimitDef::DEFAULT,
    unique: &[],
    indexes: &[&["school_id", "teacher_id"]],
    timestamps: true,
    label: None,
    deprecated: None,
    cache: None,
    precondition: Precondition::Optional,
    push: &[],
    moved_from: &[],
    moved_to: None,
    access: AccessDef::EMPTY,
    extensions: &[],
};

static PUPIL: ResourceDef = ResourceDef {
    name: "pupil",
    collection: "pupils",
    table: "pupils",
    rust: "Pupil",
    description: None,
    parent: Some(ParentDef {
        resource: "class",
        field: "class_id",
        on_delete: OnDelete::Cascade,
        movable: false,
        required: true,
    }),
    routes: Routes::Nested,
    id: IdKind::Integer,
    optional_id: false,
    fields: &[
        FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) },
        FieldDef { index: true, ..FieldDef::new("nickname", FieldKind::String) },
        FieldDef::new("born", FieldKind::Date),
        FieldDef {
            default: Some(DefaultDef::Now),
            ..FieldDef::new("enrolled_at", FieldKind::DateTime)
        },
    ],
    methods: Operations::DEFAULT,
    sort: &[SortDef { field: "name", descending: false }],
    limit: LimitDef { default: 50, maximum: 200 },
    unique: &[],
    indexes: &[],
    timestamps: true,
    label: None,
    deprecated: None,
    cache: None,
    precondition: Precondition::Optional,
    push: &[],
    moved_from: &[],
    moved_to: None,
    access: AccessDef::EMPTY,
    extensions: &[],
};

static TEACHER: ResourceDef = ResourceDef {
    name: "teacher",
    collection: "teachers",
    table: "teachers",
    rust: "Teacher",
    description: None,
    parent: Some(ParentDef {
        resource: "school",
        field: "school_id",
        on_delete: OnDelete::Restrict,
        movable: false,
        required: true,
    }),
    routes: Routes::Both,
    id: IdKind::Uuid,
    optional_id: false,
    fields: &[
        FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) },
        FieldDef {
            unique: true,
            ignore_case: true,
            format: Some(Format::Email),
            ..FieldDef::new("email", FieldKind::String)
        },
        FieldDef {
            required: true,
            default: Some(DefaultDef::Value(Literal::Boolean(true))),
            ..FieldDef::new("full_time", FieldKind::Boolean)
        },
        FieldDef {
            reference: Some(ReferenceDef {
                resource: "teacher",
                alias: "mentor",
                on_delete: OnDelete::SetNull,
                children: None,
            }),
            ..FieldDef::new("mentor_id", FieldKind::Reference)
        },
        FieldDef::new("notes", FieldKind::Json),
        FieldDef {
            mode: FieldMode::WriteOnly,
            filterable: false,
            sortable: false,
            ..FieldDef::new("pin", FieldKind::String)
        },
    ],
    methods: Operations::DEFAULT,
    sort: &[],
    limit: LimitDef::DEFAULT,
    unique: &[],
    indexes: &[],
    timestamps: true,
    label: None,
    deprecated: None,
    cache: None,
    precondition: Precondition::Optional,
    push: &[],
    moved_from: &[],
    moved_to: None,
    access: AccessDef::EMPTY,
    extensions: &[],
};

static SUBJECT: ResourceDef = ResourceDef {
    name: "subject",
    collection: "subjects",
    table: "subjects",
    rust: "Subject",
    description: None,
    parent: None,
    routes: Routes::Nested,
    id: IdKind::String,
    optional_id: false,
    fields: &[FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) }],
    methods: Operations::DEFAULT,
    sort: &[],
    limit: LimitDef::DEFAULT,
    unique: &[],
    indexes: &[],
    timestamps: false,
    label: None,
    deprecated: None,
    cache: None,
    precondition: Precondition::Optional,
    push: &[],
    moved_from: &[],
    moved_to: None,
    access: AccessDef::EMPTY,
    extensions: &[],
};

static EXAM: ResourceDef = ResourceDef {
    name: "exam",
    collection: "exams",
    table: "exams",
    rust: "Exam",
    description: None,
    parent: None,
    routes: Routes::Nested,
    id: IdKind::Integer,
    optional_id: false,
    fields: &[
        FieldDef {
            reference: Some(ReferenceDef {
                resource: "class",
                alias: "class",
                on_delete: OnDelete::Restrict,
                children: None,
            }),
            required: true,
            ..FieldDef::new("class_id", FieldKind::Reference)
        },
        FieldDef {
            reference: Some(ReferenceDef {
                resource: "subject",
                alias: "subject",
                on_delete: OnDelete::Restrict,
                children: None,
            }),
            required: true,
            ..FieldDef::new("subject_id", FieldKind::Reference)
        },
        FieldDef {
            default: Some(DefaultDef::Value(Literal::Number(1.5))),
            minimum: Some(Literal::Number(0.0)),
            ..FieldDef::new("weight", FieldKind::Number)
        },
        FieldDef::new("taken_on", FieldKind::Date),
    ],
    methods: Operations::DEFAULT,
    sort: &[],
    limit: LimitDef::DEFAULT,
    unique: &[],
    indexes: &[&["class_id", "taken_on"]],
    timestamps: true,
    label: None,
    deprecated: None,
    cache: None,
    precondition: Precondition::Optional,
    push: &[],
    moved_from: &[],
    moved_to: None,
    access: AccessDef::EMPTY,
    extensions: &[],
};
