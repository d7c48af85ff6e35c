/**
 * The grammar that the TXT records of MTA-STS (RFC 8461 section 3.1) and TLS-RPT (RFC 8460 section 3) share: a
 * version literal, then `name=value` fields with a semicolon before each. Case matters, and white space stands
 * only around semicolons. White space at the very end has no place in the grammar either, but receivers drop it.
 */
import { trimFoldingWhiteSpace } from './tag-list.ts';

export interface RecordField {
  readonly name: string;
  readonly value: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;
const VALUE = /^[\x21-\x3a\x3c\x3e-\x7e]+$/;

/**
 * The records that are of `version` (`v=STSv1`), others being discarded before records are counted; where there is
 * none, the first that was evidently meant to be.
 */
export function candidates(texts: readonly string[], version: string): readonly string[] {
  const counted = texts.filter((text) => hasVersion(text, version));
  return counted.length > 0 ? counted : texts.filter((text) => resembles(text, version)).slice(0, 1);
}

/** Whether a TXT record counts as one of `version` (`v=STSv1`): others are discarded before records are counted. */
export function hasVersion(text: string, version: string): boolean {
  return text.startsWith(version) && /^[ \t]*;/.test(text.slice(version.length));
}

export interface RecordFields {
  /** Values by name, in order; of a repeated field the first. */
  readonly values: Map<string, string>;
  readonly repeated: readonly string[];
  /** The first part that is no field, which breaks the whole record though the others can be read. */
  readonly malformed?: string;
}

/**
 * Reads what stands behind the version. Each part must be a field by the grammar of extensions, names of at most 32
 * characters and values of visible ASCII without `=`; the value of the field `known` is for the caller to check.
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
    } else if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  return { values, repeated: [...repeated], ...(malformed === undefined ? {} : { malformed }) };
}

/** The fields that remain once those of the version are taken out of `values`. */
export function extensionsOf(values: ReadonlyMap<string, string>, known: readonly string[]): RecordField[] {
  return [...values].filter(([name]) => !known.includes(name)).map(([name, value]) => ({ name, value }));
}

/** Another case, place or number, something before it, a letter, quote or space too many or few, no semicolon. */
function resembles(text: string, version: string): boolean {
  const start = text.slice(0, 64).replace(/["'\s]/g, '');
  const name = version.replace(/^v=|v\d$/g, '');
  return new RegExp(`\\b${name}(v|\\d)`, 'i').test(start);
}
