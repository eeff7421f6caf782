//! The interface of `schemas/league.yaml`, written in Rust.

use std::time::Duration;

use nouns::{
    Api, Contact, Cors, Date, Decimal, FieldType, Id, Json, License, Resource, Synchronous, Time,
    Timestamp, Uuid,
};

/// A short name for people to read.
#[derive(Clone, Debug, FieldType)]
#[field_type(min_length = 1, max_length = 80)]
struct Label(String);

#[derive(Clone, Debug, FieldType)]
#[field_type(format = email, max_length = 254, ignore_case, example = "kim@example.org")]
struct Email(String);

#[derive(Clone, Debug, FieldType)]
#[field_type(scale = 2, minimum = 0, maximum = 1_000_000)]
struct Money(Decimal);

#[derive(Clone, Debug, FieldType)]
enum Position {
    Keeper,
    Defender,
    Midfielder,
    Forward,
}

#[derive(Clone, Debug, FieldType)]
enum CardColor {
    Yellow,
    Red,
}

#[derive(Clone, Debug, FieldType)]
#[field_type(minimum = 1, maximum = 99)]
struct ShirtNumber(i64);

/// Where a club is at home.
#[derive(Resource)]
#[resource(id = string, cache(max_age = "1h", visibility = public, stale_if_error = "1d"))]
struct Country {
    id: Id<Self>,
    #[resource(unique, example = "Germany")]
    name: Label,
}

/// Somebody who pays for a team.
#[derive(Resource)]
#[resource(id = uuid)]
struct Sponsor {
    id: Id<Self>,
    name: Label,
    #[resource(format = uri, example = "https://shoes.example.org")]
    homepage: Option<String>,
    contact: Option<Email>,
}

/// A team of a club.
#[derive(Resource)]
#[resource(sort = [name], indexes = [[country_id, name]], moved_from = ["/clubs"])]
struct Team {
    id: Id<Self>,
    #[resource(unique, ignore_case, example = "Rovers")]
    name: Label,
    #[resource(format = slug, unique, create_only, example = rovers)]
    slug: String,
    #[resource(default = "de")]
    country_id: Id<Country>,
    #[resource(references(as = captain, on_delete = set_null))]
    captain_id: Option<Id<Player>>,
    #[resource(default = 0)]
    budget: Option<Money>,
    #[resource(minimum = "1850-01-01")]
    founded: Option<Date>,
    #[resource(example = { home = [red, white], away = [blue] })]
    colors: Option<Json>,
}

/// A sponsor that pays for a team.
#[derive(Resource)]
#[resource(parent(resource = Team, on_delete = cascade), unique = [[team_id, sponsor_id]])]
struct Sponsorship {
    id: Id<Self>,
    team_id: Id<Team>,
    #[resource(references(children = sponsorships))]
    sponsor_id: Id<Sponsor>,
    #[resource(minimum = 100, example = 2500)]
    yearly: Money,
    #[resource(default = "$now")]
    since: Option<Date>,
}

/// Somebody who plays for a team.
#[derive(Resource)]
#[resource(parent = Team, routes = both, unique = [[team_id, number]], sort = [-rating, name])]
struct Player {
    id: Id<Self>,
    team_id: Id<Team>,
    name: Label,
    /// The number on the shirt.
    number: Option<ShirtNumber>,
    #[resource(default = midfielder)]
    position: Position,
    #[resource(enum = [amateur, guest], default = amateur, column = "player_type")]
    r#type: Option<String>,
    #[resource(references(on_delete = set_null, children = apprentices))]
    mentor_id: Option<Id<Self>>,
    #[resource(write_only, unique)]
    passport: Option<Uuid>,
    #[resource(default = true, index)]
    active: bool,
    #[resource(minimum = 1, maximum = 2.5, example = 1.84)]
    height_m: Option<f64>,
    #[resource(read_only, default = 1000)]
    rating: i64,
    #[resource(hidden)]
    note: Option<String>,
    #[resource(deprecated, filterable = false, sortable = false)]
    nickname: Option<String>,
}

/// A year of the league.
#[derive(Resource)]
#[resource(sort = [-year], methods = [list, get, create, update])]
struct Season {
    id: Id<Self>,
    #[resource(unique, minimum = 1990, maximum = 2100, example = 2026)]
    year: i64,
    #[resource(enum = [planned, running, over], default = planned)]
    status: String,
}

/// A match of two teams.
#[derive(Resource)]
#[resource(parent = Season, sort = [day, kick_off], limit(default = 50, maximum = 500))]
#[resource(unique = [[season_id, home_id, away_id]], "x-audience" = public)]
#[resource(moved_from = "/seasons/{season_id}/games", precondition = required)]
struct Match {
    id: Id<Self>,
    season_id: Id<Season>,
    #[resource(references(children = home_matches))]
    home_id: Id<Team>,
    #[resource(references(children = away_matches))]
    away_id: Id<Team>,
    day: Date,
    #[resource(default = "15:30:00")]
    kick_off: Option<Time>,
    #[resource(pattern = "^[A-Z]{3}-[0-9]+$", max_length = 12, example = "SUN-12")]
    code: Option<String>,
}

/// Something that happens in a match.
#[derive(Resource)]
#[resource(parent = Match, sort = [minute], timestamps = false)]
struct Event {
    id: Id<Self>,
    match_id: Id<Match>,
    #[resource(minimum = 0, maximum = 120)]
    minute: i64,
    #[resource(references(on_delete = cascade))]
    player_id: Id<Player>,
    #[resource(enum = [0, 1], default = 0)]
    goals: Option<i64>,
    card: Option<CardColor>,
    #[resource(default = "$now", "x-precision" = second)]
    seen_at: Option<Timestamp>,
}

/// A piece of news about a team.
#[derive(Resource)]
#[resource(parent(resource = Team, field = about_team_id), routes = flat, methods = [list, get])]
#[resource(deprecated(
    since = "2026-01-01",
    sunset = "2027-01-01",
    link = "https://league.example.org/changes"
))]
struct NewsItem {
    id: Id<Self>,
    about_team_id: Id<Team>,
    headline: Label,
    #[resource(format = hostname, example = "media.example.org")]
    host: Option<String>,
}

/// Declares the league's interface.
pub(crate) fn api() -> Api {
    let contact = Contact::new().name("League office").url("https://league.example.org/contact");
    Api::new("Sunday league")
        .version("2.1.0")
        .description("Teams, players, matches and results of an amateur league.")
        .contact(contact.email("office@league.example.org"))
        .license(License::new("MIT").identifier("MIT"))
        .base_path("/api/v2")
        .public_url("https://league.example.org")
        .listen("127.0.0.1:8080")
        .database("league.db")
        .synchronous(Synchronous::Normal)
        .query(true)
        .cors(
            Cors::new()
                .origin("https://league.example.org")
                .origin("http://localhost:3000")
                .header("X-Request-Id")
                .max_age(Duration::from_secs(60 * 60)),
        )
        .idempotency_keep(Duration::from_secs(48 * 60 * 60))
        .field_type::<Label>()
        .field_type::<Email>()
        .field_type::<Money>()
        .field_type::<Position>()
        .field_type::<CardColor>()
        .field_type::<ShirtNumber>()
        .resource::<Country>()
        .resource::<Sponsor>()
        .resource::<Team>()
        .resource::<Sponsorship>()
        .resource::<Player>()
        .resource::<Season>()
        .resource::<Match>()
        .resource::<Event>()
        .resource::<NewsItem>()
}
