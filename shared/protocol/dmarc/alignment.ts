/** Identifier alignment (RFC 9989 section 4.4). */
import type { AlignmentMode } from './record.ts';

/** A domain in canonical form with its organizational domain; null if that could not be determined. */
interface PlacedDomain {
  readonly domain: string;
  readonly organizationalDomain: string | null;
}

/** `unknown`: the organizational domains decide, and one of them is unknown. */
export type Alignment = 'aligned' | 'not-aligned' | 'unknown';

/**
 * Whether an authenticated identifier (the `d=` of a valid DKIM signature, the domain SPF passed for) aligns with
 * the Author Domain: the same domain, or in relaxed mode the same organizational domain.
 */
export function alignmentOf(identifier: PlacedDomain, author: PlacedDomain, mode: AlignmentMode): Alignment {
  if (identifier.domain === author.domain) return 'aligned';
  if (mode === 's') return 'not-aligned';
  if (identifier.organizationalDomain === null || author.organizationalDomain === null) return 'unknown';
  return identifier.organizationalDomain === author.organizationalDomain ? 'aligned' : 'not-aligned';
}
