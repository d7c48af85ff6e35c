/** Writes SPF records anew, with the same or a combined meaning. */
import { formatPrefix } from '../ip.ts';
import { parseRecord, type Term } from './record.ts';

/** A record of these terms. */
export const recordOf = (terms: readonly string[]): string => ['v=spf1', ...terms].join(' ');

/**
 * The same record with ranges as receivers read them and without terms that repeat an earlier one. Undefined if the record
 * has syntax errors.
 */
export function tidied(text: string): string | undefined {
  const { terms, problems } = parseRecord(text);
  if (problems.length > 0) return undefined;
  const written = new Map<string, string>();
  for (const term of terms.map(writtenTerm)) {
    const key = term.toLowerCase();
    written.set(key, written.get(key) ?? term);
  }
  return recordOf([...written.values()]);
}

function writtenTerm(term: Term): string {
  if (term.kind !== 'ip4' && term.kind !== 'ip6') return term.text;
  const [, start = '', , prefix = ''] = /^([+~?-]?)(ip[46]:)(.*)$/i.exec(term.text) ?? [];
  const range = formatPrefix(term.network);
  return prefix.includes('/') && prefix !== range ? `${start}${term.kind}:${range}` : term.text;
}

/** One record with the mechanisms of all, and the weakest `all`. Undefined if one of them redirects or has errors. */
export function merged(texts: readonly string[]): string | undefined {
  const records = texts.map(parseRecord);
  if (records.some(({ redirect, exp, problems }) => redirect ?? exp ?? problems[0])) return undefined;
  const terms = records.flatMap((record) => record.terms);
  const ends = terms.filter(({ kind }) => kind === 'all').map((term) => term.text);
  const end = ends.length === records.length && ends.every((text) => text === '-all') ? '-all' : '~all';
  return tidied(recordOf([...terms.filter(({ kind }) => kind !== 'all').map((term) => term.text), end]));
}
