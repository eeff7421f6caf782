//! SQL texts in lines, for people.

/// The words that begin a line, if they are outside of brackets and quotes.
const CLAUSES: [&str; 12] = [
    "FROM ",
    "JOIN ",
    "LEFT JOIN ",
    "CROSS JOIN ",
    "WHERE ",
    "GROUP BY ",
    "ORDER BY ",
    "LIMIT ",
    "SET ",
    "VALUES ",
    "RETURNING ",
    "ON CONFLICT ",
];

/// A statement with a line for each clause.
pub(super) fn lines(sql: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut depth, mut quote) = (0, None);
    for (at, letter) in sql.char_indices() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, _) if depth == 0 && begins_clause(sql, at) => lines.push(String::new()),
            _ => {}
        }
        if let Some(line) = lines.last_mut() {
            line.push(letter);
        }
    }
    lines.iter().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Whether a clause begins here. `JOIN` after `LEFT`, and `FROM` after `DELETE`, do not begin
/// another one.
fn begins_clause(sql: &str, at: usize) -> bool {
    let before = &sql[..at];
    before.ends_with(' ')
        && !before.ends_with("LEFT ")
        && !before.ends_with("CROSS ")
        && !before.ends_with("DELETE ")
        && CLAUSES.iter().any(|clause| sql[at..].starts_with(clause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_is_a_line_outside_of_brackets_and_quotes() {
        let sql = r#"SELECT "a FROM ", (SELECT 1 WHERE 2) FROM "t" AS t LEFT JOIN u ON 1 WHERE b = ' SET ' LIMIT ?1"#;
        let expected = [
            r#"SELECT "a FROM ", (SELECT 1 WHERE 2)"#,
            r#"FROM "t" AS t"#,
            "LEFT JOIN u ON 1",
            "WHERE b = ' SET '",
            "LIMIT ?1",
        ];
        assert_eq!(lines(sql), expected);
    }
}
