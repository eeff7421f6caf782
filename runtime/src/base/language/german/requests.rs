//! German translations of texts about the URL, method, header fields and bytes of a request.

use super::Translation;

pub(super) const TABLE: &[Translation] = &[
    ("; did you mean `{near}`?", "; meinten Sie `{near}`?"),
    (
        "A PUT replaces the whole member; send it without `content-range`, or send a PATCH.",
        "Ein PUT ersetzt den ganzen Eintrag; senden Sie ihn ohne `content-range`, oder senden Sie einen PATCH.",
    ),
    (
        "A QUERY must have a `content-type`; {accepted} is accepted.",
        "Eine QUERY muss einen `content-type` haben; angenommen wird {accepted}.",
    ),
    ("A TRACE must not have content.", "Ein TRACE darf keinen Inhalt haben."),
    ("A body has at most {most} bytes here.", "Ein Body hat hier höchstens {most} Bytes."),
    (
        "A member of `{above}` has no collection `{segment}`{end}",
        "Ein Eintrag von `{above}` hat keine Sammlung `{segment}`{end}",
    ),
    (
        "A path with a segment `.` or `..` is not routed.",
        "Ein Pfad mit einem Segment `.` oder `..` wird nicht zugeordnet.",
    ),
    ("A query has at most {most} bytes here.", "Eine Abfrage hat hier höchstens {most} Bytes."),
    (
        "A request with the same `Idempotency-Key` is still being answered; send it again later.",
        "Eine Anfrage mit demselben `Idempotency-Key` wird noch beantwortet; senden Sie sie später noch einmal.",
    ),
    (
        "An `Idempotency-Key` has at most {most} characters.",
        "Ein `Idempotency-Key` hat höchstens {most} Zeichen.",
    ),
    (
        "An `Idempotency-Key` is one text in double quotes, such as `\"8e03978e-40d5\"`, or letters, digits, `-` and `_` without quotes, in one field.",
        "Ein `Idempotency-Key` ist ein Text in doppelten Anführungszeichen wie `\"8e03978e-40d5\"`, oder Buchstaben, Ziffern, `-` und `_` ohne Anführungszeichen, in einem einzigen Header-Feld.",
    ),
    ("An `Idempotency-Key` must not be empty.", "Ein `Idempotency-Key` darf nicht leer sein."),
    (
        "At most {requests} requests in {seconds} seconds are allowed.",
        "In {seconds} Sekunden sind höchstens {requests} Anfragen erlaubt.",
    ),
    (
        "Less than {least} bytes of the body arrived in a second.",
        "Vom Body kamen weniger als {least} Bytes in einer Sekunde an.",
    ),
    (
        "No representation matches `{accept}`; available are: {offered}.",
        "Keine Darstellung passt zu `{accept}`; verfügbar sind: {offered}.",
    ),
    (
        "Send JSON with `content-type: application/json`. Only pages of this server send forms, and browsers say so in `Origin` or `Sec-Fetch-Site`.",
        "Senden Sie JSON mit `content-type: application/json`. Nur Seiten dieses Servers senden Formulare, und Browser sagen das in `Origin` oder `Sec-Fetch-Site`.",
    ),
    (
        "The body ended early, or its framing is invalid.",
        "Der Body endete zu früh, oder seine Übertragung ist fehlerhaft.",
    ),
    (
        "The body has several content codings (`{given}`); one is accepted: {known}.",
        "Der Body hat mehrere Inhaltskodierungen (`{given}`); angenommen wird eine: {known}.",
    ),
    (
        "The body is not valid {coding}, although `content-encoding` names it.",
        "Der Body ist kein gültiges {coding}, obwohl `content-encoding` es nennt.",
    ),
    (
        "The body of a QUERY must be percent-encoded text.",
        "Der Body einer QUERY muss prozentkodierter Text sein.",
    ),
    ("The body takes too long to decompress.", "Der Body braucht zu lange zum Entpacken."),
    ("The body takes too long to parse.", "Der Body braucht zu lange zum Lesen."),
    ("The body took longer than {most} seconds.", "Der Body brauchte länger als {most} Sekunden."),
    (
        "The collection `{segment}` is below a member of `{above}`.",
        "Die Sammlung `{segment}` steht unter einem Eintrag von `{above}`.",
    ),
    (
        "The content coding `{given}` is not supported; {known} are.",
        "Die Inhaltskodierung `{given}` wird nicht unterstützt; unterstützt werden {known}.",
    ),
    (
        "The expectation `{given}` is not known; only `100-continue` is.",
        "Die Erwartung `{given}` ist nicht bekannt; nur `100-continue` ist es.",
    ),
    ("The failure is in the server's log.", "Der Fehler steht im Protokoll des Servers."),
    (
        "The field `Host` differs from `:authority`; send only `:authority`.",
        "Das Feld `Host` weicht von `:authority` ab; senden Sie nur `:authority`.",
    ),
    (
        "The head of the request did not arrive in {seconds} seconds.",
        "Der Kopf der Anfrage kam nicht in {seconds} Sekunden an.",
    ),
    (
        "The header fields have {bytes} bytes; at most {most} are accepted.",
        "Die Header-Felder haben {bytes} Bytes; höchstens {most} werden angenommen.",
    ),
    (
        "The length of the response is unknown, so it needs HTTP/1.1 on a Unix socket.",
        "Die Länge der Antwort ist unbekannt, deshalb braucht sie auf einem Unix-Socket HTTP/1.1.",
    ),
    ("The login or the password is wrong.", "Der Anmeldename oder das Passwort ist falsch."),
    (
        "The media type {given} is not accepted here. Accepted: {accepted}.",
        "Der Medientyp {given} wird hier nicht angenommen. Angenommen werden: {accepted}.",
    ),
    ("The metrics are not served here.", "Die Metriken werden hier nicht ausgeliefert."),
    (
        "The representation has {length} bytes; the requested range has none of them.",
        "Die Darstellung hat {length} Bytes; im verlangten Bereich liegt keines davon.",
    ),
    (
        "The request has several fields `Host`; send one.",
        "Die Anfrage hat mehrere Felder `Host`; senden Sie eines.",
    ),
    (
        "The request has {count} header fields; at most {most} are accepted.",
        "Die Anfrage hat {count} Header-Felder; höchstens {most} werden angenommen.",
    ),
    (
        "The request must have one field `Authorization`.",
        "Die Anfrage muss genau ein Feld `Authorization` haben.",
    ),
    (
        "The request names no host; send it in the field `Host`.",
        "Die Anfrage nennt keinen Host; senden Sie ihn im Feld `Host`.",
    ),
    (
        "The request names no valid host; `Host` has the form `name` or `name:port`.",
        "Die Anfrage nennt keinen gültigen Host; `Host` hat die Form `name` oder `name:port`.",
    ),
    (
        "The request took longer than {seconds} seconds.",
        "Die Anfrage brauchte länger als {seconds} Sekunden.",
    ),
    (
        "The request took longer than {seconds} seconds; whether it has changed anything is unknown. GET the member, or send the request again with its `Idempotency-Key`.",
        "Die Anfrage brauchte länger als {seconds} Sekunden; ob sie etwas geändert hat, ist nicht bekannt. Lesen Sie den Eintrag mit GET, oder senden Sie die Anfrage noch einmal mit ihrem `Idempotency-Key`.",
    ),
    (
        "The scheme of `Authorization` must be {schemes}.",
        "Das Schema von `Authorization` muss {schemes} sein.",
    ),
    (
        "The server does not implement the method `{method}`.",
        "Der Server kennt die Methode `{method}` nicht.",
    ),
    (
        "The server has more requests than it can answer.",
        "Der Server hat mehr Anfragen, als er beantworten kann.",
    ),
    (
        "The server implements HTTP/1.0, HTTP/1.1 and HTTP/2.",
        "Der Server implementiert HTTP/1.0, HTTP/1.1 und HTTP/2.",
    ),
    ("The target `*` is only for OPTIONS.", "Das Ziel `*` ist allein für OPTIONS."),
    ("The target has more than {most} bytes.", "Das Ziel hat mehr als {most} Bytes."),
    (
        "The target of the request has a fragment, which clients keep for themselves; write `#` as `%23`.",
        "Das Ziel der Anfrage hat ein Fragment, das Clients für sich behalten; schreiben Sie `#` als `%23`.",
    ),
    (
        "The target of the request has a user name; send it in `Authorization`.",
        "Das Ziel der Anfrage hat einen Benutzernamen; senden Sie ihn in `Authorization`.",
    ),
    (
        "The target of the request is a URL of another scheme than `http` and `https`.",
        "Das Ziel der Anfrage ist eine URL mit einem anderen Schema als `http` und `https`.",
    ),
    (
        "The target of the request must begin with `/`, or be a URL with `http://` or `https://`.",
        "Das Ziel der Anfrage muss mit `/` beginnen oder eine URL mit `http://` oder `https://` sein.",
    ),
    (
        "The transfer coding `{given}` is not implemented; only `chunked` is.",
        "Die Übertragungscodierung `{given}` ist nicht implementiert; nur `chunked` ist es.",
    ),
    (
        "The {digest} of the body differs from `{field}`.",
        "Der Body hat eine andere {digest} als `{field}`.",
    ),
    ("There is no collection `{segment}`{end}", "Es gibt keine Sammlung `{segment}`{end}"),
    (
        "There is no form: clients cannot write `{name}` in this way.",
        "Es gibt kein Formular: Clients können `{name}` nicht auf diese Weise schreiben.",
    ),
    (
        "There is no such file; a page names the files that it needs.",
        "Diese Datei gibt es nicht; eine Seite nennt die Dateien, die sie braucht.",
    ),
    ("There is no such form.", "Es gibt kein solches Formular."),
    (
        "There is no such kind of problem; `/-/problems` lists them.",
        "Diese Art von Problem gibt es nicht; `/-/problems` zählt alle auf.",
    ),
    ("This host is not served here.", "Dieser Host wird hier nicht bedient."),
    ("This interface is at `{home}`.", "Diese Schnittstelle steht unter `{home}`."),
    (
        "This port uses TLS. Use a URL that begins with `https://`.",
        "Dieser Port verwendet TLS. Verwenden Sie eine URL, die mit `https://` beginnt.",
    ),
    (
        "This program is built without the API reference, the cargo feature `docs-page`; `/openapi.json` describes the interface.",
        "Dieses Programm ist ohne die API-Referenz gebaut, das Cargo-Feature `docs-page`; `/openapi.json` beschreibt die Schnittstelle.",
    ),
    ("This resource has moved.", "Diese Ressource ist umgezogen."),
    (
        "Under `/-/` there are docs, health, ready, metrics and problems.",
        "Unter `/-/` gibt es docs, health, ready, metrics und problems.",
    ),
    (
        "Under `/-/` there are health, ready and metrics, and no more.",
        "Unter `/-/` gibt es health, ready und metrics und sonst nichts.",
    ),
    (
        "`Transfer-Encoding` has `chunked` several times.",
        "`Transfer-Encoding` hat mehrmals `chunked`.",
    ),
    ("`next` must be a path of this server.", "`next` muss ein Pfad dieses Servers sein."),
    (
        "`{method}` is not allowed here; allowed are: {allow}.",
        "`{method}` ist hier nicht erlaubt; erlaubt sind: {allow}.",
    ),
    (
        "`{method}` is not allowed here; allowed are: {allow}. Deletion by a filter needs `delete_many` in the schema.",
        "`{method}` ist hier nicht erlaubt; erlaubt sind: {allow}. Das Löschen mit einem Filter braucht `delete_many` im Schema.",
    ),
    ("`{method}` needs credentials here.", "`{method}` braucht hier Anmeldedaten."),
    (
        "`{name}` is not a list of entity tags. A tag has double quotes, as in the field `ETag`.",
        "`{name}` ist keine Liste von Entity-Tags. Ein Tag steht in doppelten Anführungszeichen, wie im Feld `ETag`.",
    ),
    ("`{path}` has invalid percent-encoding.", "`{path}` ist nicht richtig prozentkodiert."),
    (
        "`{segment}` is not an id of `{name}`; an id is {expected}.",
        "`{segment}` ist keine Id von `{name}`; eine Id ist {expected}.",
    ),
    (
        "`{segment}` is not valid percent-encoded UTF-8.",
        "`{segment}` ist kein gültiges prozentkodiertes UTF-8.",
    ),
    ("a positive whole number", "eine positive ganze Zahl"),
    (
        "a text of 1 to {most} characters without control characters, and not `.` or `..`",
        "ein Text mit 1 bis {most} Zeichen ohne Steuerzeichen und nicht `.` oder `..`",
    ),
    ("its only parameter is `next`", "ihr einziger Parameter ist `next`"),
    ("must be `PATCH`, `PUT` or `DELETE`.", "muss `PATCH`, `PUT` oder `DELETE` sein."),
    ("must be a path of this server.", "muss ein Pfad dieses Servers sein."),
    ("must be an entity tag.", "muss ein Entity-Tag sein."),
];
