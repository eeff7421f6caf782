use nouns::{Id, Resource};

#[derive(Resource)]
struct Staff {
    id: Id<Self>,
    name: String,
    #[resource(access(read(any = [{ role = admin }, { where(name = "x") }])))]
    salary: Option<i64>,
}
