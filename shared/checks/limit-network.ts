/**
 * Limits what a check run sends to others: the records of a domain decide whom the run contacts. If nobody proved that the
 * domain is theirs, anybody can have it checked, and there are more limits.
 */
import type { AuthoritativeServers, MayContact, Network, Smtp, Web } from '../network/ports.ts';
import type { Dns, Unavailable } from '../protocol/dns.ts';
import { EXPANSION_LIMITS } from '../protocol/spf/limits.ts';
import { rememberLookups } from './preview/remember.ts';

/** What is sent to an address. */
export type ContactKind = 'smtp' | 'https' | 'dns';

/** Whether one more connection to an address may be opened, or one more query be sent to it, counted for all check runs. */
type MayContactTarget = (kind: ContactKind, address: string) => Promise<boolean>;

export interface RunLimits {
  /** DNS lookups, and queries to name servers themselves. */
  readonly queries: number;
  readonly smtpConnections: number;
  readonly httpsRequests: number;
  readonly httpsConnections: number;
}

/**
 * The most that one check run sends. Beyond a limit, lookups, requests and probes are `unavailable`, so that a check is
 * `unknown` and nothing is reported as missing.
 */
export const RUN_LIMITS: RunLimits = {
  // As many as an SPF expansion alone may cause.
  queries: EXPANSION_LIMITS.questions,
  // Five hosts with an IPv4 and an IPv6 address each.
  smtpConnections: 10,
  // A policy, a logo and its evidence, and one redirect.
  httpsRequests: 4,
  // Two addresses for each request (RFC 8305).
  httpsConnections: 8,
};

/** A preview makes each lookup and probe once for two check runs, but can send each request twice. */
export const PREVIEW_LIMITS: RunLimits = {
  ...RUN_LIMITS,
  httpsRequests: 2 * RUN_LIMITS.httpsRequests,
  httpsConnections: 2 * RUN_LIMITS.httpsConnections,
};

/**
 * The network of one check run with so many queries at most: DNS lookups, those of hosts of web servers and name servers
 * included, and queries to name servers themselves. It makes each lookup once. An ordinary signed domain needs about 100,
 * and one with ten MX hosts in ten signed zones and every lookup of SPF less than 250.
 */
export function limitQueries(network: Network, most = RUN_LIMITS.queries): Network {
  const mayQuery = counter(most);
  const dns = rememberLookups({
    lookup: async (...question) => (mayQuery() ? network.dns.lookup(...question) : refused),
  } satisfies Dns);
  const { over, clock, smtp } = network;
  const limitAuthorities = ({ ask }: AuthoritativeServers): AuthoritativeServers => ({
    ask: async (...question) => (mayQuery() ? ask(...question) : notAsked),
  });
  const limited = ({ web, authorities }: Pick<Network, 'web' | 'authorities'>) => ({
    web,
    ...(authorities && { authorities: limitAuthorities(authorities) }),
  });
  return {
    dns,
    clock,
    smtp,
    ...limited(over?.(dns) ?? network),
    ...(over && { over: (answers) => limited(over(answers)) }),
  };
}

/** The network of one check run within limits. It makes HTTPS requests to port 443 only. */
export function limitNetwork(network: Network, mayContact: MayContactTarget, limits = RUN_LIMITS): Network {
  const within = (kind: ContactKind, isLeft: () => boolean): { readonly mayContact: MayContact } => ({
    mayContact: async (address) => isLeft() && mayContact(kind, address),
  });
  const https = {
    ...within('https', counter(limits.httpsConnections)),
    mayRequest: counter(limits.httpsRequests),
    onlyPort443: true,
  };
  const smtp = within('smtp', counter(limits.smtpConnections));
  const mayContactServer: MayContact = (address) => mayContact('dns', address);

  const limitSmtp = ({ probe }: Smtp): Smtp => ({ probe: (request) => probe({ ...request, ...smtp }) });
  const limitWeb = ({ get }: Web): Web => ({ get: (request) => get({ ...request, ...https }) });
  const limitAuthorities = ({ ask }: AuthoritativeServers): AuthoritativeServers => ({
    ask: (name, question, type) => ask(name, question, type, mayContactServer),
  });
  const limited = ({ web, authorities }: Pick<Network, 'web' | 'authorities'>) => ({
    web: limitWeb(web),
    ...(authorities && { authorities: limitAuthorities(authorities) }),
  });

  const { over, ...queried } = limitQueries(network, limits.queries);
  return {
    ...queried,
    smtp: limitSmtp(network.smtp),
    ...limited(queried),
    ...(over && { over: (answers) => limited(over(answers)) }),
  };
}

/** A function that returns true so many times. */
function counter(limit: number): () => boolean {
  let left = limit;
  return () => {
    left -= 1;
    return left >= 0;
  };
}

const refused: Unavailable = { status: 'unavailable', reason: 'lookup-limit', evidence: { milliseconds: 0 } };
const notAsked = { status: 'unavailable', detail: 'lookup-limit' } as const;
