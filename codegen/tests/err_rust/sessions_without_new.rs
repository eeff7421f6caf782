#[derive(Resource)]
struct User {
    id: Id<Self>,
    #[resource(unique)]
    name: String,
    password: Password,
}

pub fn api() -> Api {
    Api::new("Users").auth(Auth::of::<User>().login("name").session(my_sessions())).resource::<User>()
}
