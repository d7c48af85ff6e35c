/** Check runs of random zones, whose answers arrive in a random order. */
import { setTimeout as pause } from 'node:timers/promises';
import type { CheckContext, DomainToCheck } from '../../../../shared/checks/inspect.ts';
import { systemClock } from '../../../../shared/network/clock.ts';
import type { Network, SmtpAnswer } from '../../../../shared/network/ports.ts';
import { createAuthority } from '../../../kit/certificates.ts';
import { random } from '../../../kit/random.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';
import { asked, checkContextOf } from '../../fixes/check-and-plan.ts';
import { type FaultyZone, faultyZones, zoneOf } from '../../fixes/faulty-zones.ts';

const KEY = `v=DKIM1; p=${'A'.repeat(392)}`;
const failures = ['SERVFAIL', 'TIMEOUT', 'REFUSED'] as const;

export interface RandomCheck {
  readonly asked: DomainToCheck;
  readonly context: CheckContext;
}

/** The check of a zone with parts of several faulty ones, and failures and keys of its own; the same one for a seed. */
export function randomCheck(seed: number): RandomCheck {
  const below = random(seed);
  const domain = `d${seed}.example.org`;
  const any = <T>(of: readonly T[]): T | undefined => of[below(of.length)];
  const part = <K extends keyof FaultyZone>(key: K) => {
    const value = any(faultyZones)?.[key];
    return value === undefined ? {} : { [key]: value };
  };
  const parts = (['spf', 'dmarc', 'tlsRpt', 'mtaSts', 'mx', 'more'] as const).map(part);
  const published = zoneOf(domain, Object.assign({ fault: 'random' }, ...parts));
  const keys = Array.from({ length: below(3) }, () => any(['s1', 'selector1', 'google', 'k1', '*']) ?? '');
  const failing = Array.from({ length: below(3) }, () => any(Object.keys(published)) ?? domain);
  const literal: ZoneLiteral = {
    ...published,
    ...Object.fromEntries(keys.map((key) => [`${key}._domainkey.${domain}`, { TXT: [KEY] }])),
    ...Object.fromEntries(failing.map((name) => [name, any(failures) ?? 'SERVFAIL'])),
    [`caa.${domain}`]: { CAA: [{ flags: 0, tag: 'issue', value: 'ca.example' }] },
  };
  const context = checkContextOf(domain, zone(literal), {
    tls: below(2) === 0,
    ...(below(3) === 0 && { policy: null }),
  });
  const known = below(2) === 0 ? ['s1', 'gone'] : [];
  return {
    asked: {
      ...asked(domain),
      knownSelectors: known,
      testEmailLocalPart: below(2) === 0 ? 'postmaster' : null,
    },
    // Evidence has the certificates of today.
    context: { ...context, network: shuffled({ ...context.network, clock: systemClock }, below) },
  };
}

/** Certificates of two issuers, and none, as hosts serve them. */
const chains = ['One', 'Two'].map((name) => {
  const authority = createAuthority(name);
  return [authority.issue(['mx.example.org']).der, authority.der];
});

function withChain(answer: SmtpAnswer, below: (limit: number) => number): SmtpAnswer {
  if (answer.status !== 'found' || answer.starttls.status !== 'established') return answer;
  const certificate = { ...answer.starttls.certificate, chain: chains[below(3)] ?? [] };
  return { ...answer, starttls: { ...answer.starttls, certificate } };
}

/** Answers take different times, so that they arrive in another order than they were asked for. */
function shuffled(network: Network, below: (limit: number) => number): Network {
  const late = async <T>(answer: Promise<T>): Promise<T> => {
    if (below(4) === 0) await pause(below(3));
    return answer;
  };
  return {
    ...network,
    dns: { lookup: (...question) => late(network.dns.lookup(...question)) },
    web: { get: (request) => late(network.web.get(request)) },
    smtp: { probe: async (request) => withChain(await late(network.smtp.probe(request)), below) },
  };
}
