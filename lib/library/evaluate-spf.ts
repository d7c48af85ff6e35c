import { evaluate, type SpfEvaluation } from '../../shared/protocol/spf/evaluate.ts';
import { type NetworkOptions, networkOf } from './network.ts';

/** The client whose mail SPF is about. */
export interface SpfClient {
  /** Its IPv4 or IPv6 address. */
  readonly ip: string;
  /** The address of MAIL FROM without brackets; empty for a bounce, which SPF evaluates for `helo`. */
  readonly mailFrom: string;
  /** The name in HELO or EHLO. Default: the domain of `mailFrom`. */
  readonly helo?: string;
}

/**
 * Evaluates SPF for one client, as receivers do (`check_host()` of RFC 7208 section 4), within its limits of 10 lookups and 2
 * void lookups. Never throws because of the network: a failed lookup is the result `temperror`.
 */
export function evaluateSpf(
  { ip, mailFrom, helo = mailFrom.slice(mailFrom.lastIndexOf('@') + 1) }: SpfClient,
  options: Pick<NetworkOptions, 'dnsServers'> = {},
): Promise<SpfEvaluation> {
  const { dns, clock } = networkOf(options);
  return evaluate({ ip, mailFrom, helo, now: clock.now() }, dns);
}
