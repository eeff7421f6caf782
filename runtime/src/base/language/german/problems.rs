//! Kinds of problems and their pages, in German.

use super::Translation;

pub(super) const TABLE: &[Translation] = &[
    ("(the body)", "(der Body)"),
    (
        "A `test` operation of a JSON Patch found another value than the one it names. Nothing was changed; fetch the member and make the patch anew.",
        "Eine Operation `test` eines JSON Patch fand einen anderen Wert als den genannten. Nichts wurde geändert; rufen Sie den Eintrag ab und erstellen Sie den Patch neu.",
    ),
    (
        "A change of this resource must name the state that it changes, so that nobody overwrites what he has not seen. Fetch it, and send its ETag in If-Match.",
        "Eine Änderung dieser Ressource muss den Stand nennen, den sie ändert, damit niemand überschreibt, was er nicht gesehen hat. Rufen Sie ihn ab und senden Sie sein ETag in If-Match.",
    ),
    (
        "A query parameter is unknown, repeated, ill-typed or out of range. Each fault names the parameter and what was expected.",
        "Ein Abfrageparameter ist unbekannt, wiederholt, vom falschen Typ oder außerhalb seines Bereichs. Jeder Fehler nennt den Parameter und was erwartet wurde.",
    ),
    (
        "A reference points at a member that does not exist. Each fault names a field.",
        "Ein Verweis zeigt auf einen Eintrag, den es nicht gibt. Jeder Fehler nennt ein Feld.",
    ),
    (
        "A request with the same Idempotency-Key and another body was answered before. Another request needs another key.",
        "Eine Anfrage mit demselben Idempotency-Key und einem anderen Body wurde schon beantwortet. Eine andere Anfrage braucht einen anderen Schlüssel.",
    ),
    (
        "A request with the same Idempotency-Key is still being answered. Send it again after the time in Retry-After.",
        "Eine Anfrage mit demselben Idempotency-Key wird noch beantwortet. Senden Sie sie nach der Zeit in Retry-After noch einmal.",
    ),
    ("All kinds of problems", "Alle Arten von Problemen"),
    ("Already exists", "Schon vorhanden"),
    (
        "Another member has the same value in a field, or in a set of fields, that is unique. Each fault names a field.",
        "Ein anderer Eintrag hat denselben Wert in einem Feld oder einer Gruppe von Feldern, deren Werte eindeutig sind. Jeder Fehler nennt ein Feld.",
    ),
    ("Content too large", "Inhalt zu groß"),
    ("Dangling reference", "Verweis ins Leere"),
    ("Deletion too large", "Löschung zu groß"),
    ("Digest mismatch", "Abweichende Prüfsumme"),
    ("Faults", "Fehler"),
    ("Header fields too large", "Header-Felder zu groß"),
    ("Idempotency key reused", "Idempotency-Key wiederverwendet"),
    ("Internal error", "Interner Fehler"),
    ("Invalid content", "Ungültiger Inhalt"),
    ("Invalid query parameter", "Ungültiger Abfrageparameter"),
    ("Malformed body", "Fehlerhafter Body"),
    ("Malformed request", "Fehlerhafte Anfrage"),
    ("Method not allowed", "Methode nicht erlaubt"),
    ("More about this kind of problem", "Mehr über diese Art von Problem"),
    ("Not acceptable", "Kein passendes Format"),
    ("Not found", "Nicht gefunden"),
    ("Not implemented", "Nicht implementiert"),
    (
        "Nothing of what there is lies in the range that was asked for. Content-Range says how many octets there are.",
        "Nichts von dem, was es gibt, liegt im verlangten Bereich. Content-Range sagt, wie viele Bytes es gibt.",
    ),
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
    ("Still referenced", "Noch in Gebrauch"),
    (
        "The body did not arrive in time. Send it again, faster.",
        "Der Body kam nicht rechtzeitig an. Senden Sie ihn noch einmal, und zwar schneller.",
    ),
    (
        "The body has a media type that this method does not accept here. Accept-Post or Accept-Patch lists those it does.",
        "Der Body hat einen Medientyp, den diese Methode hier nicht annimmt. Accept-Post oder Accept-Patch zählt auf, welche sie annimmt.",
    ),
    (
        "The body is JSON, but its values break the declaration. Each fault has a JSON Pointer to its place.",
        "Der Body ist JSON, aber seine Werte verletzen die Deklaration. Jeder Fehler hat einen JSON Pointer auf seine Stelle.",
    ),
    (
        "The body is larger than the server accepts. The detail says how much that is.",
        "Der Body ist größer, als der Server annimmt. Die Einzelheiten sagen, wie viel das ist.",
    ),
    (
        "The body is not the JSON that its media type promises. The detail names the place.",
        "Der Body ist nicht das JSON, das sein Medientyp verspricht. Die Einzelheiten nennen die Stelle.",
    ),
    (
        "The body is not the one that Content-Digest or Repr-Digest is of: it was changed on its way. Send it again.",
        "Der Body ist nicht der, zu dem Content-Digest oder Repr-Digest gehört: Er wurde unterwegs verändert. Senden Sie ihn noch einmal.",
    ),
    (
        "The deletion would change more rows than the server lets one write change, with those that refer to what it deletes. Delete in smaller parts, with a narrower filter, or what refers to the member first.",
        "Die Löschung würde mehr Zeilen ändern, als der Server einem Schreibvorgang erlaubt, mit denen, die auf das Gelöschte verweisen. Löschen Sie in kleineren Teilen, mit einem engeren Filter oder zuerst das, was auf den Eintrag verweist.",
    ),
    (
        "The fields of the request together are larger than the server accepts.",
        "Die Header-Felder der Anfrage sind zusammen größer, als der Server annimmt.",
    ),
    (
        "The member has changed since the revision that If-Match names, or exists although If-None-Match says it must not. Fetch it again.",
        "Der Eintrag hat sich seit dem Stand geändert, den If-Match nennt, oder es gibt ihn, obwohl If-None-Match das ausschließt. Rufen Sie ihn noch einmal ab.",
    ),
    (
        "The request accepts no format that there is. The detail lists those there are; without Accept, JSON is given.",
        "Die Anfrage akzeptiert kein Format, das es gibt. Die Einzelheiten zählen auf, welche es gibt; ohne Accept wird JSON gesendet.",
    ),
    (
        "The request line or a header field breaks the grammar of HTTP. The detail names the part.",
        "Die Anfragezeile oder ein Header-Feld verletzt die Grammatik von HTTP. Die Einzelheiten nennen die Stelle.",
    ),
    (
        "The resource does not offer this method. The Allow field lists those it does.",
        "Die Ressource bietet diese Methode nicht an. Das Feld Allow zählt auf, welche sie anbietet.",
    ),
    (
        "The server cannot do this now. Try again after the time in Retry-After.",
        "Der Server kann das jetzt nicht tun. Versuchen Sie es nach der Zeit in Retry-After noch einmal.",
    ),
    ("The server does not know this method.", "Der Server kennt diese Methode nicht."),
    (
        "The server failed. The failure is in its log; nothing was changed.",
        "Der Server hat versagt. Der Fehler steht in seinem Protokoll; nichts wurde geändert.",
    ),
    (
        "The target of the request is longer than the server accepts.",
        "Das Ziel der Anfrage ist länger, als der Server annimmt.",
    ),
    (
        "There is nothing at this URL. The detail names the segment of the path that leads nowhere.",
        "Unter dieser URL gibt es nichts. Die Einzelheiten nennen den Abschnitt des Pfades, der ins Leere führt.",
    ),
    ("URI too long", "URI zu lang"),
    ("Unavailable", "Nicht verfügbar"),
    ("Unsupported media type", "Nicht unterstützter Medientyp"),
    (
        "What an error of this interface can mean, and what to do.",
        "Was ein Fehler dieser Schnittstelle bedeuten kann und was zu tun ist.",
    ),
    ("What it means", "Was das bedeutet"),
];
