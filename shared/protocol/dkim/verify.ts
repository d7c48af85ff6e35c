/** The DKIM signatures of a message (RFC 6376 section 6), verified by mailauth under stricter conditions than its own. */
import type { DKIMResult } from 'mailauth';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import type { Dns } from '../dns.ts';
import { canonicalName } from '../domain-name.ts';
import { verifiable } from './verifiable.ts';

export interface DkimVerdict {
  /** Signing domain (`d=`), canonical form. */
  readonly domain: string;
  readonly selector: string;
  /** `pass` only where the signature covers the whole message as it is, now. */
  readonly result: 'pass' | 'fail' | 'temperror';
}

export interface VerifiedMessage {
  /** The one domain of the From field, canonical form; undefined where there is no such field or several domains. */
  readonly fromDomain: string | undefined;
  readonly signatures: readonly DkimVerdict[];
}

const UNREADABLE: VerifiedMessage = { fromDomain: undefined, signatures: [] };

/**
 * Verifies every signature of a message; none where the message is one that `verifiable` keeps from being read. Never
 * throws; takes as long as its look-ups, each ended by the Dns.
 */
export async function verifyDkim(message: Uint8Array, dns: Dns, now: Date): Promise<VerifiedMessage> {
  const bytes = verifiable(message);
  if (bytes === undefined) return UNREADABLE;
  try {
    const { headerFrom, fromFields, results } = await dkimVerify(bytes, {
      resolver: keysOf(dns),
      strict: true,
      curTime: now,
    });
    return {
      fromDomain: fromFields === 1 ? onlyDomain(headerFrom) : undefined,
      signatures: results.flatMap((result) => verdictOf(result)),
    };
  } catch {
    // The library ends with exceptions of its own where it cannot read a message.
    return UNREADABLE;
  }
}

function onlyDomain(addresses: readonly string[]): string | undefined {
  const domains = new Set(
    addresses.map((address) => canonicalName(address.slice(address.lastIndexOf('@') + 1))),
  );
  const [domain] = domains;
  return domains.size === 1 ? domain : undefined;
}

function verdictOf(result: DKIMResult): DkimVerdict[] {
  const { signingDomain, selector, status } = result;
  if (!signingDomain || !selector) return [];
  // A signature over the beginning of the body (l=) says nothing about what was appended, nor does one of tomorrow.
  const isWhole = result.canonBodyLengthLimited !== true && result.signatureTimeValid !== false;
  const verdict = status.result === 'pass' && isWhole ? 'pass' : 'fail';
  return [
    {
      domain: canonicalName(signingDomain),
      selector,
      result: status.result === 'temperror' ? 'temperror' : verdict,
    },
  ];
}

/** Key look-ups in the form of `node:dns`, where what is not there is an error. */
function keysOf(dns: Dns) {
  return async (name: string): Promise<string[][]> => {
    const answer = await dns.lookup(canonicalName(name), 'TXT');
    if (answer.status === 'found') return answer.records.map((text) => [text]);
    const code = answer.status === 'absent' ? 'ENOTFOUND' : 'ESERVFAIL';
    throw Object.assign(new Error(`${name}: ${answer.reason}`), { code });
  };
}
