/** Probes the addresses of an MX host, for the checks that need to know what senders find there. */
import { isIPv6 } from 'node:net';
import type { Network, Smtp, SmtpAnswer } from '../network/ports.ts';
import type { Answer } from '../protocol/dns.ts';

/** Maximum number of addresses to probe per host, for IPv4 and for IPv6 each. */
const MAX_ADDRESSES = 2;
/** Long enough for hosts that delay their greeting to detect spammers. */
const PROBE_MILLISECONDS = 15_000;

export interface ProbeOptions {
  /** A mailbox to test with RCPT TO. */
  readonly recipient?: string;
  /** False: do not connect to the host, do only the DNS lookups. */
  readonly probe?: boolean;
}

export interface HostProbe {
  /** The answers to the A and AAAA lookups. */
  readonly lookups: readonly Answer<string>[];
  /** The answer of each probed address; empty if none was probed. */
  readonly answers: readonly SmtpAnswer[];
}

/** Looks up the addresses of a host and probes them concurrently. */
export async function probeMailHost(
  hostname: string,
  { dns, smtp }: Pick<Network, 'dns' | 'smtp'>,
  { recipient, probe = true }: ProbeOptions = {},
): Promise<HostProbe> {
  const lookups = await Promise.all([dns.lookup(hostname, 'A'), dns.lookup(hostname, 'AAAA')]);
  const ips = lookups.flatMap((answer) => addressesOf([answer]).slice(0, MAX_ADDRESSES));
  const timeoutMilliseconds = PROBE_MILLISECONDS;
  const request = { hostname, timeoutMilliseconds, ...(recipient === undefined ? {} : { recipient }) };
  const answers = probe ? await Promise.all(ips.map((address) => smtp.probe({ ...request, address }))) : [];
  return { lookups, answers: withoutOurFault(answers) };
}

/** The addresses in the answers. */
export function addressesOf(lookups: readonly Answer<string>[]): string[] {
  return lookups.flatMap((answer) => (answer.status === 'found' ? answer.records : []));
}

/**
 * An Smtp port for one check run, which probes each address of a host only once: every probe also tests `recipient`,
 * whichever check needs it first.
 */
export function probeOnce(smtp: Smtp, recipient: string | undefined): Smtp {
  const visits = new Map<string, Promise<SmtpAnswer>>();
  return {
    probe(request) {
      const key = `${request.address} ${request.hostname}`;
      const visit =
        visits.get(key) ?? smtp.probe(recipient === undefined ? request : { ...request, recipient });
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
