/**
 * Canonical JSON (RFC 8785): members sorted by the UTF-16 code units of their names, no white space, and numbers and strings as
 * ECMAScript writes them, which is what `JSON.stringify` does.
 */

/** JSON that cannot have a canonical form: it has what JSON cannot express, or text that is not Unicode. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';
}

/** Far deeper than any evidence. */
const MAX_DEPTH = 100;

/** @throws NotCanonical */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new NotCanonical('nested too deeply');
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one, depth + 1)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const written = members.map(([name, member]) => `${scalar(name)}:${canonicalJson(member, depth + 1)}`);
    return `{${written.join(',')}}`;
  }
  return scalar(value);
}

function scalar(value: unknown): string {
  if (typeof value === 'string' && !value.isWellFormed()) throw new NotCanonical('text is not Unicode');
  if (typeof value === 'number' && !Number.isFinite(value)) throw new NotCanonical('not a number');
  const written = value === undefined ? undefined : JSON.stringify(value);
  if (written === undefined) throw new NotCanonical('not JSON');
  return written;
}
