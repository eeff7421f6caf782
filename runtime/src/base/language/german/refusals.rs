//! German translations of texts about operations that the store refuses or cannot do now.

use super::Translation;

pub(super) const TABLE: &[Translation] = &[
    (
        "A change of a `{name}` needs `If-Match`: GET the collection with the same query, and send its `ETag`.",
        "Eine Änderung von `{name}` braucht `If-Match`: Rufen Sie die Sammlung mit derselben Abfrage durch GET ab und senden Sie ihr `ETag`.",
    ),
    (
        "A change of a `{name}` needs `If-Match`: GET the member, and send its `ETag`.",
        "Eine Änderung von `{name}` braucht `If-Match`: Rufen Sie den Eintrag mit GET ab und senden Sie sein `ETag`.",
    ),
    (
        "A change of a `{name}` needs `If-Match`: GET the member, and send its `ETag`. To create one, send `If-None-Match: *`.",
        "Eine Änderung von `{name}` braucht `If-Match`: Rufen Sie den Eintrag mit GET ab und senden Sie sein `ETag`. Um einen neuen Eintrag anzulegen, senden Sie `If-None-Match: *`.",
    ),
    (
        "A rule of the database refuses this write.",
        "Eine Regel der Datenbank lehnt diesen Schreibvorgang ab.",
    ),
    (
        "A text of a field with an index has too many bytes for the database.",
        "Ein Text eines Feldes mit Index hat zu viele Bytes für die Datenbank.",
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
        "Members of {names} still refer to members of {through}, which would be deleted with this `{name}`; delete or change them first.",
        "Einträge von {names} verweisen noch auf Einträge von {through}, die mit diesem Eintrag von `{name}` gelöscht würden; löschen oder ändern Sie zuerst diese.",
    ),
    (
        "Members of {names} still refer to this `{name}`; delete or change them first.",
        "Einträge von {names} verweisen noch auf diesen Eintrag von `{name}`; löschen oder ändern Sie zuerst diese.",
    ),
    (
        "Omit the field, or send the stored value.",
        "Lassen Sie das Feld weg, oder senden Sie den gespeicherten Wert.",
    ),
    (
        "Omit the field, or send the stored value; a member can move to another parent only if the schema says `movable: true`.",
        "Lassen Sie das Feld weg, oder senden Sie den gespeicherten Wert; ein Eintrag kann nur dann unter einen anderen wechseln, wenn das Schema `movable: true` sagt.",
    ),
    (
        "Other members still refer to members that would be deleted with this `{name}`; delete or change them first.",
        "Andere Einträge verweisen noch auf Einträge, die mit diesem Eintrag von `{name}` gelöscht würden; löschen oder ändern Sie zuerst diese.",
    ),
    (
        "Other writes changed the member during each attempt to apply the patch.",
        "Andere Schreibvorgänge haben den Eintrag während jedes Versuchs geändert, den Patch anzuwenden.",
    ),
    (
        "The collection has changed since the `ETag` in `If-Match`; GET it again.",
        "Die Sammlung hat sich seit dem `ETag` in `If-Match` geändert; rufen Sie sie noch einmal mit GET ab.",
    ),
    (
        "The connection to the database was lost. Whether the write was done is not known.",
        "Die Verbindung zur Datenbank ging verloren. Ob geschrieben wurde, ist nicht bekannt.",
    ),
    (
        "The current representation does not match the precondition.",
        "Die aktuelle Darstellung erfüllt die Vorbedingung nicht.",
    ),
    ("The database is closed.", "Die Datenbank ist geschlossen."),
    ("The database is not available.", "Die Datenbank ist nicht verfügbar."),
    ("The database is overloaded.", "Die Datenbank ist überlastet."),
    (
        "The database was moved to another one, and accepts no changes.",
        "Die Datenbank ist in eine andere umgezogen und nimmt keine Änderungen mehr an.",
    ),
    (
        "The deletion was not done: it would change more than {most} rows, including rows that refer to deleted rows. Delete fewer members at once.",
        "Nichts wurde gelöscht: Es würden mehr als {most} Zeilen geändert, einschließlich der Zeilen, die auf gelöschte verweisen. Löschen Sie weniger Einträge auf einmal.",
    ),
    ("The disk of the database is full.", "Der Datenträger der Datenbank ist voll."),
    (
        "The query has waited too long in the queue.",
        "Die Abfrage hat zu lange in der Warteschlange gewartet.",
    ),
    (
        "The query takes longer than {most} seconds; a narrower filter, or an index for it, makes it faster.",
        "Die Abfrage dauert länger als {most} Sekunden; ein engerer Filter oder ein Index dafür macht sie schneller.",
    ),
    ("The server is stopping.", "Der Server wird beendet."),
    (
        "The write has waited too long in the queue.",
        "Der Schreibvorgang hat zu lange in der Warteschlange gewartet.",
    ),
    (
        "The write was interrupted, and changed nothing: it took longer than {most} seconds.",
        "Der Schreibvorgang wurde abgebrochen und hat nichts geändert: Er dauerte länger als {most} Sekunden.",
    ),
    (
        "There is no `{name}` whose `{field}` is `{login}`.",
        "Es gibt keinen Eintrag `{name}`, dessen `{field}` `{login}` ist.",
    ),
    (
        "There is no {name} `{id}` under {above} `{above_id}`.",
        "Den Eintrag {name} `{id}` gibt es unter {above} `{above_id}` nicht.",
    ),
    ("There is no {name} `{id}`.", "Den Eintrag {name} `{id}` gibt es nicht."),
    ("This URL does not exist.", "Diese URL gibt es nicht."),
    (
        "This `Idempotency-Key` was already used for a request with another body; use a new key.",
        "Dieser `Idempotency-Key` wurde schon für eine Anfrage mit einem anderen Body verwendet; verwenden Sie einen neuen Schlüssel.",
    ),
    (
        "This client has too many exports, or large responses, that it has not read yet.",
        "Dieser Client hat zu viele Exporte oder große Antworten, die er noch nicht gelesen hat.",
    ),
    (
        "This needs credentials, or the member does not exist.",
        "Das braucht Anmeldedaten, oder es gibt den Eintrag nicht.",
    ),
    (
        "Too many after-hooks are waiting, or the database is being closed.",
        "Zu viele Hooks nach Schreibvorgängen warten, oder die Datenbank wird gerade geschlossen.",
    ),
    ("Too many connections are open.", "Zu viele Verbindungen sind offen."),
    ("Too many exports are running.", "Zu viele Exporte laufen."),
    (
        "Too many large responses have not been read by their clients yet.",
        "Zu viele große Antworten wurden von ihren Clients noch nicht gelesen.",
    ),
    ("Too many passwords are waiting.", "Zu viele Passwörter warten."),
    (
        "Too many requests are waiting for the database.",
        "Zu viele Anfragen warten auf die Datenbank.",
    ),
    ("Too many slow queries are waiting.", "Zu viele langsame Abfragen warten."),
    ("Too many writes are waiting.", "Zu viele Schreibvorgänge warten."),
    (
        "You may not change this `{name}`, or not to these values.",
        "Sie dürfen diesen Eintrag von `{name}` nicht ändern, oder nicht auf diese Werte.",
    ),
    (
        "You may not create `{name}` with these values.",
        "Sie dürfen `{name}` mit diesen Werten nicht anlegen.",
    ),
    (
        "You may not create this member, because you may not set all fields that it requires.",
        "Sie dürfen diesen Eintrag nicht anlegen, weil Sie nicht alle Pflichtfelder setzen dürfen.",
    ),
    (
        "You may not delete all of these members of `{name}`; none was deleted.",
        "Sie dürfen nicht alle diese Einträge von `{name}` löschen; keiner wurde gelöscht.",
    ),
    ("You may not delete this `{name}`.", "Sie dürfen diesen Eintrag von `{name}` nicht löschen."),
    ("You may not set `{name}`.", "Sie dürfen `{name}` nicht setzen."),
    ("You may not use `{method}` here.", "Sie dürfen `{method}` hier nicht verwenden."),
    ("`{id}` is not an id of `{name}`.", "`{id}` ist keine Id von `{name}`."),
    ("`{name}` `{id}` exists already.", "Den Eintrag `{name}` `{id}` gibt es schon."),
    (
        "`{name}` `{id}` has changed since the `ETag` in `If-Match`; GET it again.",
        "Der Eintrag `{name}` `{id}` hat sich seit dem `ETag` in `If-Match` geändert; rufen Sie ihn noch einmal mit GET ab.",
    ),
    (
        "`{name}` can only be set when the member is created, and the sent value differs from the stored one.",
        "`{name}` kann nur beim Anlegen des Eintrags gesetzt werden, und der gesendete Wert weicht vom gespeicherten ab.",
    ),
    (
        "`{name}` is read-only, and the sent value differs from the stored one.",
        "`{name}` kann nur gelesen werden, und der gesendete Wert weicht vom gespeicherten ab.",
    ),
    (
        "`{name}` is required to create the member.",
        "`{name}` ist erforderlich, um den Eintrag anzulegen.",
    ),
    ("`{name}`: there is no such member.", "`{name}`: Diesen Eintrag gibt es nicht."),
    (
        "`{name}`: there is no {target} `{id}`.",
        "`{name}`: Den Eintrag {target} `{id}` gibt es nicht.",
    ),
    ("`{name}`: there is no {target}.", "`{name}`: Diesen Eintrag von {target} gibt es nicht."),
    (
        "{sentence} PUT creates a member only if clients choose the ids.",
        "{sentence} PUT legt einen Eintrag nur an, wenn Clients die Ids wählen.",
    ),
];
