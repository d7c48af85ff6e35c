/** Who sent a message, as far as it is proven: SPF and DKIM, and whether one of them aligns with the From field. */
import { verifyDkim } from '../dkim/verify.ts';
import { alignmentOf } from '../dmarc/alignment.ts';
import { discoverPolicy, walkToOrganizationalDomain } from '../dmarc/discover.ts';
import type { AlignmentMode } from '../dmarc/record.ts';
import type { Dns } from '../dns.ts';
import { isLookupName } from '../domain-name.ts';
import { evaluate } from '../spf/evaluate.ts';
import { readEdgeTrace } from './edge-trace.ts';

export interface MessageAuthentication {
  /**
   * Whether the domain of the From field is proven, as DMARC wants it (RFC 9989 section 4.4; also where the domain
   * publishes no policy, in relaxed mode). Null: a name that decides could not be asked.
   */
  readonly authenticated: boolean | null;
  readonly fromDomain: string | null;
  readonly spf: { readonly domain: string; readonly result: string } | null;
  readonly dkim: readonly { readonly domain: string; readonly selector: string; readonly result: string }[];
}

/**
 * Authenticates a message as our edge stored it. The address of the client is that of the line that our edge wrote
 * for `messageId`; without such a line there is no SPF. Never throws.
 */
export async function authenticate(
  message: Uint8Array,
  messageId: string,
  { dns, now }: { dns: Dns; now: Date },
): Promise<MessageAuthentication> {
  const trace = readEdgeTrace(message, messageId);
  const [spf, { fromDomain, signatures }] = await Promise.all([
    trace === undefined ? null : evaluate({ ...trace, now }, dns),
    verifyDkim(message, dns, now),
  ]);
  const identifiers: readonly Identifier[] = [
    ...(spf === null ? [] : [{ domain: spf.domain, result: spf.result, by: 'aspf' as const }]),
    ...signatures.map(({ domain, result }) => ({ domain, result, by: 'adkim' as const })),
  ];
  return {
    authenticated: fromDomain === undefined ? false : await isProven(fromDomain, identifiers, dns),
    fromDomain: fromDomain ?? null,
    spf: spf === null ? null : { domain: spf.domain, result: spf.result },
    dkim: signatures,
  };
}

interface Identifier {
  readonly domain: string;
  readonly result: string;
  readonly by: 'adkim' | 'aspf';
}

async function isProven(from: string, identifiers: readonly Identifier[], dns: Dns): Promise<boolean | null> {
  const candidates = identifiers.filter(({ result }) => result === 'pass' || result === 'temperror');
  if (candidates.some(({ domain, result }) => domain === from && result === 'pass')) return true;
  if (candidates.length === 0 || !isLookupName(from)) return false;
  const policy = await discoverPolicy(from, dns);
  if (policy.status === 'unavailable') return null;
  const author = { domain: from, organizationalDomain: policy.organizationalDomain };
  const modes: Record<Identifier['by'], AlignmentMode> =
    policy.status === 'found' ? policy.record : { adkim: 'r', aspf: 'r' };
  const places = new Map<string, Promise<string | null>>();
  const proofs = await Promise.all(
    candidates.map(async ({ domain, result, by }) => {
      const home = places.get(domain) ?? walkToOrganizationalDomain(domain, dns);
      places.set(domain, home);
      const alignment = alignmentOf({ domain, organizationalDomain: await home }, author, modes[by]);
      if (alignment === 'not-aligned') return false;
      return alignment === 'aligned' && result === 'pass' ? true : null;
    }),
  );
  if (proofs.includes(true)) return true;
  return proofs.includes(null) ? null : false;
}
