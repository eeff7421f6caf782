//! The English plural of a name, by tables and rules. The tables and rules are frozen, because a
//! changed plural changes a URL.
//!
//! A word may be added only if the rules are clearly wrong for it. The key `collection` overrides
//! the plural.

use super::noun::singular_of_plural;

/// The plural of a name. Only its last word changes.
///
/// ```
/// use nouns_codegen::name::plural::plural;
/// assert_eq!([plural("animal_type"), plural("child")], ["animal_types", "children"]);
/// assert_eq!(plural("sheep"), "sheep");
/// ```
#[must_use]
pub fn plural(name: &str) -> String {
    match name.rsplit_once('_') {
        Some((before, last)) => format!("{before}_{}", plural_of(last)),
        None => plural_of(name),
    }
}

/// The name of the collection of a resource, unless it has another: the plural of its name. A name
/// that looks like a plural, but is said to be a noun, has no other plural: `goods`, `scissors`.
///
/// ```
/// use nouns_codegen::name::plural::collection;
/// assert_eq!([collection("good", false), collection("goods", true)], ["goods", "goods"]);
/// ```
#[must_use]
pub fn collection(name: &str, is_noun: bool) -> String {
    match is_noun && singular_of_plural(name).is_some() {
        true => name.to_owned(),
        false => plural(name),
    }
}

/// The plural of one word.
pub(super) fn plural_of(word: &str) -> String {
    if UNCHANGED.contains(&word) {
        return word.to_owned();
    }
    if let Some((_, many)) = IRREGULAR.iter().find(|(one, _)| *one == word) {
        return (*many).to_owned();
    }
    compound(word).unwrap_or_else(|| regular(word))
}

/// The plural of a word that ends in an irregular word, such as `grandchild` or `postman`.
fn compound(word: &str) -> Option<String> {
    if let Some(before) = word.strip_suffix("man").filter(|_| !REGULAR_IN_MAN.contains(&word)) {
        return Some(format!("{before}men"));
    }
    let (one, many) =
        IRREGULAR.iter().find(|(one, _)| IN_COMPOUNDS.contains(one) && word.ends_with(one))?;
    word.strip_suffix(one).map(|before| format!("{before}{many}"))
}

/// The plural by the rules of English spelling.
fn regular(word: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let stem = |count: usize| &word[..word.len() - count];
    if word.ends_with('y') && !ends(&["ay", "ey", "iy", "oy", "uy"]) || word.ends_with("quy") {
        format!("{}ies", stem(1))
    } else if word.ends_with("sis") {
        format!("{}es", stem(2))
    } else if ends(&["s", "x", "z", "ch", "sh"]) || TAKES_ES.contains(&word) {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}

/// Words whose plural equals the singular.
pub(super) const UNCHANGED: &[&str] = &[
    "advice",
    "aircraft",
    "analytics",
    "baggage",
    "barracks",
    "bison",
    "cattle",
    "chassis",
    "corps",
    "crossroads",
    "data",
    "deer",
    "economics",
    "electronics",
    "equipment",
    "ethics",
    "evidence",
    "feedback",
    "firmware",
    "fish",
    "furniture",
    "genetics",
    "hardware",
    "headquarters",
    "homework",
    "hovercraft",
    "information",
    "knowledge",
    "linguistics",
    "logistics",
    "luggage",
    "malware",
    "mathematics",
    "means",
    "mechanics",
    "media",
    "metadata",
    "money",
    "moose",
    "music",
    "news",
    "offspring",
    "optics",
    "physics",
    "police",
    "politics",
    "rice",
    "robotics",
    "salmon",
    "series",
    "sheep",
    "software",
    "spacecraft",
    "species",
    "staff",
    "statistics",
    "swine",
    "traffic",
    "trout",
    "watercraft",
    "weather",
    "wildlife",
];

/// Words with an irregular plural.
pub(super) const IRREGULAR: &[(&str, &str)] = &[
    ("alga", "algae"),
    ("alumna", "alumnae"),
    ("alumnus", "alumni"),
    ("appendix", "appendices"),
    ("axis", "axes"),
    ("bacterium", "bacteria"),
    ("by", "bys"),
    ("cactus", "cacti"),
    ("calf", "calves"),
    ("child", "children"),
    ("criterion", "criteria"),
    ("curriculum", "curricula"),
    ("datum", "data"),
    ("die", "dice"),
    ("elf", "elves"),
    ("epoch", "epochs"),
    ("fez", "fezzes"),
    ("flyby", "flybys"),
    ("foot", "feet"),
    ("fungus", "fungi"),
    ("goose", "geese"),
    ("half", "halves"),
    ("hoof", "hooves"),
    ("knife", "knives"),
    ("larva", "larvae"),
    ("layby", "laybys"),
    ("leaf", "leaves"),
    ("life", "lives"),
    ("loaf", "loaves"),
    ("loch", "lochs"),
    ("louse", "lice"),
    ("man", "men"),
    ("matrix", "matrices"),
    ("matriarch", "matriarchs"),
    ("medium", "media"),
    ("memorandum", "memoranda"),
    ("monarch", "monarchs"),
    ("mouse", "mice"),
    ("nucleus", "nuclei"),
    ("ox", "oxen"),
    ("passerby", "passersby"),
    ("patriarch", "patriarchs"),
    ("person", "people"),
    ("phenomenon", "phenomena"),
    ("quiz", "quizzes"),
    ("radius", "radii"),
    ("scarf", "scarves"),
    ("self", "selves"),
    ("sheaf", "sheaves"),
    ("shelf", "shelves"),
    ("standby", "standbys"),
    ("stimulus", "stimuli"),
    ("stomach", "stomachs"),
    ("tech", "techs"),
    ("thief", "thieves"),
    ("tooth", "teeth"),
    ("vertex", "vertices"),
    ("whiz", "whizzes"),
    ("wife", "wives"),
    ("wolf", "wolves"),
];

/// The irregular words that keep their irregular plural at the end of a longer word, such as
/// `grandchild`.
const IN_COMPOUNDS: &[&str] = &["child", "knife", "leaf", "person", "shelf", "tooth", "wife"];

/// Words that end in `man` and have a regular plural.
const REGULAR_IN_MAN: &[&str] =
    &["brahman", "caiman", "german", "human", "norman", "ottoman", "roman", "shaman", "talisman"];

/// Words that end in `o` and whose plural ends in `es`.
const TAKES_ES: &[&str] = &[
    "buffalo", "domino", "echo", "embargo", "hero", "mango", "mosquito", "potato", "tomato",
    "tornado", "torpedo", "veto", "volcano",
];

/// Singulars that end in `s` and have a regular plural. Words in `ss`, `us` and `is` need no entry.
pub(super) const SINGULARS_IN_S: &[&str] = &[
    "alias",
    "asbestos",
    "atlas",
    "bias",
    "canvas",
    "chaos",
    "cosmos",
    "diabetes",
    "ethos",
    "gallows",
    "hermes",
    "iaas",
    "kudos",
    "lens",
    "mars",
    "paas",
    "pancreas",
    "pathos",
    "rabies",
    "rhinoceros",
    "saas",
    "summons",
    "thermos",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_frozen() {
        let cases = "zoo zoos, animal animals, animal_type animal_types, child children, grandchild grandchildren, person people, \
            salesperson salespeople, category categories, day days, key keys, box boxes, hero heroes, photo photos, sheep sheep, \
            leaf leaves, roof roofs, analysis analyses, basis bases, axis axes, status statuses, datum data, medium media, \
            quiz quizzes, bus buses, gas gases, address addresses, class classes, match matches, dish dishes, stomach stomachs, \
            man men, woman women, postman postmen, human humans, wife wives, knife knives, bookshelf bookshelves, mouse mice, \
            tooth teeth, goose geese, mongoose mongooses, ox oxen, fox foxes, index indexes, matrix matrices, vertex vertices, \
            criterion criteria, news news, series series, species species, fish fish, information information, alias aliases, \
            lens lenses, virus viruses, campus campuses, cactus cacti, city cities, toy toys, soliloquy soliloquies, \
            potato potatoes, piano pianos, video videos, house houses, size sizes, buzz buzzes, waltz waltzes, type2 type2s, \
            home_team home_teams, staff staff, story stories, chief chiefs, belief beliefs, half halves, epoch epochs, \
            church churches, iris irises, life lives, user users, boy boys, equipment equipment, admin admins, fly_by fly_bys, \
            passer_by passer_bys, passerby passersby, standby standbys, hobby hobbies, lobby lobbies";
        for pair in cases.split(", ") {
            let (one, many) = pair.split_once(' ').expect("each case is a singular and a plural");
            assert_eq!(plural(one), many, "{one}");
        }
    }
}
