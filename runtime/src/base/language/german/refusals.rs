//! German translations of texts about operations that the store refuses or cannot do now.

use super::Translation;

pub(super) const TABLE: &[Translation] = &[
    (
        "A change of a `{name}` must say which state it changes: GET it, and send the `ETag` in `If-Match`.",
        "Eine Änderung von `{name}` muss sagen, welchen Stand sie ändert: Rufen Sie ihn mit GET ab und senden Sie das `ETag` in `If-Match`.",
    ),
    (
        "A change of a `{name}` must say which state it changes: GET it, and send the `ETag` in `If-Match`. To create one, send `If-None-Match: *`.",
        "Eine Änderung von `{name}` muss sagen, welchen Stand sie ändert: Rufen Sie ihn mit GET ab und senden Sie das `ETag` in `If-Match`. Um einen neuen Eintrag anzulegen, senden Sie `If-None-Match: *`.",
    ),
    (
        "A change of a `{name}` must say which state it changes: GET the collection with the same query, and send the `ETag` in `If-Match`.",
        "Eine Änderung von `{name}` muss sagen, welchen Stand sie ändert: Rufen Sie die Sammlung mit derselben Abfrage durch GET ab und senden Sie das `ETag` in `If-Match`.",
    ),
    (
        "A request with this `Idempotency-Key` and another body was answered before; send this one with a key of its own.",
        "Eine Anfrage mit diesem `Idempotency-Key` und einem anderen Body wurde schon beantwortet; senden Sie diese mit einem eigenen Schlüssel.",
    ),
    (
        "Another `{name}` already has the same `{field}`.",
        "Ein anderer Eintrag von `{name}` hat schon denselben Wert in `{field}`.",
    ),
    (
        "Another `{name}` already has the same value in a field that is not returned.",
        "Ein anderer Eintrag von `{name}` hat schon denselben Wert in einem Feld, das nicht gezeigt wird.",
    ),
    (
        "Another `{name}` already has the same {first} and `{last}`.",
        "Ein anderer Eintrag von `{name}` hat schon dieselben Werte in {first} und `{last}`.",
    ),
    (
        "Another program has locked the database.",
        "Ein anderes Programm hat die Datenbank gesperrt.",
    ),
    (
        "Finding the length of this export took too long. Without `Range`, it is sent at once.",
        "Die Länge dieses Exports zu ermitteln dauerte zu lange. Ohne `Range` wird er sofort gesendet.",
    ),
    (
        "Leave it out, or repeat what is stored.",
        "Lassen Sie es weg oder wiederholen Sie, was gespeichert ist.",
    ),
    (
        "Leave it out, or repeat what is stored; a member can move to another parent only if the schema says `movable: true`.",
        "Lassen Sie es weg, oder wiederholen Sie, was gespeichert ist; ein Eintrag kommt nur dort unter einen anderen, wo das Schema `movable: true` sagt.",
    ),
    (
        "Members of others still refer to what would be deleted with this `{name}`; delete or change them first.",
        "Einträge anderer Sammlungen verweisen noch auf das, was mit diesem Eintrag von `{name}` gelöscht würde; löschen oder ändern Sie zuerst diese.",
    ),
    (
        "Members of {names} still refer to members of {through}, which would be deleted with this `{name}`; delete or change them first.",
        "Einträge von {names} verweisen noch auf Einträge von {through}, die mit diesem Eintrag von `{name}` gelöscht würden; löschen oder ändern Sie zuerst diese.",
    ),
    (
        "Members of {names} still refer to this `{name}`; delete or change them first.",
        "Einträge von {names} verweisen noch auf diesen Eintrag von `{name}`; löschen oder ändern Sie zuerst diese.",
    ),
    (
        "Other writes changed the member each time that the patch was tried.",
        "Andere Änderungen am Eintrag kamen jedem Versuch des Patches zuvor.",
    ),
    (
        "The current representation does not match the precondition.",
        "Die aktuelle Darstellung erfüllt die Vorbedingung nicht.",
    ),
    ("The database is closed.", "Die Datenbank ist geschlossen."),
    ("The database is not available.", "Die Datenbank ist nicht verfügbar."),
    ("The database is overloaded.", "Die Datenbank ist überlastet."),
    (
        "The deletion was not done: it would change more than {most} rows, with those that refer to what it deletes. Delete in smaller parts.",
        "Nichts wurde gelöscht: Es würden mehr als {most} Zeilen geändert, mit denen, die auf das Gelöschte verweisen. Löschen Sie in kleineren Teilen.",
    ),
    ("The disk of the database is full.", "Der Datenträger der Datenbank ist voll."),
    (
        "The query has waited too long for its turn.",
        "Die Abfrage hat zu lange gewartet, bis sie an der Reihe war.",
    ),
    (
        "The query takes longer than {most} seconds; a narrower filter, or an index for it, makes it faster.",
        "Die Abfrage dauert länger als {most} Sekunden; ein engerer Filter oder ein Index dafür macht sie schneller.",
    ),
    (
        "The write has waited too long for its turn.",
        "Der Schreibvorgang hat zu lange gewartet, bis er an der Reihe war.",
    ),
    (
        "The write was not done: it takes longer than {most} seconds.",
        "Der Schreibvorgang wurde nicht ausgeführt: Er dauert länger als {most} Sekunden.",
    ),
    (
        "There is no {name} `{id}` under {above} `{above_id}`.",
        "Den Eintrag {name} `{id}` gibt es unter {above} `{above_id}` nicht.",
    ),
    ("There is no {name} `{id}`.", "Den Eintrag {name} `{id}` gibt es nicht."),
    ("There is nothing here.", "Hier gibt es nichts."),
    (
        "Too many after-hooks are waiting, or the database is being closed.",
        "Zu viele Schreibvorgänge warten auf das, was ihnen folgt, oder die Datenbank wird gerade geschlossen.",
    ),
    ("Too many exports are running.", "Zu viele Exporte laufen."),
    (
        "Too many large responses wait for their clients to read them.",
        "Zu viele große Antworten warten darauf, dass ihre Clients sie lesen.",
    ),
    ("Too many requests wait for the database.", "Zu viele Anfragen warten auf die Datenbank."),
    ("Too many slow queries wait.", "Zu viele langsame Abfragen warten."),
    ("Too many writes wait.", "Zu viele Schreibvorgänge warten."),
    (
        "You may not write such a member of `{name}`.",
        "Ein solches Element von `{name}` dürfen Sie nicht schreiben.",
    ),
    ("`{id}` is not an id of `{name}`.", "`{id}` ist keine Id von `{name}`."),
    ("`{name}` `{id}` exists already.", "Den Eintrag `{name}` `{id}` gibt es schon."),
    (
        "`{name}` `{id}` has changed since that `ETag`; GET it again.",
        "Der Eintrag `{name}` `{id}` hat sich seit diesem `ETag` geändert; rufen Sie ihn noch einmal mit GET ab.",
    ),
    (
        "`{name}` is read-only, and its value is different.",
        "`{name}` kann nur gelesen werden und hat einen anderen Wert.",
    ),
    (
        "`{name}` is required to create the member.",
        "`{name}` ist erforderlich, um den Eintrag anzulegen.",
    ),
    (
        "`{name}` is set when the member is created, and its value is different.",
        "`{name}` wird beim Anlegen des Eintrags gesetzt und hat einen anderen Wert.",
    ),
    ("`{name}`: there is no such member.", "`{name}`: Diesen Eintrag gibt es nicht."),
    (
        "`{name}`: there is no {target} `{id}`.",
        "`{name}`: Den Eintrag {target} `{id}` gibt es nicht.",
    ),
    ("`{name}`: there is no {target}.", "`{name}`: Diesen Eintrag von {target} gibt es nicht."),
];
