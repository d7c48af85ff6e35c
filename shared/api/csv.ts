/** CSV as spreadsheets read it (RFC 4180), safe to open in one. */

type Cell = string | number | boolean | null;

/**
 * A header line and a line per row. A text that a spreadsheet would take for a formula, for what others write stands
 * in our tables, is preceded by an apostrophe.
 */
export function* csv(columns: readonly string[], rows: Iterable<readonly Cell[]>): Iterable<string> {
  yield line(columns);
  for (const cells of rows) yield line(cells);
}

const line = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
