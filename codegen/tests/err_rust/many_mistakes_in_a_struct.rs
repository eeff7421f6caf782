#[derive(Resource)]
#[resource(sort = [name, siez], colection = parks, unique =, noun = yes)]
struct Zoo {
    id: Id<Self>,
    name: f32,
    #[resource(minimum = 1u8, uniqe, index)]
    age: i64,
    #[resource(max_length = 5)]
    size: i64,
}
