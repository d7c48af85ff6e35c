/** A visit to an MX host at its addresses, for the checks that ask what senders meet there. */
import { isIPv6 } from 'node:net';
import type { Network, Smtp, SmtpAnswer } from '../network/ports.ts';
import type { Answer } from '../protocol/dns.ts';

/** Addresses of one host that are visited, of IPv4 and of IPv6 each. */
const MAX_ADDRESSES = 2;
/** Long enough for hosts that hold back their greeting to tell senders from spammers. */
const PROBE_MILLISECONDS = 15_000;

export interface VisitOptions {
  /** A mailbox whose acceptance is asked for. */
  readonly recipient?: string;
  /** False leaves the host alone and looks at the DNS only. */
  readonly probe?: boolean;
}

export interface HostVisit {
  /** The answers for its IPv4 and IPv6 addresses. */
  readonly lookups: readonly Answer<string>[];
  /** What was said at each address visited; empty where none was. */
  readonly answers: readonly SmtpAnswer[];
}

/** Looks the addresses of a host up and visits them at once. */
export async function visitMailHost(
  hostname: string,
  { dns, smtp }: Pick<Network, 'dns' | 'smtp'>,
  { recipient, probe = true }: VisitOptions = {},
): Promise<HostVisit> {
  const lookups = await Promise.all([dns.lookup(hostname, 'A'), dns.lookup(hostname, 'AAAA')]);
  const ips = lookups.flatMap((answer) => addressesOf([answer]).slice(0, MAX_ADDRESSES));
  const timeoutMilliseconds = PROBE_MILLISECONDS;
  const request = { hostname, timeoutMilliseconds, ...(recipient === undefined ? {} : { recipient }) };
  const answers = probe ? await Promise.all(ips.map((address) => smtp.probe({ ...request, address }))) : [];
  return { lookups, answers: withoutOurFault(answers) };
}

/** The addresses that were found. */
export function addressesOf(lookups: readonly Answer<string>[]): string[] {
  return lookups.flatMap((answer) => (answer.status === 'found' ? answer.records : []));
}

/**
 * An Smtp for the checks of one run, which goes to each address of a host once: every question, whoever asks it
 * first, is asked together with the one for `recipient`.
 */
export function visitOnce(smtp: Smtp, recipient: string | undefined): Smtp {
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

/** An IPv6 address that cannot be reached from here tells about our network, where another address answers. */
function withoutOurFault(answers: readonly SmtpAnswer[]): readonly SmtpAnswer[] {
  const telling = answers.filter(
    (answer) =>
      !(
        answer.status === 'unavailable' &&
        answer.reason === 'unreachable' &&
        isIPv6(answer.evidence.address)
      ),
  );
  return telling.length > 0 ? telling : answers;
}
