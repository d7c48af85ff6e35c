/** What a set of CAA records says about a CA (RFC 8659 section 4). */
import type { CaaRecord } from '../../protocol/dns.ts';
import { excerpt } from '../../protocol/findings/excerpt.ts';
import { trimMatching } from '../../protocol/trim.ts';

/** Longer values are shown without their end. */
const MAX_SHOWN = 200;
const CRITICAL = 0x80;
/** The properties that every CA must know (Baseline Requirements section 3.2.2.8). */
const KNOWN_TAGS: readonly string[] = ['issue', 'issuewild', 'iodef'];

const LABEL = /^[a-z0-9]+(?:-+[a-z0-9]+)*$/i;
const PARAMETER_VALUE = /^[\x21-\x3a\x3c-\x7e]*$/;

/** As in a zone file (RFC 8659 section 4.1.1). */
export const recordText = ({ flags, tag, value }: CaaRecord): string =>
  `${flags} ${excerpt(tag)} "${excerpt(value, MAX_SHOWN).replace(/["\\]/g, '\\$&')}"`;

/**
 * The CA that an issue or issuewild property names, in lowercase; the empty string if it names none. Undefined if the value
 * is malformed, which also permits no CA (RFC 8659 section 4.2).
 */
export function issuerDomain(value: string): string | undefined {
  const [domain = '', ...parameters] = value.split(';').map(trimmed);
  const isEmpty = parameters.length === 1 && parameters[0] === '';
  if (!isEmpty && !parameters.every(isParameter)) return undefined;
  return domain === '' || domain.split('.').every((label) => LABEL.test(label))
    ? domain.toLowerCase()
    : undefined;
}

function isParameter(text: string): boolean {
  const equals = text.indexOf('=');
  const tag = trimmed(text.slice(0, Math.max(equals, 0)));
  return LABEL.test(tag) && PARAMETER_VALUE.test(trimmed(text.slice(equals + 1)));
}

const trimmed = (text: string) => trimMatching(text, /[ \t]/);

/** The properties that stop each CA that does not know them (RFC 8659 section 4.1). */
export const unknownCriticalTags = (records: readonly CaaRecord[]): readonly string[] => [
  ...new Set(
    records
      .filter(({ flags, tag }) => (flags & CRITICAL) !== 0 && !KNOWN_TAGS.includes(tag))
      .map(({ tag }) => tag),
  ),
];

/** The records that decide about a certificate: those for wildcards, if there are any, replace the others for one. */
export function decidingRecords(
  records: readonly CaaRecord[],
  { isWildcard }: { readonly isWildcard: boolean },
): readonly CaaRecord[] {
  const tagged = (wanted: string) => records.filter(({ tag }) => tag === wanted);
  const forWildcards = isWildcard ? tagged('issuewild') : [];
  return forWildcards.length > 0 ? forWildcards : tagged('issue');
}

/** Whether they permit a CA with one of these names. Without any, every CA is permitted. */
export const permit = (deciding: readonly CaaRecord[], names: readonly string[]): boolean =>
  deciding.length === 0 || deciding.some(({ value }) => names.includes(issuerDomain(value) ?? ''));
