//! The twin of schemas/league.yaml; its items stand in another order than the interface names them.

use std::time::Duration;

use nouns::{Api, Contact, Cors, Date, Decimal, FieldType, Id, Json, License, Resource, Synchronous, Time, Timestamp, Uuid};

/// The interface.
pub fn api() -> Api {
    Api::new("Sunday league")
        .version("2.1.0")
        .description("Teams, players, matches and results of an amateur league.")
        .contact(
            Contact::new()
                .name("League office")
                .url("https://league.example.org/contact")
                .email("office@league.example.org"),
        )
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
                .max_age(Duration::from_secs(3_600)),
        )
        .idempotency_keep(Duration::from_secs(172_800))
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

/// A short name for people to read.
#[derive(FieldType)]
#[field_type(min_length = 1, max_length = 80)]
pub struct Label(String);

#[derive(FieldType)]
#[field_type(format = email, max_length = 254, ignore_case, example = "kim@example.org")]
pub struct Email(String);

#[derive(FieldType)]
#[field_type(scale = 2, minimum = 0, maximum = 1_000_000)]
pub struct Money(rust_decimal::Decimal);

#[derive(FieldType)]
pub enum CardColor {
    Yellow,
    Red,
}

/// A value of `position`.
#[derive(FieldType)]
pub enum Position {
    Keeper,
    Defender,
    Midfielder,
    Forward,
}

#[derive(FieldType)]
#[field_type(minimum = 1, maximum = 99)]
pub struct ShirtNumber(i64);

/// Where a club is at home.
#[derive(Resource)]
#[resource(id = string, cache(max_age = "1h", visibility = public, stale_if_error = "1d"))]
pub struct Country {
    pub id: Id<Self>,
    #[resource(unique, example = "Germany")]
    pub name: Label,
}

/// Somebody who pays for a team.
#[derive(Resource)]
#[resource(id = uuid)]
pub struct Sponsor {
    pub id: Id<Self>,
    pub name: Label,
    #[resource(format = uri, example = "https://shoes.example.org")]
    pub homepage: Option<String>,
    pub contact: Option<Email>,
}

/// A team of a club.
#[derive(Resource)]
#[resource(sort = [name], indexes = [[country_id, name]], moved_from = ["/clubs"])]
pub struct Team {
    pub id: Id<Team>,
    #[resource(unique, ignore_case, example = Rovers)]
    pub name: Label,
    #[resource(format = slug, unique, create_only, example = rovers)]
    pub slug: String,
    #[resource(default = de)]
    pub country_id: Id<Country>,
    #[resource(references(as = captain, on_delete = set_null))]
    pub captain_id: Option<Id<Player>>,
    #[resource(default = 0)]
    pub budget: Option<Money>,
    #[resource(minimum = "1850-01-01")]
    pub founded: Option<jiff::civil::Date>,
    #[resource(example = { home = [red, white], away = [blue] })]
    pub colors: Option<serde_json::Value>,
}

/// A sponsor that pays for a team.
#[derive(Resource)]
#[resource(parent(resource = Team, on_delete = cascade))]
#[resource(unique = [[team_id, sponsor_id]])]
pub struct Sponsorship {
    pub id: Id<Self>,
    pub team_id: Id<Team>,
    #[resource(references(on_delete = restrict, children = sponsorships))]
    pub sponsor_id: Id<Sponsor>,
    #[resource(minimum = 100, example = 2500)]
    pub yearly: Money,
    #[resource(default = "$now")]
    pub since: Option<Date>,
}

/// Somebody who plays for a team.
#[derive(Resource)]
#[resource(parent = crate::Team, routes = both, unique = [[team_id, number]], sort = [-rating, name])]
pub struct Player {
    pub id: nouns::Id<Self>,
    pub team_id: Id<Team>,
    pub name: Label,
    /// The number on the shirt.
    pub number: Option<ShirtNumber>,
    #[resource(default = midfielder)]
    pub position: Position,
    #[resource(enum = [amateur, guest], default = amateur, column = player_type)]
    pub r#type: Option<String>,
    #[resource(references(as = mentor, on_delete = set_null, children = apprentices))]
    pub mentor_id: Option<Id<Self>>,
    #[resource(write_only, unique)]
    pub passport: Option<Uuid>,
    #[resource(default = true, index)]
    pub active: bool,
    #[resource(minimum = 1, maximum = 2.5, example = 1.84)]
    pub height_m: Option<f64>,
    #[resource(read_only, default = 1000)]
    pub rating: i64,
    #[resource(hidden)]
    pub note: Option<String>,
    #[resource(deprecated, filterable = false, sortable = false)]
    pub nickname: Option<String>,
}

/// A year of the league.
#[derive(Resource)]
#[resource(sort = [-year], methods = [list, get, create, update])]
pub struct Season {
    pub id: Id<Self>,
    #[resource(unique, minimum = 1990, maximum = 2100, example = 2026)]
    pub year: i64,
    #[resource(enum = [planned, running, over], default = planned)]
    pub status: String,
}

/// A match of two teams.
#[derive(Resource)]
#[resource(
    parent = Season,
    sort = [day, kick_off],
    limit(default = 50, maximum = 500),
    unique = [[season_id, home_id, away_id]],
    moved_from = "/seasons/{season_id}/games",
    precondition = required,
    "x-audience" = public,
)]
pub struct Match {
    pub id: Id<Self>,
    pub season_id: Id<Season>,
    #[resource(references(children = home_matches))]
    pub home_id: Id<Team>,
    #[resource(references(children = away_matches))]
    pub away_id: Id<Team>,
    pub day: Date,
    #[resource(default = "15:30:00")]
    pub kick_off: Option<Time>,
    #[resource(pattern = "^[A-Z]{3}-[0-9]+$", max_length = 12, example = "SUN-12")]
    pub code: Option<String>,
}

/// Something that happens in a match.
#[derive(Debug, Resource)]
#[resource(parent = Match, sort = [minute], timestamps = false)]
pub struct Event {
    pub id: Id<Self>,
    pub match_id: Id<Match>,
    #[resource(minimum = 0, maximum = 120)]
    pub minute: i64,
    #[resource(references(on_delete = cascade))]
    pub player_id: Id<Player>,
    #[resource(enum = [0, 1], default = 0)]
    pub goals: Option<i64>,
    pub card: Option<CardColor>,
    #[resource(default = "$now", "x-precision" = second)]
    pub seen_at: Option<Timestamp>,
}

/// A piece of news about a team.
#[derive(nouns::Resource)]
#[resource(parent(resource = Team, field = about_team_id), routes = flat, methods = [list, get])]
#[resource(deprecated(since = "2026-01-01", sunset = "2027-01-01", link = "https://league.example.org/changes"))]
pub struct NewsItem {
    pub id: Id<Self>,
    pub about_team_id: Id<Team>,
    pub headline: Label,
    #[resource(format = hostname, example = "media.example.org")]
    pub host: Option<String>,
}

/// Not part of the interface.
pub struct Helper;
