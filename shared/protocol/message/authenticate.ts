/** Authenticates the sender of a report mail. The result is stored with the mail. */
import type { Dns } from '../dns.ts';
import type { MessageAuthentication } from './authentication.ts';
import { type AlignedSignature, evaluateMessage, readMessage } from './evaluate.ts';
import { readReceiverTrace } from './receiver-trace.ts';

/**
 * Authenticates a message that our mail server stored under `edgeId`. The address of the client comes from the `Received`
 * field that our mail server added; without it there is no SPF result. Never throws.
 */
export async function authenticate(
  message: Uint8Array,
  edgeId: string,
  { dns, now }: { dns: Dns; now: Date },
): Promise<MessageAuthentication> {
  const read = readMessage(message);
  const { section, author } = read;
  const trace = readReceiverTrace(section, edgeId);
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

/** Whether a signature covers the whole body (with `l=`, it does not cover appended text) and is not from the future. */
function isWhole({ verdict, unsignedOctets, signedAt }: AlignedSignature, now: Date): boolean {
  if (verdict !== 'pass') return true;
  return unsignedOctets === null && (signedAt === null || new Date(signedAt) <= now);
}
