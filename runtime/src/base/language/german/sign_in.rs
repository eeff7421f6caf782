//! German translations of texts about signing in, sessions and tokens.

use super::Translation;

pub(super) const TABLE: &[Translation] = &[
    (
        "A page of another site has sent this request. Pages of other origins may do so if they are declared under `cors`.",
        "Eine Seite einer anderen Website hat diese Anfrage gesendet. Seiten anderer Origins dürfen das, wenn sie unter `cors` deklariert sind.",
    ),
    (
        "Another password or login of your own needs your present password.",
        "Ein anderes eigenes Passwort oder ein anderer Anmeldename braucht Ihr jetziges Passwort.",
    ),
    (
        "Send JSON here. A form needs the field `Origin` or `Sec-Fetch-Site`, which browsers add.",
        "Senden Sie hier JSON. Ein Formular braucht das Header-Feld `Origin` oder `Sec-Fetch-Site`, das Browser hinzufügen.",
    ),
    (
        "Send the present password, or sign in again.",
        "Senden Sie das jetzige Passwort, oder melden Sie sich neu an.",
    ),
    ("Sessions are not available.", "Sitzungen sind nicht verfügbar."),
    (
        "Sign in at `{url}`; `Authorization` is not supported.",
        "Melden Sie sich unter `{url}` an; `Authorization` wird nicht unterstützt.",
    ),
    (
        "Sign in with a password: a token of another issuer is not enough here.",
        "Melden Sie sich mit einem Passwort an: Ein Token eines anderen Ausstellers genügt hier nicht.",
    ),
    (
        "The body is not valid JSON, at line {line}, column {column}.",
        "Der Body ist kein gültiges JSON, in Zeile {line}, Spalte {column}.",
    ),
    ("The body must be percent-encoded text.", "Der Body muss prozentkodierter Text sein."),
    ("The request has no session.", "Die Anfrage hat keine Sitzung."),
    (
        "The token does not exist, or it has expired or was revoked.",
        "Das Token gibt es nicht, oder es ist abgelaufen oder wurde widerrufen.",
    ),
    ("The token does not have the scope `{scope}`.", "Das Token hat nicht den Umfang `{scope}`."),
    ("The token has expired.", "Das Token ist abgelaufen."),
    (
        "The token is not for this API; it needs the right `iss` and `aud`, and `exp`.",
        "Das Token ist nicht für diese API; es braucht das richtige `iss` und `aud`, und `exp`.",
    ),
    (
        "The token is not signed with a key that is accepted here.",
        "Das Token ist nicht mit einem Schlüssel signiert, der hier gilt.",
    ),
    ("The token is not valid yet.", "Das Token gilt noch nicht."),
    ("The token names no account.", "Das Token nennt kein Konto."),
    ("There are too many sessions.", "Es gibt zu viele Sitzungen."),
    (
        "There were too many wrong passwords. Try again in {seconds} seconds.",
        "Es gab zu viele falsche Passwörter. Versuchen Sie es in {seconds} Sekunden noch einmal.",
    ),
    ("Tokens cannot be verified now.", "Token können gerade nicht geprüft werden."),
    ("Too many sessions begin or end.", "Es beginnen oder enden zu viele Sitzungen."),
    ("You have no session `{id}`.", "Sie haben keine Sitzung `{id}`."),
    ("You have no token `{id}`.", "Sie haben kein Token `{id}`."),
    (
        "Your account has changed at the same time. Send the request again.",
        "Ihr Konto hat sich gleichzeitig geändert. Senden Sie die Anfrage noch einmal.",
    ),
    (
        "`Authorization` must be `Basic`, a space, and the base64 of the login, a colon and the password; or `Bearer`, a space and a token.",
        "`Authorization` muss aus `Basic`, einem Leerzeichen und dem Base64 von Anmeldename, Doppelpunkt und Passwort bestehen, oder aus `Bearer`, einem Leerzeichen und einem Token.",
    ),
    (
        "`Idempotency-Key` is not supported here: a repeated response would contain a secret.",
        "`Idempotency-Key` wird hier nicht unterstützt: Eine wiederholte Antwort enthielte ein Geheimnis.",
    ),
    (
        "`{name}` is only for a change of your own account.",
        "`{name}` ist nur für eine Änderung des eigenen Kontos.",
    ),
    ("`{name}` is unknown here.", "`{name}` ist hier unbekannt."),
    (
        "must be a date-time with an offset, such as `2030-01-31T12:00:00Z`.",
        "muss ein Zeitpunkt mit Zeitverschiebung sein, etwa `2030-01-31T12:00:00Z`.",
    ),
    ("must be a list of `read` and `write`.", "muss eine Liste aus `read` und `write` sein."),
    ("must be a list of strings.", "muss eine Liste von Strings sein."),
    ("must be in the future.", "muss in der Zukunft liegen."),
    (
        "must be the present password of your account.",
        "muss das jetzige Passwort Ihres Kontos sein.",
    ),
    ("must be true or false.", "muss true oder false sein."),
    ("must have 1 to {most} characters.", "muss 1 bis {most} Zeichen haben."),
    ("must have fewer members.", "muss weniger Werte haben."),
    (
        "must not be after the end of the token that makes it.",
        "muss spätestens mit dem Token enden, das es erzeugt.",
    ),
    (
        "must not exceed those of the token that makes it.",
        "muss im Umfang des Tokens enthalten sein, das es erzeugt.",
    ),
];
