/** What the signatures of a message state of themselves. */
import { canonicalName } from '../protocol/domain-name.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { parseTagList } from '../protocol/tag-list.ts';
import type { HeaderField } from './header-section.ts';

/** A DKIM-Signature field as it reads, before anything is verified (RFC 6376 section 3.5). */
export interface Stated {
  readonly field: HeaderField;
  /** Fit to be shown, as the selector and the algorithm are. */
  readonly domain: string;
  readonly selector: string;
  readonly algorithm: string;
  /** The name of the key's record. */
  readonly name: string;
  readonly signedFields: readonly string[];
  /** Canonicalization, hash and length, which together decide the hash of the body. */
  readonly bodyHashing: string;
}

/** Octets of a field beyond which it is no signature of a mail server. */
export const MAX_SIGNATURE_OCTETS = 16_384;

const MAX_NAME = 253;

export function readSignature(field: HeaderField): Stated {
  const text = field.raw.slice(field.raw.indexOf(':') + 1, MAX_SIGNATURE_OCTETS);
  const { tags } = parseTagList(text);
  const value = (name: string) => tags.find((tag) => tag.name === name)?.value ?? '';
  const domain = canonicalName(value('d'));
  return {
    field,
    domain: excerpt(domain, MAX_NAME),
    selector: excerpt(value('s'), MAX_NAME),
    algorithm: excerpt(value('a')),
    name: canonicalName(`${value('s')}._domainkey.${domain}`),
    signedFields: value('h')
      .toLowerCase()
      .split(':')
      .map((name) => name.trim()),
    bodyHashing: [value('c').split('/')[1] ?? 'simple', value('a').split('-')[1], value('l')].join(':'),
  };
}
