#[derive(Resource)]
struct User {
    id: Id<Self>,
    #[resource(unique)]
    name: String,
    password: Password,
}

pub fn api() -> Api {
    Api::new("Users").auth(Auth::of::<User>().login("name").session(Sessions::new().form_field("password"))).resource::<User>()
}
