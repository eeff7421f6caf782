//! The interface of `tests/support/twin.yaml`, written in Rust.

use nouns::{Api, Date, Decimal, Id, Json, Resource, Timestamp};

/// A part of the city.
#[derive(Resource)]
#[resource(sort = [name])]
struct District {
    id: Id<Self>,
    #[resource(unique, ignore_case, max_length = 80)]
    name: String,
}

#[derive(Resource)]
#[resource(parent = District, routes = both, sort = [name], unique = [[district_id, name]])]
struct School {
    id: Id<Self>,
    district_id: Id<District>,
    name: String,
    #[resource(unique)]
    code: Option<String>,
    #[resource(enum = [primary, secondary], default = primary)]
    r#type: Option<String>,
    founded: Option<Date>,
    #[resource(scale = 2, default = 0)]
    budget: Decimal,
    #[resource(references(on_delete = set_null, children = headed_schools))]
    head_teacher_id: Option<Id<Teacher>>,
}

#[derive(Resource)]
#[resource(parent(resource = School, on_delete = cascade), sort = [-year, name])]
#[resource(indexes = [[school_id, teacher_id]])]
struct Class {
    id: Id<Self>,
    school_id: Id<School>,
    name: String,
    #[resource(minimum = 1, maximum = 13)]
    year: i64,
    teacher_id: Option<Id<Teacher>>,
}

#[derive(Resource)]
#[resource(parent(resource = Class, on_delete = cascade), sort = [name], limit(default = 50, maximum = 200))]
struct Pupil {
    id: Id<Self>,
    class_id: Id<Class>,
    name: String,
    #[resource(index)]
    nickname: Option<String>,
    born: Option<Date>,
    #[resource(default = "$now")]
    enrolled_at: Option<Timestamp>,
}

#[derive(Resource)]
#[resource(parent = School, routes = both, id = uuid)]
struct Teacher {
    id: Id<Self>,
    school_id: Id<School>,
    name: String,
    #[resource(unique, ignore_case, format = email)]
    email: Option<String>,
    #[resource(default = true)]
    full_time: bool,
    #[resource(references(on_delete = set_null))]
    mentor_id: Option<Id<Self>>,
    notes: Option<Json>,
    #[resource(write_only)]
    pin: Option<String>,
}

#[derive(Resource)]
#[resource(id = string, timestamps = false)]
struct Subject {
    id: Id<Self>,
    name: String,
}

#[derive(Resource)]
#[resource(indexes = [[class_id, taken_on]])]
struct Exam {
    id: Id<Self>,
    class_id: Id<Class>,
    subject_id: Id<Subject>,
    #[resource(default = 1.5, minimum = 0)]
    weight: Option<f64>,
    taken_on: Option<Date>,
}

/// Declares the schools' interface.
pub(crate) fn api() -> Api {
    Api::new("City schools")
        .resource::<District>()
        .resource::<School>()
        .resource::<Class>()
        .resource::<Pupil>()
        .resource::<Teacher>()
        .resource::<Subject>()
        .resource::<Exam>()
}
