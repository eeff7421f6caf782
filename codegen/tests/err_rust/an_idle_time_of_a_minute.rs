#[derive(Resource)]
struct User {
    id: Id<Self>,
    #[resource(unique)]
    name: String,
    password: Password,
}

pub fn api() -> Api {
    Api::new("Users").auth(Auth::of::<User>().login("name").session(Sessions::new().idle(Duration::from_mins(1)))).resource::<User>()
}
