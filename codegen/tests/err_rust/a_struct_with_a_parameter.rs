#[derive(Resource)]
struct Zoo<T> {
    id: Id<Self>,
    name: T,
}
