/**
 * Asks registries about domains by RDAP (RFC 9082), through the address guard. What is asked again within a day is remembered, and a
 * server that asks for a pause gets one.
 */
import { parse } from 'tldts';
import type { Web, WebAnswer } from '../network/ports.ts';
import { type RdapServers, rdapUrl, readBootstrap } from '../protocol/rdap/bootstrap.ts';
import { type Registration, readRegistration } from '../protocol/rdap/registration.ts';
import { DAY_MILLISECONDS } from '../protocol/time.ts';

export type RegistrationAnswer =
  | { readonly status: 'found'; readonly registration: Registration }
  /** The registry has no such domain. */
  | { readonly status: 'absent' }
  /** The registry of the domain has no RDAP server, or none with https. */
  | { readonly status: 'not-offered' }
  | { readonly status: 'unavailable'; readonly reason: string };

export interface Registrations {
  /** Never throws. @param domain A registrable domain. */
  lookUp(domain: string, now: Date): Promise<RegistrationAnswer>;
}

/** The file of IANA has about 100 KB, and answers about domains a tenth of that. */
const MAX_BOOTSTRAP_OCTETS = 1_048_576;
const MAX_ANSWER_OCTETS = 131_072;
const TIMEOUT_MILLISECONDS = 8_000;
const MAX_REDIRECTS = 2;

/** RFC 9224 section 8: the file may be cached, by its headers; IANA says a day. */
const BOOTSTRAP_MILLISECONDS = DAY_MILLISECONDS;
const BOOTSTRAP_RETRY_MILLISECONDS = 3_600_000;
/** Subdomains of one domain ask about the same registration. */
const ANSWER_MILLISECONDS = 6 * 3_600_000;
const MAX_ANSWERS = 1000;
/** A server that refuses so many domains in a row, and answers about none, refuses this service. */
const MOST_REFUSALS = 3;
/** A server that fails or refuses, or asks for a pause without saying for how long (RFC 9110 section 10.2.3). */
const PAUSE_MILLISECONDS = 600_000;
const LONGEST_PAUSE_MILLISECONDS = DAY_MILLISECONDS;

/** The domain that is registered, below an official public suffix: not below that of a provider, such as github.io. */
export function registeredDomain(name: string): string | undefined {
  const below = (allowPrivateDomains: boolean) =>
    parse(name, { allowPrivateDomains, extractHostname: false }).domain ?? undefined;
  const registered = below(false);
  // Below the suffix of a provider, the registered domain is the provider's.
  return registered === below(true) ? registered : undefined;
}

/** @param bootstrapUrl The address of the bootstrap file. */
export function createRegistrations(web: Web, bootstrapUrl: string): Registrations {
  let servers: { readonly known: RdapServers | undefined; readonly until: number } | undefined;
  let asking: Promise<void> | undefined;
  const answers = new Map<string, { readonly answer: RegistrationAnswer; readonly until: number }>();
  const paused = new Map<string, number>();
  /** The domains that each server refused since its last answer. */
  const refused = new Map<string, Set<string>>();

  async function askServers(now: Date): Promise<void> {
    const answer = await get(bootstrapUrl, MAX_BOOTSTRAP_OCTETS);
    const body = bodyOf(answer);
    const read = body && readBootstrap(body);
    // The file before is better than none.
    const until =
      now.getTime() + (read === undefined ? BOOTSTRAP_RETRY_MILLISECONDS : BOOTSTRAP_MILLISECONDS);
    servers = { known: read ?? servers?.known, until };
  }

  const get = (url: string, maxBytes: number): Promise<WebAnswer> =>
    web.get({
      ...{ url, maxBytes, timeoutMilliseconds: TIMEOUT_MILLISECONDS, redirects: MAX_REDIRECTS },
      onlyPort443: true,
    });

  async function ask(url: string, domain: string, now: Date): Promise<RegistrationAnswer> {
    const host = new URL(url).host;
    if ((paused.get(host) ?? 0) > now.getTime())
      return { status: 'unavailable', reason: 'the server gets a pause' };
    const answer = await get(url, MAX_ANSWER_OCTETS);
    const isRefused = isRefusal(answer) && refusedBy(host, domain) >= MOST_REFUSALS;
    if (answer.status === 'found' && !isRefusal(answer)) refused.delete(host);
    if (answer.status === 'found' && answer.httpStatus === 404) return { status: 'absent' };
    const body = bodyOf(answer);
    if (body !== undefined) {
      const registration = readRegistration(body, domain);
      return registration === undefined
        ? { status: 'unavailable', reason: 'the answer is not about the domain' }
        : { status: 'found', registration };
    }
    if (isRefused || concernsServer(answer)) paused.set(host, now.getTime() + pauseOf(answer));
    const reason = answer.status === 'found' ? `HTTP status ${answer.httpStatus}` : answer.reason;
    return { status: 'unavailable', reason };
  }

  /** How many domains the server refused in a row, with this one. */
  function refusedBy(host: string, domain: string): number {
    const domains = refused.get(host) ?? new Set();
    refused.set(host, domains);
    if (domains.size < MOST_REFUSALS) domains.add(domain);
    return domains.size;
  }

  return {
    async lookUp(domain, now) {
      const known = answers.get(domain);
      if (known !== undefined && known.until > now.getTime()) return known.answer;
      if (servers === undefined || servers.until <= now.getTime()) {
        asking ??= askServers(now).finally(() => {
          asking = undefined;
        });
        await asking;
      }
      const listed = servers?.known;
      if (listed === undefined)
        return { status: 'unavailable', reason: 'the list of RDAP servers is missing' };
      const url = rdapUrl(listed, domain);
      if (url === undefined) return { status: 'not-offered' };
      const answer = await ask(url, domain, now);
      if (answer.status !== 'unavailable') {
        answers.delete(domain);
        answers.set(domain, { answer, until: now.getTime() + ANSWER_MILLISECONDS });
        for (const [oldest] of answers) {
          if (answers.size <= MAX_ANSWERS) break;
          answers.delete(oldest);
        }
      }
      return answer;
    },
  };
}

const bodyOf = (answer: WebAnswer): Uint8Array | undefined =>
  answer.status === 'found' && answer.httpStatus === 200 ? answer.body : undefined;

/** Whether the server refuses, as it may only this domain: not for failures of its own, nor for too many questions. */
const isRefusal = (answer: WebAnswer): boolean =>
  answer.status === 'found' &&
  answer.httpStatus >= 400 &&
  answer.httpStatus !== 404 &&
  !concernsServer(answer);

/** Whether the failure would meet questions about other domains, too. Servers refuse single names with 400 and 422. */
function concernsServer(answer: WebAnswer): boolean {
  if (answer.status === 'found') return answer.httpStatus === 429 || answer.httpStatus >= 500;
  return answer.status !== 'rejected' || answer.reason !== 'too-large';
}

function pauseOf(answer: WebAnswer): number {
  const seconds =
    answer.status === 'found' ? Number(answer.headers['retry-after'] ?? Number.NaN) : Number.NaN;
  const asked = Number.isNaN(seconds) ? PAUSE_MILLISECONDS : 1000 * seconds;
  return Math.min(LONGEST_PAUSE_MILLISECONDS, Math.max(PAUSE_MILLISECONDS, asked));
}
