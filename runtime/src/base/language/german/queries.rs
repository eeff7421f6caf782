//! German translations of texts about query parameters.

use super::Translation;

pub(super) const TABLE: &[Translation] = &[
    (
        "A `+` in a query means a space; write it as `%2B`.",
        "Ein `+` in einer Abfrage ist ein Leerzeichen; schreiben Sie es als `%2B`.",
    ),
    ("A filter has at most {most} conditions.", "Ein Filter hat höchstens {most} Bedingungen."),
    (
        "A filter has at most {most} tests, not {count}.",
        "Ein Filter hat höchstens {most} Prüfungen, nicht {count}.",
    ),
    (
        "A filter has at most {most} values, not {count}.",
        "Ein Filter hat höchstens {most} Werte, nicht {count}.",
    ),
    ("A filter has at most {most} values.", "Ein Filter hat höchstens {most} Werte."),
    ("A list has at most {most} values.", "Eine Liste hat höchstens {most} Werte."),
    (
        "A page of {per_page} of these members is larger than {most} MiB; use `per_page={fits}`, or `limit`, which ends a page early.",
        "Eine Seite mit {per_page} dieser Einträge ist größer als {most} MiB; verwenden Sie `per_page={fits}` oder `limit`, mit dem eine zu große Seite früher endet.",
    ),
    (
        "A parameter must have a name before the `=`.",
        "Ein Abfrageparameter muss einen Namen vor dem `=` haben.",
    ),
    (
        "A query has at most {most} parameters.",
        "Eine Abfrage hat höchstens {most} Abfrageparameter.",
    ),
    (
        "A query names fields of `{resource}` itself; only access rules follow references.",
        "Eine Abfrage nennt Felder von `{resource}` selbst; nur Zugriffsregeln folgen Verweisen.",
    ),
    ("An order has at most {most} keys.", "Eine Sortierung hat höchstens {most} Schlüssel."),
    (
        "At most {most} members can be deleted in one request; use a filter that matches fewer members.",
        "In einer Anfrage können höchstens {most} Einträge gelöscht werden; verwenden Sie einen engeren Filter.",
    ),
    (
        "DELETE on a collection needs a filter that selects members, such as `?id=3`.",
        "DELETE auf einer Sammlung braucht einen Filter, der Einträge auswählt, etwa `?id=3`.",
    ),
    (
        "Deleting many members needs a filter; to delete all members, test that `id` is not null.",
        "Viele Einträge zu löschen braucht einen Filter; um alle zu löschen, prüfen Sie, dass `id` nicht null ist.",
    ),
    ("Did you mean `{near}`?", "Meinten Sie `{near}`?"),
    (
        "There is no operator `{op}`; the operators are: {known}.",
        "Es gibt keinen Operator `{op}`; es gibt: {known}.",
    ),
    (
        "Write `T` between the date and the time.",
        "Schreiben Sie `T` zwischen das Datum und die Uhrzeit.",
    ),
    (
        "`after` and `before` cannot be combined; use one of them.",
        "`after` und `before` passen nicht zueinander; verwenden Sie eines von beiden.",
    ),
    (
        "`before` is not supported in typed queries; use `after`.",
        "`before` wird in typisierten Abfragen nicht unterstützt; verwenden Sie `after`.",
    ),
    (
        "`between` takes two values with a comma between them.",
        "`between` nimmt zwei Werte mit einem Komma dazwischen.",
    ),
    ("`count` must be true or false.", "`count` muss true oder false sein."),
    (
        "`fields` is not supported in typed queries, which return whole members.",
        "`fields` wird in typisierten Abfragen nicht unterstützt, die ganze Einträge liefern.",
    ),
    (
        "`fields` must be a list of field names with commas between them.",
        "`fields` muss eine Liste von Feldnamen mit Kommas dazwischen sein.",
    ),
    (
        "`format` is not supported in typed queries, which return Rust values.",
        "`format` wird in typisierten Abfragen nicht unterstützt, die Rust-Werte liefern.",
    ),
    (
        "`format` must be one of {known}, not `{found}`.",
        "`format` muss eines von {known} sein, nicht `{found}`.",
    ),
    ("`null` takes true or false.", "`null` nimmt true oder false."),
    ("`offset` is larger than any collection.", "`offset` ist größer als jede Sammlung."),
    (
        "`order` cannot be combined with `-` in `sortby`; use one of them.",
        "`order` passt nicht zu `-` in `sortby`; verwenden Sie eines von beiden.",
    ),
    (
        "`order` must be asc or desc, or one of them for each key.",
        "`order` muss asc oder desc sein, oder eines davon für jeden Schlüssel.",
    ),
    (
        "`order` must be one direction, or one for each key of `sortby`.",
        "`order` muss eine einzige Richtung sein, oder eine für jeden Schlüssel von `sortby`.",
    ),
    (
        "`order` needs `sortby`, which says what to sort by.",
        "`order` braucht `sortby`, das sagt, wonach sortiert wird.",
    ),
    (
        "`page` and `per_page` cannot be combined with `limit` and `offset`; use one pair.",
        "`page` und `per_page` passen nicht zu `limit` und `offset`; verwenden Sie eines der Paare.",
    ),
    (
        "`page` times `per_page` is larger than any collection.",
        "`page` mal `per_page` ist größer als jede Sammlung.",
    ),
    ("`sortby` has at most {most} keys.", "`sortby` hat höchstens {most} Schlüssel."),
    (
        "`{name}` cannot be combined with `offset`, `page` and `per_page`; use `limit` with it.",
        "`{name}` passt nicht zu `offset`, `page` und `per_page`; verwenden Sie dazu `limit`.",
    ),
    (
        "`{name}` holds JSON, which can only be tested for null.",
        "`{name}` enthält JSON, das nur auf null geprüft werden kann.",
    ),
    (
        "`{name}` holds JSON, which has no order.",
        "`{name}` enthält JSON, das keine Reihenfolge hat.",
    ),
    (
        "`{name}` holds a password, which can only be tested for null.",
        "`{name}` enthält ein Passwort, das nur auf null geprüft werden kann.",
    ),
    (
        "`{name}` holds a password, which has no order.",
        "`{name}` enthält ein Passwort, das keine Reihenfolge hat.",
    ),
    (
        "`{name}` is a cursor of another collection, filter or order; use it with its own query.",
        "`{name}` ist ein Cursor einer anderen Sammlung, eines anderen Filters oder einer anderen Sortierung; er gehört zu seiner eigenen Abfrage.",
    ),
    (
        "`{name}` is not a field to filter by.",
        "Nach dem Feld `{name}` kann nicht gefiltert werden.",
    ),
    (
        "`{name}` is not a field to sort by; these are: {known}.",
        "Nach `{name}` kann nicht sortiert werden; möglich sind: {known}.",
    ),
    ("`{name}` is not supported by DELETE.", "`{name}` wird von DELETE nicht unterstützt."),
    (
        "`{name}` is not supported by a deletion.",
        "`{name}` wird von einer Löschung nicht unterstützt.",
    ),
    (
        "`{name}` is not supported by this request; {what_has}.",
        "`{name}` wird von dieser Anfrage nicht unterstützt; {what_has}.",
    ),
    ("`{name}` is not supported yet.", "`{name}` wird noch nicht unterstützt."),
    (
        "`{name}` must be a cursor from the links of a page.",
        "`{name}` muss ein Cursor aus den Links einer Seite sein.",
    ),
    (
        "`{name}` must be a whole number from {least} to {most}.",
        "`{name}` muss eine ganze Zahl von {least} bis {most} sein.",
    ),
    (
        "`{name}` must be a whole number from {least}.",
        "`{name}` muss eine ganze Zahl ab {least} sein.",
    ),
    (
        "`{name}` must be {expected}, not `{found}`.",
        "`{name}` muss {expected} sein, nicht `{found}`.",
    ),
    ("`{name}` must be {expected}.", "`{name}` muss {expected} sein."),
    ("`{name}` occurs more than once.", "`{name}` kommt mehr als einmal vor."),
    ("`{name}` occurs twice in `{parameter}`.", "`{name}` kommt in `{parameter}` zweimal vor."),
    ("`{name}` occurs twice in the order.", "`{name}` kommt in der Sortierung zweimal vor."),
    (
        "`{name}` takes no operator; for a field with that name, write `filter[{name}][…]`.",
        "`{name}` nimmt keinen Operator; für ein Feld mit diesem Namen schreiben Sie `filter[{name}][…]`.",
    ),
    (
        "`{op}` is only for text, and `{name}` is not text.",
        "`{op}` ist nur für Text, und `{name}` ist keiner.",
    ),
    (
        "`{part}` is not valid percent-encoded UTF-8 (a literal `%` is `%25`).",
        "`{part}` ist kein gültiges prozentkodiertes UTF-8 (ein wörtliches `%` ist `%25`).",
    ),
    (
        "`{resource}` has no field or parameter `{name}`.",
        "`{resource}` hat weder ein Feld noch einen Abfrageparameter `{name}`.",
    ),
    (
        "a filter is `field`, `field[op]` or `filter[field][op]`.",
        "ein Filter ist `field`, `field[op]` oder `filter[field][op]`.",
    ),
    (
        "a value; to test for null, use `is_null`",
        "ein Wert; um auf null zu prüfen, gibt es `is_null`",
    ),
    ("it takes no parameters", "sie nimmt keine Abfrageparameter"),
    ("its only parameter is `format`", "ihr einziger Abfrageparameter ist `format`"),
    (
        "its order supports only `offset` pagination",
        "ihre Sortierung unterstützt Seiten nur mit `offset`",
    ),
    (
        "its parameters are `fields` and `format`",
        "ihre Abfrageparameter sind `fields` und `format`",
    ),
    ("{expected}, not {found}", "{expected}, nicht {found}"),
    (
        "{near} For this field it ignores the case of ASCII letters.",
        "{near} Bei diesem Feld unterscheidet es nicht zwischen großen und kleinen ASCII-Buchstaben.",
    ),
    (
        "{near} It is case-sensitive, unless the schema says `ignore_case: true`.",
        "{near} Es unterscheidet Groß- und Kleinbuchstaben, außer wenn das Schema `ignore_case: true` sagt.",
    ),
];
