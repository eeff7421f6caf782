//! German translations of the built-in kinds of problems and of their pages.

use super::Translation;

pub(super) const TABLE: &[Translation] = &[
    ("(the body)", "(der Body)"),
    (
        "A `test` operation of a JSON Patch found a different value. Nothing was changed; GET the member and build the patch again.",
        "Eine Operation `test` eines JSON Patch fand einen anderen Wert als den genannten. Nichts wurde geändert; rufen Sie den Eintrag ab und erstellen Sie den Patch neu.",
    ),
    (
        "A change of this resource needs If-Match, so that no client overwrites a change that it has not seen. GET the member or the collection, and send its ETag in If-Match.",
        "Eine Änderung dieser Ressource braucht If-Match, damit kein Client eine Änderung überschreibt, die er nicht gesehen hat. Rufen Sie den Eintrag oder die Sammlung ab und senden Sie das ETag in If-Match.",
    ),
    (
        "A page of another site has made the browser send its credentials. Nothing was done. Pages of declared origins may send such requests.",
        "Eine Seite einer anderen Website hat den Browser veranlasst, seine Anmeldedaten zu senden. Nichts wurde getan. Seiten deklarierter Origins dürfen solche Anfragen senden.",
    ),
    (
        "A query parameter is unknown, repeated, ill-typed or out of range. Each error names the parameter and what was expected.",
        "Ein Abfrageparameter ist unbekannt, wiederholt, vom falschen Typ oder außerhalb seines Bereichs. Jeder Fehler nennt den Parameter und was erwartet wurde.",
    ),
    (
        "A reference points at a member that does not exist. Each error names a field.",
        "Ein Verweis zeigt auf einen Eintrag, den es nicht gibt. Jeder Fehler nennt ein Feld.",
    ),
    (
        "A request with the same Idempotency-Key is still being answered. Send it again after the time in Retry-After.",
        "Eine Anfrage mit demselben Idempotency-Key wird noch beantwortet. Senden Sie sie nach der Zeit in Retry-After noch einmal.",
    ),
    (
        "A rule of the database refuses this write. The detail says which. Nothing was changed.",
        "Eine Regel der Datenbank lehnt diesen Schreibvorgang ab. Die Einzelheiten sagen, welche. Nichts wurde geändert.",
    ),
    ("All kinds of problems", "Alle Arten von Problemen"),
    ("Already exists", "Schon vorhanden"),
    (
        "An access rule does not let the caller do this. Other credentials may.",
        "Eine Zugriffsregel erlaubt das dem Aufrufer nicht. Mit anderen Anmeldedaten kann es erlaubt sein.",
    ),
    (
        "Another member has the same value in a field, or in a set of fields, that is unique. Each error names a field.",
        "Ein anderer Eintrag hat denselben Wert in einem Feld oder einer Gruppe von Feldern, deren Werte eindeutig sind. Jeder Fehler nennt ein Feld.",
    ),
    ("Content too large", "Inhalt zu groß"),
    ("Cross-site request", "Anfrage einer fremden Website"),
    ("Dangling reference", "Verweis ins Leere"),
    ("Deletion too large", "Löschung zu groß"),
    ("Digest mismatch", "Abweichende Prüfsumme"),
    ("Expectation failed", "Nicht erfüllte Erwartung"),
    ("Faults", "Fehler"),
    ("Forbidden", "Nicht erlaubt"),
    ("Header fields too large", "Header-Felder zu groß"),
    ("Idempotency key reused", "Idempotency-Key wiederverwendet"),
    ("Internal error", "Interner Fehler"),
    ("Invalid content", "Ungültiger Inhalt"),
    ("Invalid query parameter", "Ungültiger Abfrageparameter"),
    ("Malformed body", "Fehlerhafter Body"),
    ("Malformed request", "Fehlerhafte Anfrage"),
    ("Method not allowed", "Methode nicht erlaubt"),
    ("Misdirected request", "Fehlgeleitete Anfrage"),
    ("More about this kind of problem", "Mehr über diese Art von Problem"),
    ("Not acceptable", "Kein passendes Format"),
    ("Not found", "Nicht gefunden"),
    ("Not implemented", "Nicht implementiert"),
    (
        "Other members refer to the one that was to be deleted. Delete or change them first.",
        "Andere Einträge verweisen auf den, der gelöscht werden sollte. Löschen oder ändern Sie zuerst diese.",
    ),
    ("Patch test failed", "Prüfung des Patches gescheitert"),
    ("Precondition failed", "Vorbedingung nicht erfüllt"),
    ("Precondition required", "Vorbedingung erforderlich"),
    ("Problems", "Probleme"),
    ("Range not satisfiable", "Bereich nicht erfüllbar"),
    ("Request id", "Kennung der Anfrage"),
    ("Request in progress", "Anfrage in Bearbeitung"),
    ("Request timeout", "Zeitüberschreitung der Anfrage"),
    ("Rule violated", "Regel verletzt"),
    ("Sign in", "Anmelden"),
    ("Still referenced", "Noch in Gebrauch"),
    (
        "The Idempotency-Key was already used for a request with another body. Use a new key.",
        "Der Idempotency-Key wurde schon für eine Anfrage mit einem anderen Body verwendet. Verwenden Sie einen neuen Schlüssel.",
    ),
    (
        "The body does not match its Content-Digest or Repr-Digest: it was changed in transit. Send it again.",
        "Der Body passt nicht zu seinem Content-Digest oder Repr-Digest: er wurde unterwegs verändert. Senden Sie ihn noch einmal.",
    ),
    (
        "The body has a media type that this method does not accept here. Accept-Post or Accept-Patch lists the accepted ones.",
        "Der Body hat einen Medientyp, den diese Methode hier nicht annimmt. Accept-Post oder Accept-Patch zählt auf, welche sie annimmt.",
    ),
    (
        "The body is JSON, but its values violate the schema. Each error has a JSON Pointer to its place.",
        "Der Body ist JSON, aber seine Werte verletzen das Schema. Jeder Fehler hat einen JSON Pointer auf seine Stelle.",
    ),
    (
        "The body is larger than the server accepts. The detail says how much that is.",
        "Der Body ist größer, als der Server annimmt. Die Einzelheiten sagen, wie viel das ist.",
    ),
    (
        "The body is not valid JSON. The detail names the position.",
        "Der Body ist kein gültiges JSON. Die Einzelheiten nennen die Stelle.",
    ),
    (
        "The client or the account has sent more requests than it may. RateLimit-Policy has the limit. Try again after the time in Retry-After.",
        "Der Client oder das Konto hat mehr Anfragen gesendet als erlaubt. RateLimit-Policy nennt die Grenze. Versuchen Sie es nach der Zeit in Retry-After noch einmal.",
    ),
    (
        "The deletion would change more rows than one write may change, including rows that refer to deleted rows. Use a narrower filter, or first delete the members that refer to the deleted one.",
        "Die Löschung würde mehr Zeilen ändern, als ein Schreibvorgang ändern darf, einschließlich der Zeilen, die auf gelöschte verweisen. Verwenden Sie einen engeren Filter, oder löschen Sie zuerst die Einträge, die auf den gelöschten verweisen.",
    ),
    (
        "The fields of the request are larger, or more, than the server accepts.",
        "Die Header-Felder der Anfrage sind größer oder mehr, als der Server annimmt.",
    ),
    (
        "The head or the body of the request did not arrive in time. Send it again, faster.",
        "Der Kopf oder der Body der Anfrage kam nicht rechtzeitig an. Senden Sie sie noch einmal, und zwar schneller.",
    ),
    (
        "The member or the collection has changed since the ETag in If-Match, or the member exists although If-None-Match forbids that. GET it again.",
        "Der Eintrag oder die Sammlung hat sich seit dem ETag in If-Match geändert, oder es gibt den Eintrag, obwohl If-None-Match das ausschließt. Rufen Sie sie noch einmal ab.",
    ),
    (
        "The request accepts none of the available formats. The detail lists them; without Accept, the response is JSON.",
        "Die Anfrage akzeptiert keines der verfügbaren Formate. Die Einzelheiten nennen sie; ohne Accept kommt JSON.",
    ),
    (
        "The request line or a header field violates the syntax of HTTP. The detail names the part.",
        "Die Anfragezeile oder ein Header-Feld verletzt die Grammatik von HTTP. Die Einzelheiten nennen die Stelle.",
    ),
    (
        "The request needs credentials, or those that it has are wrong. WWW-Authenticate names the schemes.",
        "Die Anfrage braucht Anmeldedaten, oder die mitgesendeten sind falsch. WWW-Authenticate nennt die Schemata.",
    ),
    (
        "The requested range has no byte of the representation. Content-Range has its length in bytes.",
        "Der verlangte Bereich enthält kein Byte der Darstellung. Content-Range nennt ihre Länge in Bytes.",
    ),
    (
        "The resource does not allow this method. The Allow field lists the allowed ones.",
        "Die Ressource bietet diese Methode nicht an. Das Feld Allow zählt auf, welche sie anbietet.",
    ),
    (
        "The server cannot do this now. Try again after the time in Retry-After.",
        "Der Server kann das jetzt nicht tun. Versuchen Sie es nach der Zeit in Retry-After noch einmal.",
    ),
    (
        "The server does not implement the version of HTTP in the request line.",
        "Der Server implementiert die Version von HTTP in der Anfragezeile nicht.",
    ),
    ("The server does not implement this method.", "Der Server kennt diese Methode nicht."),
    (
        "The server does not meet an expectation of the request. `100-continue` is the only one that it knows.",
        "Der Server erfüllt eine Erwartung der Anfrage nicht. `100-continue` ist die einzige, die er kennt.",
    ),
    (
        "The server does not serve the host of this URL. If it should, its operator adds the host to `hosts`.",
        "Der Server bedient den Host dieser URL nicht. Falls er es soll, trägt ihn sein Betreiber in `hosts` ein.",
    ),
    (
        "The server failed. The failure is in its log; nothing was changed.",
        "Der Server hat versagt. Der Fehler steht in seinem Protokoll; nichts wurde geändert.",
    ),
    (
        "The target of the request is longer than the server accepts.",
        "Das Ziel der Anfrage ist länger, als der Server annimmt.",
    ),
    (
        "This URL does not exist. The detail names the segment of the path that does not exist.",
        "Diese URL gibt es nicht. Die Einzelheiten nennen den Abschnitt des Pfades, den es nicht gibt.",
    ),
    ("Too many attempts", "Zu viele Versuche"),
    ("Too many requests", "Zu viele Anfragen"),
    (
        "Too many wrong passwords came for this login or from this address. Try again after the time in Retry-After.",
        "Zu diesem Anmeldenamen oder von dieser Adresse kamen zu viele falsche Passwörter. Versuchen Sie es nach der Zeit in Retry-After noch einmal.",
    ),
    ("URI too long", "URI zu lang"),
    ("Unauthenticated", "Nicht angemeldet"),
    ("Unavailable", "Nicht verfügbar"),
    ("Unsupported media type", "Nicht unterstützter Medientyp"),
    ("Version not supported", "Nicht unterstützte Version"),
    ("What it means", "Was das bedeutet"),
    (
        "What the errors of this interface mean, and what to do.",
        "Was ein Fehler dieser Schnittstelle bedeuten kann und was zu tun ist.",
    ),
];
