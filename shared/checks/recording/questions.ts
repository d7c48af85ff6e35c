/** What makes two questions to the network the same, for those who record answers and those who give them again. */
import type { SmtpProbeRequest } from '../../network/ports.ts';
import { hostKey } from '../../network/share-probes.ts';
import type { LookupOptions, RecordType } from '../../protocol/dns.ts';
import { canonicalName, isWithin } from '../../protocol/domain-name.ts';

export interface LookupQuestion {
  readonly name: string;
  readonly type: RecordType;
  readonly dnssec: boolean;
  readonly checkingDisabled: boolean;
}

/**
 * The lookup that a recorded check run of `domain` makes: at the names of the domain always with signatures, so that the
 * records are proven that its checks read.
 */
export function lookupQuestion(
  domain: string,
  name: string,
  type: RecordType,
  { dnssec = false, checkingDisabled = false }: LookupOptions = {},
): LookupQuestion {
  const asked = canonicalName(name);
  return { name: asked, type, dnssec: dnssec || isWithin(asked, domain), checkingDisabled };
}

export const lookupKey = ({ name, type, dnssec, checkingDisabled }: LookupQuestion): string =>
  `${name} ${type} ${dnssec} ${checkingDisabled}`;

export const probeKey = (request: Pick<SmtpProbeRequest, 'hostname' | 'address' | 'trustAnchors'>): string =>
  hostKey({ ...request, timeoutMilliseconds: 0 });

export const authorityKey = (server: string, name: string, type: RecordType): string =>
  `${server} ${canonicalName(name)} ${type}`;

/** Whether a name is that of a DKIM key: so many are guessed that the proofs of those that do not exist are left out. */
export const isKeyName = (name: string): boolean => name.includes('._domainkey.');
