/** Probes the addresses of an MX host, for the checks that need to know what senders find there. */
import { isIPv6 } from 'node:net';
import type { Smtp, SmtpAnswer, SmtpEvidence } from '../../network/ports.ts';
import { hostKey } from '../../network/share-probes.ts';
import type { Answer, Dns } from '../../protocol/dns.ts';

/** Maximum number of addresses to probe per host, for IPv4 and for IPv6 each. */
const MAX_ADDRESSES = 2;
/** Long enough for hosts that delay their greeting to detect spammers. */
const PROBE_MILLISECONDS = 15_000;

/** Without validation by the resolver, so that broken signatures and failed lookups can be distinguished. */
const withSignatures = { dnssec: true, checkingDisabled: true } as const;

export interface ProbeOptions {
  /** A mailbox to test with RCPT TO. */
  readonly recipient?: string;
  /** False: do not connect to the host, do only the DNS lookups. */
  readonly probe?: boolean;
}

/** Looks up the A and AAAA records of a host. */
export function lookupAddresses(hostname: string, dns: Dns): Promise<Answer<string>[]> {
  return Promise.all([
    dns.lookup(hostname, 'A', withSignatures),
    dns.lookup(hostname, 'AAAA', withSignatures),
  ]);
}

/** Probes the addresses in the answers concurrently. Returns the answer of each; none if none was probed. */
export async function probeAddresses(
  hostname: string,
  lookups: readonly Answer<string>[],
  smtp: Smtp,
  { recipient, probe = true }: ProbeOptions = {},
): Promise<readonly SmtpAnswer[]> {
  const ips = lookups.flatMap((answer) => addressesOf([answer]).slice(0, MAX_ADDRESSES));
  const timeoutMilliseconds = PROBE_MILLISECONDS;
  const request = { hostname, timeoutMilliseconds, ...(recipient === undefined ? {} : { recipient }) };
  const answers = probe ? await Promise.all(ips.map((address) => smtp.probe({ ...request, address }))) : [];
  return withoutOurFault(answers);
}

/** Probes one address again, and trusts only `trustAnchors` (DER). */
export function probeTrusting(
  trustAnchors: readonly Uint8Array[],
  { hostname, address }: SmtpEvidence,
  smtp: Smtp,
): Promise<SmtpAnswer> {
  return smtp.probe({ hostname, address, timeoutMilliseconds: PROBE_MILLISECONDS, trustAnchors });
}

/** The addresses in the answers. */
export function addressesOf(lookups: readonly Answer<string>[]): string[] {
  return lookups.flatMap((answer) => (answer.status === 'found' ? answer.records : []));
}

/**
 * An Smtp port for one check run, which probes each address of a host only once: every probe also tests `recipient`,
 * whichever check needs it first. Probes that trust other certificates are probes of their own, without it.
 */
export function probeOnce(smtp: Smtp, recipient: string | undefined): Smtp {
  const visits = new Map<string, Promise<SmtpAnswer>>();
  return {
    probe(request) {
      const key = hostKey(request);
      const tested = recipient !== undefined && request.trustAnchors === undefined;
      const visit = visits.get(key) ?? smtp.probe(tested ? { ...request, recipient } : request);
      visits.set(key, visit);
      return visit;
    },
  };
}

/**
 * Leaves out IPv6 addresses that this network cannot reach if another address answers: that says something about our
 * network, not about the host.
 */
function withoutOurFault(answers: readonly SmtpAnswer[]): readonly SmtpAnswer[] {
  const informative = answers.filter(
    (answer) =>
      !(
        answer.status === 'unavailable' &&
        answer.reason === 'unreachable' &&
        isIPv6(answer.evidence.address)
      ),
  );
  return informative.length > 0 ? informative : answers;
}
