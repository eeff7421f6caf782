//! German translations. They address the reader as `Sie`. Names in backquotes are not translated.
//!
//! Each English term has one translation:
//!
//! | English | German |
//! |---|---|
//! | resource, collection, member | Ressource, Sammlung, Eintrag |
//! | field; of a header | Feld; Header-Feld |
//! | reference | Verweis |
//! | required | Pflichtfeld |
//! | query, query parameter | Abfrage, Abfrageparameter |
//! | order, key of one | Sortierung, Schlüssel |
//! | request, body, content | Anfrage, Body, Inhalt |
//! | byte | Byte |
//! | string, array, object, boolean | String, Array, Objekt, Wahrheitswert |
//! | media type, content coding, digest | Medientyp, Inhaltskodierung, Prüfsumme |
//! | precondition, state | Vorbedingung, Stand |
//! | representation | Darstellung |
//! | interface | Schnittstelle |
//! | problem, fault, detail | Problem, Fehler, Einzelheiten |

mod bodies;
mod problems;
mod queries;
mod refusals;
mod requests;
mod sign_in;

use super::Translation;

/// All translations; each table has one topic. Each table is sorted by its English texts.
pub(super) const TABLES: [&[Translation]; 6] = [
    bodies::TABLE,
    queries::TABLE,
    requests::TABLE,
    refusals::TABLE,
    sign_in::TABLE,
    problems::TABLE,
];
