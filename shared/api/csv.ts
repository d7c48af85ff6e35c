/** CSV (RFC 4180) that is safe to open in a spreadsheet. */

type Cell = string | number | boolean | null;

/**
 * Characters that some program treats as the end of a cell. With locales that use decimal commas, spreadsheets split at
 * semicolons, and ignore quotes inside the resulting cells.
 */
const BETWEEN_SEPARATORS = /[^,;|\t\r\n]+/g;
const NEEDS_QUOTES = /[",;|\t\r\n]/;

/** Text before a character that starts a formula (ASCII or full-width); programs can ignore spaces, quotes, and the like. */
const BEFORE_FORMULA = /^[\s"\p{C}]*(?=[=+\-@＝＋－＠])/u;

/**
 * A header line and one line per row. The texts are untrusted: wherever a formula could start, an apostrophe is added
 * (OWASP, "CSV Injection"). Numbers are unchanged.
 */
export function* csv(columns: readonly string[], rows: Iterable<readonly Cell[]>): Iterable<string> {
  yield line(columns);
  for (const cells of rows) yield line(cells);
}

const line = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = cell.replace(BETWEEN_SEPARATORS, (piece) => piece.replace(BEFORE_FORMULA, "$&'"));
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
