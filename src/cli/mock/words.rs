//! The words of which plausible values are made.

/// Given names.
pub(super) const GIVEN: [&str; 24] = [
    "Ada", "Amina", "Bela", "Chen", "Dana", "Elif", "Emil", "Farid", "Grace", "Hana", "Ines",
    "Jonas", "Kim", "Lena", "Mateo", "Nora", "Omar", "Paula", "Ravi", "Sofia", "Tariq", "Uma",
    "Viktor", "Yuki",
];

/// Family names.
pub(super) const FAMILY: [&str; 24] = [
    "Adler", "Baker", "Costa", "Demir", "Eriksen", "Fischer", "Garcia", "Haddad", "Ivanova",
    "Jansen", "Khan", "Lee", "Moreau", "Novak", "Okafor", "Peters", "Quinn", "Rossi", "Sato",
    "Tanaka", "Ueda", "Vega", "Weber", "Zhou",
];

/// Cities.
pub(super) const CITIES: [&str; 16] = [
    "Accra", "Berlin", "Bogota", "Cairo", "Dublin", "Hanoi", "Lagos", "Lima", "Lisbon", "Mumbai",
    "Nairobi", "Osaka", "Oslo", "Prague", "Quito", "Toronto",
];

/// Countries.
pub(super) const COUNTRIES: [&str; 16] = [
    "Brazil", "Canada", "Chile", "Egypt", "France", "Germany", "Ghana", "India", "Italy", "Japan",
    "Kenya", "Mexico", "Norway", "Poland", "Spain", "Vietnam",
];

/// Adjectives, the first words of names of things.
pub(super) const ADJECTIVES: [&str; 24] = [
    "amber", "bold", "bright", "calm", "clear", "early", "fair", "gentle", "golden", "grand",
    "green", "happy", "little", "lucky", "modern", "northern", "old", "open", "quiet", "red",
    "silver", "swift", "warm", "young",
];

/// Nouns, the words of titles and sentences.
pub(super) const NOUNS: [&str; 32] = [
    "bridge", "castle", "cloud", "coast", "corner", "desert", "field", "forest", "garden",
    "harbour", "hill", "house", "island", "lake", "lantern", "market", "meadow", "mill", "morning",
    "mountain", "ocean", "orchard", "path", "river", "road", "sky", "station", "stone", "tower",
    "valley", "village", "window",
];

/// Verbs of sentences, between two nouns.
pub(super) const VERBS: [&str; 12] = [
    "crosses", "faces", "finds", "follows", "guards", "keeps", "leads to", "meets", "passes",
    "reaches", "shows", "touches",
];
