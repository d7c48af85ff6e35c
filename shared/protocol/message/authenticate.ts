/** Who sent a message, as far as it is proven: what is kept of a report mail's authentication. */
import type { Dns } from '../dns.ts';
import { readEdgeTrace } from './edge-trace.ts';
import { type AlignedSignature, evaluateMessage, readMessage } from './evaluate.ts';

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
 * Authenticates a message as our edge stored it under `edgeId`. The address of the client is that of the line that our
 * edge wrote; without such a line there is no SPF. Never throws.
 */
export async function authenticate(
  message: Uint8Array,
  edgeId: string,
  { dns, now }: { dns: Dns; now: Date },
): Promise<MessageAuthentication> {
  const read = readMessage(message);
  const { section, author } = read;
  const trace = readEdgeTrace(section, edgeId);
  const { spf, dkim } = await evaluateMessage(read, trace, dns, now);
  const signatures = dkim.signatures.map((signature) => ({
    ...signature,
    result: isWhole(signature, now) ? signature.verdict : 'policy',
  }));
  const identifiers = [spf, ...signatures].filter(({ aligned }) => aligned !== false);
  const isOpen = identifiers.some(({ result }) => result === 'pass' || result === 'temperror');
  const isProven = identifiers.some(({ result, aligned }) => result === 'pass' && aligned === true);
  return {
    authenticated: author.status === 'found' && (isProven || (isOpen ? null : false)),
    fromDomain: author.status === 'found' ? author.domain : null,
    spf: trace === undefined ? null : { domain: spf.domain, result: spf.result },
    dkim: signatures.map(({ domain, selector, result }) => ({ domain, selector, result })),
  };
}

/** A signature over the beginning of the body (`l=`) says nothing about what was appended, nor does one of tomorrow. */
function isWhole({ verdict, unsignedOctets, signedAt }: AlignedSignature, now: Date): boolean {
  if (verdict !== 'pass') return true;
  return unsignedOctets === null && (signedAt === null || new Date(signedAt) <= now);
}
