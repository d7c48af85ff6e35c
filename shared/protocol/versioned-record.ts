/**
 * The grammar shared by the TXT records of MTA-STS (RFC 8461 section 3.1) and TLS-RPT (RFC 8460 section 3): a version
 * literal, then `name=value` fields with a semicolon before each. Case matters, and whitespace is allowed only around
 * semicolons. The grammar does not allow whitespace at the very end either, but senders ignore it.
 */
import { trimFoldingWhiteSpace } from './tag-list.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;
const VALUE = /^[\x21-\x3a\x3c\x3e-\x7e]+$/;

/** Whether a TXT record is a record of `version` (`v=STSv1`); others are discarded before records are counted. */
export function hasVersion(text: string, version: string): boolean {
  return text.startsWith(version) && /^[ \t]*;/.test(text.slice(version.length));
}

interface RecordFields {
  /** Values by name, in order, without the version; of duplicate fields the first. */
  readonly values: Map<string, string>;
  readonly repeated: readonly string[];
  /** The first invalid field, which makes the whole record invalid although the others can be read. */
  readonly malformed?: string;
}

/**
 * Parses the text after the version. Each part must be a field by the grammar of extensions: a name of at most 32
 * characters and a value of visible ASCII without `=`. The caller checks the value of the field `known`.
 */
export function readFields(text: string, version: string, known: string): RecordFields {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  let malformed: string | undefined;
  const parts = text.slice(version.length).split(';').slice(1).map(trimFoldingWhiteSpace);
  if (parts.at(-1) === '') parts.pop();
  for (const part of parts) {
    const equals = part.indexOf('=');
    const [name, value] = [part.slice(0, Math.max(equals, 0)), part.slice(equals + 1)];
    if (name !== known && !(NAME.test(name) && VALUE.test(value))) {
      malformed ??= part;
    } else if (name === 'v' || values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  return { values, repeated: [...repeated], ...(malformed === undefined ? {} : { malformed }) };
}

/**
 * Whether a text was meant to be a record whose version matches `spelling`, in any position near its start. Ignores quotes
 * and white space.
 */
export const resembles = (text: string, spelling: RegExp): boolean =>
  spelling.test(text.slice(0, 64).replace(/["'\s]/g, ''));
