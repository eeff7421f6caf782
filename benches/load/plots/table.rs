//! Reads tables in Markdown.

use std::io;

/// Returns the header and the rows of the first table whose header line begins with `header`.
pub(super) fn rows(page: &str, header: &str) -> io::Result<(Vec<String>, Vec<Vec<String>>)> {
    let mut lines = page.lines().skip_while(|line| !line.starts_with(header));
    let missing = || io::Error::new(io::ErrorKind::InvalidData, format!("no table `{header}`"));
    let header = cells(lines.next().ok_or_else(missing)?);
    let rows: Vec<_> = lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect();
    if rows.iter().any(|row| row.len() != header.len()) {
        return Err(missing());
    }
    Ok((header, rows))
}

fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_matches('|');
    inner.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// The number in a cell, such as `**73 %**` or `1,000`; `None` if the cell has no number.
pub(super) fn number(cell: &str) -> Option<f64> {
    cell.replace(['*', ',', '%', ' '], "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_cell_by_cell() {
        let page = "| a | b |\n|---|---|\n\n| c | d |\n|---|---:|\n| x | **1,073 %** |\n| y | – |\n\nText\n";
        let (header, rows) = rows(page, "| c |").unwrap();
        assert_eq!((header, rows.len()), (vec!["c".to_owned(), "d".to_owned()], 2));
        assert_eq!(rows[0][0], "x");
        assert_eq!(
            rows.iter().map(|row| number(&row[1])).collect::<Vec<_>>(),
            [Some(1073.0), None]
        );
    }

    #[test]
    fn a_row_with_too_few_cells_is_an_error() {
        assert!(rows("| a | b |\n|---|---|\n| 1 |\n", "| a |").is_err());
        assert!(rows("", "| a |").is_err());
    }
}
