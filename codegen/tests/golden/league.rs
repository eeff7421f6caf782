use nouns::{
    Api, Contact, Cors, Date, Decimal, FieldType, Id, Json, License, Resource,
    Synchronous, Time, Timestamp, Uuid,
};
use std::time::Duration;

/// A short name for people to read.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(min_length = 1, max_length = 80)]
pub struct Label(pub String);

/// A value of `email`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(
    ignore_case,
    max_length = 254,
    format = email,
    example = "kim@example.org",
)]
pub struct Email(pub String);

/// A value of `money`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(scale = 2, minimum = "0.00", maximum = "1000000.00")]
pub struct Money(pub Decimal);

/// A value of `position`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FieldType)]
pub enum Position {
    /// The value `keeper`.
    Keeper,
    /// The value `defender`.
    Defender,
    /// The value `midfielder`.
    Midfielder,
    /// The value `forward`.
    Forward,
}

/// A value of `card_color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FieldType)]
pub enum CardColor {
    /// The value `yellow`.
    Yellow,
    /// The value `red`.
    Red,
}

/// A value of `shirt_number`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(minimum = 1, maximum = 99)]
pub struct ShirtNumber(pub i64);

/// Where a club is at home.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    id = string,
    cache(max_age = "1h", stale_if_error = "1d", visibility = public),
)]
pub struct Country {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    #[resource(unique, example = "Germany")]
    pub name: Label,
}

/// Somebody who pays for a team.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id = uuid)]
pub struct Sponsor {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Label,
    /// The field `homepage`.
    #[resource(format = uri, example = "https://shoes.example.org")]
    pub homepage: Option<String>,
    /// The field `contact`.
    pub contact: Option<Email>,
}

/// A team of a club.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(sort = [name], indexes = [[country_id, name]], moved_from = ["/clubs"])]
pub struct Team {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    #[resource(unique, ignore_case, example = "Rovers")]
    pub name: Label,
    /// The field `slug`.
    #[resource(unique, format = slug, create_only, example = "rovers")]
    pub slug: String,
    /// The field `country_id`.
    #[resource(default = "de")]
    pub country_id: Id<Country>,
    /// The field `captain_id`.
    #[resource(references(on_delete = set_null))]
    pub captain_id: Option<Id<Player>>,
    /// The field `budget`.
    #[resource(default = "0.00")]
    pub budget: Option<Money>,
    /// The field `founded`.
    #[resource(minimum = "1850-01-01")]
    pub founded: Option<Date>,
    /// The field `colors`.
    #[resource(example = { home = ["red", "white"], away = ["blue"] })]
    pub colors: Option<Json>,
}

/// A sponsor that pays for a team.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    parent(resource = Team, on_delete = cascade),
    unique = [[team_id, sponsor_id]],
)]
pub struct Sponsorship {
    /// The id.
    pub id: Id<Self>,
    /// The `team` that the member belongs to.
    pub team_id: Id<Team>,
    /// The field `sponsor_id`.
    #[resource(references(children = sponsorships))]
    pub sponsor_id: Id<Sponsor>,
    /// The field `yearly`.
    #[resource(minimum = "100.00", example = "2500.00")]
    pub yearly: Money,
    /// The field `since`.
    #[resource(default = "$now")]
    pub since: Option<Date>,
}

/// Somebody who plays for a team.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    parent = Team,
    routes = both,
    sort = [-rating, name],
    unique = [[team_id, number]],
)]
pub struct Player {
    /// The id.
    pub id: Id<Self>,
    /// The `team` that the member belongs to.
    pub team_id: Id<Team>,
    /// The field `name`.
    pub name: Label,
    /// The number on the shirt.
    pub number: Option<ShirtNumber>,
    /// The field `position`.
    #[resource(default = "midfielder")]
    pub position: Position,
    /// The field `type`.
    #[resource(default = "amateur", enum = [amateur, guest], column = "player_type")]
    pub r#type: Option<String>,
    /// The field `mentor_id`.
    #[resource(references(on_delete = set_null, children = apprentices))]
    pub mentor_id: Option<Id<Player>>,
    /// The field `passport`.
    #[resource(unique, write_only)]
    pub passport: Option<Uuid>,
    /// The field `active`.
    #[resource(default = true, index)]
    pub active: bool,
    /// The field `height_m`.
    #[resource(minimum = 1, maximum = 2.5, example = 1.84)]
    pub height_m: Option<f64>,
    /// The field `rating`.
    #[resource(default = 1000, read_only)]
    pub rating: i64,
    /// The field `note`.
    #[resource(hidden)]
    pub note: Option<String>,
    /// The field `nickname`.
    #[resource(filterable = false, sortable = false, deprecated)]
    pub nickname: Option<String>,
}

/// A year of the league.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(methods = [list, create, get, update], sort = [-year])]
pub struct Season {
    /// The id.
    pub id: Id<Self>,
    /// The field `year`.
    #[resource(unique, minimum = 1990, maximum = 2100, example = 2026)]
    pub year: i64,
    /// The field `status`.
    #[resource(default = "planned", enum = [planned, running, over])]
    pub status: String,
}

/// A match of two teams.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    parent = Season,
    sort = [day, kick_off],
    limit(default = 50, maximum = 500),
    unique = [[season_id, home_id, away_id]],
    precondition = required,
    moved_from = ["/seasons/{season_id}/games"],
    "x-audience" = "public",
)]
pub struct Match {
    /// The id.
    pub id: Id<Self>,
    /// The `season` that the member belongs to.
    pub season_id: Id<Season>,
    /// The field `home_id`.
    #[resource(references(children = home_matches))]
    pub home_id: Id<Team>,
    /// The field `away_id`.
    #[resource(references(children = away_matches))]
    pub away_id: Id<Team>,
    /// The field `day`.
    pub day: Date,
    /// The field `kick_off`.
    #[resource(default = "15:30:00")]
    pub kick_off: Option<Time>,
    /// The field `code`.
    #[resource(max_length = 12, pattern = "^[A-Z]{3}-[0-9]+$", example = "SUN-12")]
    pub code: Option<String>,
}

/// Something that happens in a match.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent = Match, sort = [minute], timestamps = false)]
pub struct Event {
    /// The id.
    pub id: Id<Self>,
    /// The `match` that the member belongs to.
    pub match_id: Id<Match>,
    /// The field `minute`.
    #[resource(minimum = 0, maximum = 120)]
    pub minute: i64,
    /// The field `player_id`.
    #[resource(references(on_delete = cascade))]
    pub player_id: Id<Player>,
    /// The field `goals`.
    #[resource(default = 0, enum = [0, 1])]
    pub goals: Option<i64>,
    /// The field `card`.
    pub card: Option<CardColor>,
    /// The field `seen_at`.
    #[resource(default = "$now", "x-precision" = "second")]
    pub seen_at: Option<Timestamp>,
}

/// A piece of news about a team.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    parent(resource = Team, field = about_team_id),
    routes = flat,
    methods = [list, get],
    deprecated(
        since = "2026-01-01",
        sunset = "2027-01-01",
        link = "https://league.example.org/changes",
    ),
)]
pub struct NewsItem {
    /// The id.
    pub id: Id<Self>,
    /// The `team` that the member belongs to.
    pub about_team_id: Id<Team>,
    /// The field `headline`.
    pub headline: Label,
    /// The field `host`.
    #[resource(format = hostname, example = "media.example.org")]
    pub host: Option<String>,
}

/// The builder of the API.
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
                .max_age(Duration::from_secs(3600)),
        )
        .idempotency_keep(Duration::from_secs(172800))
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
