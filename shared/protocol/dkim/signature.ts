/** What the signatures of a message state of themselves. */
import { canonicalName, parseLookupName } from '../domain-name.ts';
import { excerpt } from '../findings/excerpt.ts';
import type { HeaderField } from '../message/header-section.ts';
import { parseTagList } from '../tag-list.ts';

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
  /** All of it without blanks, which may be folded anew on the way: copies of one signature have the same. */
  readonly identity: string;
}

/** Octets of a field beyond which it is no signature of a mail server. */
export const MAX_SIGNATURE_OCTETS = 16_384;

const MAX_NAME = 253;

export function readSignature(field: HeaderField): Stated {
  const octets = field.raw.slice(field.raw.indexOf(':') + 1, MAX_SIGNATURE_OCTETS);
  const { tags } = parseTagList(Buffer.from(octets, 'latin1').toString('utf8'));
  const value = (name: string) => tags.find((tag) => tag.name === name)?.value ?? '';
  const domain = signingDomain(value('d'));
  return {
    field,
    domain,
    selector: excerpt(value('s'), MAX_NAME),
    algorithm: excerpt(value('a')),
    name: canonicalName(`${value('s')}._domainkey.${domain}`),
    signedFields: value('h')
      .toLowerCase()
      .split(':')
      .map((name) => name.trim()),
    identity: octets.replace(/\s+/g, ''),
    bodyHashing: [value('c').split('/')[1] ?? 'simple', value('a').split('-')[1], value('l')].join(':'),
  };
}

/** What `d=` names, in canonical form (RFC 8616 section 3 allows U-labels in it), or as it stands, cut, where it names nothing. */
export function signingDomain(stated: string): string {
  const parsed = parseLookupName(stated);
  return parsed.ok ? parsed.name : excerpt(canonicalName(stated), MAX_NAME);
}
