/** The contents of the DKIM-Signature fields of a message. */
import { canonicalName, parseLookupName } from '../domain-name.ts';
import { excerpt } from '../findings/excerpt.ts';
import type { HeaderField } from '../message/header-section.ts';
import { parseTagList } from '../tag-list.ts';

/** A parsed DKIM-Signature field, before anything is verified (RFC 6376 section 3.5). */
export interface Stated {
  readonly field: HeaderField;
  /** Safe to display, like the selector and the algorithm. */
  readonly domain: string;
  readonly selector: string;
  readonly algorithm: string;
  /** The name of the key record. */
  readonly name: string;
  readonly signedFields: readonly string[];
  /** Canonicalization, hash algorithm and length, which together determine the hash of the body. */
  readonly bodyHashing: string;
  readonly bodyIsRelaxed: boolean;
  /** The whole field without whitespace, which may be refolded in transit. Equal for copies of one signature. */
  readonly identity: string;
}

/** Maximum size of a signature in octets. Mail servers create no larger ones. */
export const MAX_SIGNATURE_OCTETS = 16_384;

const MAX_NAME = 253;

export function readSignature(field: HeaderField): Stated {
  const octets = field.raw.slice(field.raw.indexOf(':') + 1, MAX_SIGNATURE_OCTETS);
  const { tags } = parseTagList(Buffer.from(octets, 'latin1').toString('utf8'));
  const value = (name: string) => tags.find((tag) => tag.name === name)?.value ?? '';
  const domain = signingDomain(value('d'));
  const bodyCanonicalization = value('c').split('/')[1]?.trim().toLowerCase() || 'simple';
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
    bodyIsRelaxed: bodyCanonicalization === 'relaxed',
    bodyHashing: [bodyCanonicalization, value('a').split('-')[1], value('l')].join(':'),
  };
}

/**
 * The domain in `d=` in canonical form (RFC 8616 section 3 allows U-labels). If it is not a domain name, an excerpt of
 * the text.
 */
export function signingDomain(stated: string): string {
  const parsed = parseLookupName(stated);
  return parsed.ok ? parsed.name : excerpt(canonicalName(stated), MAX_NAME);
}
