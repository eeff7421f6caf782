//! German translations of texts about request bodies and their values.

use super::Translation;

pub(super) const TABLE: &[Translation] = &[
    (
        "A patch cannot remove the whole member; DELETE does.",
        "Ein Patch kann nicht den ganzen Eintrag entfernen; das tut DELETE.",
    ),
    ("A patch has at most {most} operations.", "Ein Patch hat höchstens {most} Operationen."),
    ("A request has at most {most} passwords.", "Eine Anfrage hat höchstens {most} Passwörter."),
    (
        "A value cannot be moved into itself, to `{path}`.",
        "Ein Wert kann nicht in sich selbst verschoben werden, nach `{path}`.",
    ),
    (
        "After the operations, the member is not an object.",
        "Nach den Operationen ist der Eintrag kein Objekt.",
    ),
    (
        "An array cannot be created here; post its members one by one.",
        "Ein Array kann hier nicht angelegt werden; senden Sie seine Einträge einzeln.",
    ),
    ("At `{element}`: {sentence}", "Bei `{element}`: {sentence}"),
    (
        "At most {most} members are created at once.",
        "Höchstens {most} Einträge werden auf einmal angelegt.",
    ),
    ("Element {index}", "Element {index}"),
    (
        "For a JSON Patch send `Content-Type: application/json-patch+json`.",
        "Für einen JSON Patch senden Sie `Content-Type: application/json-patch+json`.",
    ),
    (
        "Nothing can be added at `{path}`: its parent is neither an object nor an array of that length.",
        "Bei `{path}` kann nichts eingefügt werden: darüber ist weder ein Objekt noch ein Array dieser Länge.",
    ),
    ("Omit the field.", "Lassen Sie das Feld weg."),
    (
        "Omit the field; a member can move to another parent only if the schema says `movable: true`.",
        "Lassen Sie das Feld weg; ein Eintrag kann nur dann unter einen anderen wechseln, wenn das Schema `movable: true` sagt.",
    ),
    ("Operation {at} cannot be read: {error}.", "Operation {at} ist nicht lesbar: {error}."),
    (
        "Operation {at} nests the member deeper than {most} levels.",
        "Operation {at} verschachtelt den Eintrag tiefer als {most} Ebenen.",
    ),
    (
        "Operation {at}: `{path}` differs from the tested value.",
        "Operation {at}: `{path}` hat einen anderen Wert als den, auf den geprüft wird.",
    ),
    (
        "Operation {at}: the member differs from the tested value.",
        "Operation {at}: Der Eintrag hat einen anderen Wert als den, auf den geprüft wird.",
    ),
    (
        "Operation {at}: there is nothing at `{path}` to test.",
        "Operation {at}: Unter `{path}` gibt es nichts zu prüfen.",
    ),
    ("Send a value.", "Senden Sie einen Wert."),
    ("Send the same value as in the URL.", "Senden Sie denselben Wert wie in der URL."),
    ("Sign in, or send a value.", "Melden Sie sich an, oder senden Sie einen Wert."),
    ("The array must have at least one element.", "Das Array muss mindestens einen Eintrag haben."),
    (
        "The array must have at most {most} elements.",
        "Das Array darf höchstens {most} Einträge haben.",
    ),
    ("The body", "Der Body"),
    (
        "The body does not have the expected form: {error}.",
        "Der Body hat nicht die erwartete Form: {error}.",
    ),
    ("The body ends too early: {error}.", "Der Body endet zu früh: {error}."),
    ("The body is not JSON: {error}.", "Der Body ist kein JSON: {error}."),
    (
        "The created members are together larger than {most} MiB; send them in several arrays.",
        "Die angelegten Einträge sind zusammen größer als {most} MiB; senden Sie sie in mehreren Arrays.",
    ),
    (
        "The operations up to {at} shift more than {most} elements of arrays; replace the array instead.",
        "Die Operationen bis {at} verschieben mehr als {most} Elemente von Arrays; ersetzen Sie stattdessen das Array.",
    ),
    (
        "The patched member would be larger than a body may be: {most} bytes.",
        "Der geänderte Eintrag wäre größer, als ein Body sein darf: {most} Bytes.",
    ),
    (
        "The query does not have the expected form: {error}.",
        "Die Query hat nicht die erwartete Form: {error}.",
    ),
    (
        "The whole member cannot be moved; name a part of it.",
        "Der ganze Eintrag kann nicht verschoben werden; nennen Sie einen Teil von ihm.",
    ),
    (
        "There is no operation `{op}`; the operations are: {known}.",
        "Es gibt keine Operation `{op}`; es gibt: {known}.",
    ),
    ("There is nothing at `{path}`.", "Unter `{path}` gibt es nichts."),
    (
        "Write it as a JSON number, without quotes.",
        "Schreiben Sie es als JSON-Zahl, ohne Anführungszeichen.",
    ),
    (
        "Write it as a JSON string, in quotes.",
        "Schreiben Sie es als JSON-String, in Anführungszeichen.",
    ),
    ("Write it without quotes.", "Schreiben Sie es ohne Anführungszeichen."),
    (
        "`{field}` is sent more than once; send it once, with the media type of the body.",
        "`{field}` wird mehrfach gesendet; senden Sie es einmal, mit dem Medientyp des Bodys.",
    ),
    (
        "`{name}` does not have the expected form: {error}.",
        "`{name}` hat nicht die erwartete Form: {error}.",
    ),
    (
        "`{name}` is required, and your account has no value for it.",
        "`{name}` ist ein Pflichtfeld, und Ihr Konto hat keinen Wert dafür.",
    ),
    (
        "`{name}` is required, so it must not be null.",
        "`{name}` ist ein Pflichtfeld und darf deshalb nicht null sein.",
    ),
    ("`{name}` is required.", "`{name}` ist ein Pflichtfeld."),
    (
        "`{name}` is required; without it, its value is one of your account.",
        "`{name}` ist ein Pflichtfeld; ohne Angabe kommt der Wert aus Ihrem Konto.",
    ),
    ("`{name}` is set by the server.", "`{name}` wird vom Server gesetzt."),
    ("`{name}` must be {value}, as in the URL.", "`{name}` muss wie in der URL {value} sein."),
    ("`{name}` occurs twice.", "`{name}` kommt zweimal vor."),
    ("`{name}`: {sentence}", "`{name}`: {sentence}"),
    ("`{resource}` has no field `{field}`.", "`{resource}` hat kein Feld `{field}`."),
    ("a JSON value", "ein JSON-Wert"),
    (
        "a UUID of 36 characters, with hyphens",
        "eine UUID mit 36 Zeichen einschließlich der Bindestriche",
    ),
    ("a boolean", "ein Wahrheitswert"),
    ("a decimal number from {least} to {most}", "eine Dezimalzahl von {least} bis {most}"),
    (
        "a decimal number with at most {scale} fraction digits",
        "eine Dezimalzahl mit höchstens {scale} Nachkommastellen",
    ),
    (
        "a decimal number without fraction digits, such as 12",
        "eine Dezimalzahl ohne Nachkommastellen wie 12",
    ),
    ("a decimal number without leading zeros", "eine Dezimalzahl ohne führende Nullen"),
    ("a finite number, such as 2.5", "eine endliche Zahl wie 2.5"),
    ("a host name, such as zoo.example", "ein Hostname wie zoo.example"),
    ("a number", "eine Zahl"),
    (
        "a slug: lower-case letters and digits, joined by single hyphens",
        "ein Slug (Kleinbuchstaben und Ziffern, durch einzelne Bindestriche verbunden)",
    ),
    ("a string", "ein String"),
    (
        "a time of day with at most six fraction digits",
        "eine Uhrzeit mit höchstens sechs Nachkommastellen",
    ),
    (
        "a time whose seconds are at most 59; leap seconds are not supported",
        "eine Zeit mit höchstens 59 Sekunden; Schaltsekunden werden nicht unterstützt",
    ),
    (
        "a valid RFC 3339 date-time with offset, such as 2026-11-20T08:30:00Z",
        "ein gültiger Zeitpunkt nach RFC 3339 mit Zeitversatz wie 2026-11-20T08:30:00Z",
    ),
    ("a valid date, such as 2026-11-20", "ein gültiges Datum wie 2026-11-20"),
    ("a valid time of day, such as 23:59:59", "eine gültige Uhrzeit wie 23:59:59"),
    ("a whole number from {least} to {most}", "eine ganze Zahl von {least} bis {most}"),
    ("a whole number of at least {least}", "eine ganze Zahl ab {least}"),
    ("a whole number of at most {most}", "eine ganze Zahl bis {most}"),
    ("an IPv4 address, such as 192.0.2.1", "eine IPv4-Adresse wie 192.0.2.1"),
    ("an IPv6 address, such as 2001:db8::1", "eine IPv6-Adresse wie 2001:db8::1"),
    ("an absolute URI, such as https://zoo.example/", "ein absoluter URI wie https://zoo.example/"),
    ("an array", "ein Array"),
    ("an e-mail address, such as bella@zoo.example", "eine E-Mail-Adresse wie bella@zoo.example"),
    ("an object", "ein Objekt"),
    ("in the years 0000 to 9999 in UTC", "in UTC in den Jahren 0000 bis 9999"),
    (
        "must be JSON: a text is in double quotes.",
        "muss JSON sein: Ein Text steht in doppelten Anführungszeichen.",
    ),
    (
        "must be a JSON Pointer: segments that each begin with `/`, with `~0` for `~` and `~1` for `/` in them.",
        "muss ein JSON Pointer sein: Abschnitte, die je mit `/` beginnen, mit `~0` für `~` und `~1` für `/` darin.",
    ),
    ("must be a string.", "muss ein String sein."),
    ("must be a whole number from 1 to {most}.", "muss eine ganze Zahl von 1 bis {most} sein."),
    ("must be an array of operations.", "muss ein Array von Operationen sein."),
    ("must be an object, not {found}.", "muss ein Objekt sein, nicht {found}."),
    ("must be an object.", "muss ein Objekt sein."),
    ("must be at least {bound}.", "muss mindestens {bound} sein."),
    ("must be at most {bound}.", "muss höchstens {bound} sein."),
    ("must be one of {choices}.", "muss einer dieser Werte sein: {choices}."),
    ("must be {expected}, not {found}.", "muss {expected} sein, nicht {found}."),
    ("must be {expected}.", "muss {expected} sein."),
    ("must have at least 1 character.", "muss mindestens 1 Zeichen haben."),
    ("must have at least {least} characters.", "muss mindestens {least} Zeichen haben."),
    ("must have at most 1 character.", "muss höchstens 1 Zeichen haben."),
    ("must have at most {most} characters.", "muss höchstens {most} Zeichen haben."),
    ("must match `{pattern}`.", "muss zum Muster `{pattern}` passen."),
    ("null", "null"),
    (
        "one nested deeper than {most} levels",
        "einer, der tiefer als {most} Ebenen verschachtelt ist",
    ),
    ("one of {choices}", "einer der Werte {choices}"),
    (
        "one with a lone surrogate, or a number outside the range of a double",
        "einer mit einem einzelnen Surrogat oder einer Zahl außerhalb des Bereichs von Double",
    ),
    ("text", "Text"),
    ("text without U+0000", "Text ohne U+0000"),
    ("true or false", "true oder false"),
    ("{first}; and {more} more.", "{first}; und noch {more}."),
    ("{subject} {sentence}", "{subject} {sentence}"),
];
