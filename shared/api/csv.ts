/** CSV as spreadsheets read it (RFC 4180), safe to open in one. */

type Cell = string | number | boolean | null;

/**
 * What one program or another takes for the end of a cell, whatever stands around it: where the locale writes decimal
 * commas, spreadsheets split at semicolons, and know nothing of quotes within what they took for a cell.
 */
const SEPARATORS = ',;|\\t\\r\\n';
const BETWEEN_SEPARATORS = new RegExp(`[^${SEPARATORS}]+`, 'g');
const NEEDS_QUOTES = new RegExp(`["${SEPARATORS}]`);

/** Up to the character that makes a formula, be it as wide as an ideograph: blanks, quotes and what does not show may be dropped. */
const BEFORE_FORMULA = /^[\s"\p{C}]*(?=[=+\-@＝＋－＠])/u;

/**
 * A header line and a line per row. What others write stands in our tables: wherever a formula could begin in a text, an
 * apostrophe makes it a text (OWASP, "CSV Injection"). Numbers are left as they are.
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
