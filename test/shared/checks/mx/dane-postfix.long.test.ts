/**
 * What the MX check says about DANE beside what Postfix does with the same answers and the same host (RFC 7672). Postfix
 * reads the address of its resolver from /etc/resolv.conf, so that it runs in a mount namespace with another one.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { inspectMx } from '../../../../shared/checks/mx/inspect.ts';
import type { Authenticate } from '../../../../shared/checks/mx/tlsa.ts';
import { systemClock } from '../../../../shared/network/clock.ts';
import { createChain, createSelfSigned, MAIL_HOST, tlsaOf } from '../../../kit/certificate-chains.ts';
import { hasMountNamespaces, smtpTo, withResolver } from '../../../kit/dane-tools.ts';
import { startDnsServer } from '../../../kit/dns-server.ts';
import { startSmtpHost } from '../../../kit/smtp-host.ts';
import { use } from '../../../kit/use.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';

/** What Postfix does with mail: deliver to a host that DANE verified, deliver without it, or defer. */
type Delivery = 'verified' | 'not verified' | 'deferred';

interface Scenario {
  readonly title: string;
  readonly postfix: Delivery;
  /** `daneSupported`, and the findings about DANE. */
  readonly ours: readonly [boolean | null, ...string[]];
  /** TLSA records by the name of the host. */
  readonly tlsa: Readonly<Record<string, NonNullable<ZoneNode['TLSA']>>>;
  /** Names whose records are not signed. */
  readonly insecure?: readonly string[];
  readonly host?: ZoneNode;
  readonly mx?: 'SERVFAIL';
}

const RESOLVER = '127.0.53.25';
const TARGET = 'real.example.org';
const chain = createChain('none');
const good = tlsaOf(chain.leaf, 3, 1, 1);
const wrong = tlsaOf(createSelfSigned().leaf, 3, 1, 1);
const anchor = tlsaOf(chain.root, 2, 1, 1);
const unusable = { ...good, usage: 1 };
const alias: ZoneNode = { CNAME: [TARGET] };

const of = (
  title: string,
  tlsa: Scenario['tlsa'],
  postfix: Delivery,
  found: Scenario['ours'],
  more: Partial<Scenario> = {},
): Scenario => ({ title, tlsa, postfix, ours: found, ...more });
const own = (set: NonNullable<ZoneNode['TLSA']>) => ({ [MAIL_HOST]: set });
const unsignedHost = { insecure: [MAIL_HOST] };
const mismatch = [false, 'mx-tlsa-mismatch'] as const;
const notSigned = [false, 'mx-tlsa-not-signed'] as const;
const unavailable = [null, 'mx-tlsa-unavailable'] as const;
const failing = { A: 'SERVFAIL', AAAA: 'SERVFAIL' } as const;

const scenarios: readonly Scenario[] = [
  of('a matching key', own([good]), 'verified', [true]),
  of('a matching authority', own([anchor]), 'verified', [true]),
  of('another key', own([wrong]), 'deferred', mismatch),
  of('no records', {}, 'not verified', [false]),
  of('only unusable records', own([unusable]), 'not verified', [false, 'mx-tlsa-unusable']),
  of('a lookup of records that fails', own('SERVFAIL'), 'deferred', unavailable),
  of('addresses that are not signed, and another key', own([wrong]), 'not verified', notSigned, unsignedHost),
  of(
    'addresses that are not signed, and a lookup of records that fails',
    own('SERVFAIL'),
    'not verified',
    [false],
    unsignedHost,
  ),
  of('records that are not signed', own([wrong]), 'not verified', notSigned, {
    insecure: [`_25._tcp.${MAIL_HOST}`],
  }),
  of('a lookup of addresses that fails', own([good]), 'deferred', [null], { host: failing }),
  of('a lookup of MX records that fails', own([good]), 'deferred', [null], { mx: 'SERVFAIL' }),
  ...[
    of('records of its target', { [TARGET]: [good] }, 'verified', [true]),
    of('only records of its own', own([good]), 'verified', [true]),
    of('records of both', { [TARGET]: [wrong], ...own([good]) }, 'deferred', mismatch),
    of('a target that is not signed', { [TARGET]: [wrong], ...own([good]) }, 'verified', [true], {
      insecure: [TARGET],
    }),
    of('no signature', { [TARGET]: [wrong], ...own([wrong]) }, 'not verified', notSigned, unsignedHost),
    of(
      'a failing lookup of the records of its target',
      { [TARGET]: 'SERVFAIL', ...own([good]) },
      'deferred',
      unavailable,
    ),
  ].map((one) => ({ ...one, title: `an alias, and ${one.title}`, host: alias })),
];

/** Why these tests cannot run here: a program is missing, or it does not reach a host without any DANE. */
async function missing(): Promise<string | undefined> {
  if (!existsSync('/usr/sbin/posttls-finger')) return 'no posttls-finger';
  if (!hasMountNamespaces()) return 'no mount namespaces';
  let printed = '';
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const reached = await postfix(of('', {}, 'not verified', [false]), mail.port);
    if (reached.delivery === 'not verified') return undefined;
    printed = reached.printed.trim();
    await sleep(1000);
  }
  return `posttls-finger reaches no host here: ${printed}`;
}

const sent = [chain.leaf, chain.intermediate, chain.root].map(String).join('');
const mail = await use(startSmtpHost({ certificate: { cert: sent, key: chain.key } }));
const printedBy = withResolver(RESOLVER);
const lacking = await missing();

function literalOf({ mx, host, tlsa }: Scenario, address: string, port: number): ZoneLiteral {
  const addresses = { A: [address] };
  const records = Object.entries(tlsa).map(([name, set]) => [`_${port}._tcp.${name}`, { TLSA: set }]);
  return {
    'example.org': mx ?? { MX: [[10, MAIL_HOST]] },
    [MAIL_HOST]: host ?? addresses,
    ...(host === alias ? { [TARGET]: addresses } : {}),
    ...Object.fromEntries(records),
  };
}

async function ours(scenario: Scenario, port: number): Promise<Scenario['ours']> {
  const dns = zone(literalOf(scenario, '192.0.2.1', 25));
  const { insecure = [] } = scenario;
  const authenticate: Authenticate = async (answer) => {
    const names = answer.status === 'found' ? [...answer.aliases, answer.name] : [];
    return names.some((name) => insecure.includes(name)) ? 'insecure' : 'secure';
  };
  const network = { dns, smtp: smtpTo(port, dns), clock: systemClock };
  const { daneSupported, findings } = await inspectMx('example.org', network, { authenticate });
  return [daneSupported, ...findings.map(({ id }) => id).filter((id) => id.startsWith('mx-tlsa'))];
}

async function postfix(scenario: Scenario, port: number): Promise<{ delivery: Delivery; printed: string }> {
  const insecure = (scenario.insecure ?? []).map((name) => name.replace('_25.', `_${port}.`));
  const dns = await startDnsServer(literalOf(scenario, '127.0.0.1', port), {
    host: RESOLVER,
    port: 53,
    insecure,
    negativeTtl: 1,
  });
  try {
    const printed = await printedBy(`posttls-finger -c -l dane -L summary "example.org:${port}"`);
    return { delivery: deliveryIn(printed), printed };
  } finally {
    await dns.stop();
  }
}

/** Postfix establishes TLS before it decides that the certificate does not match. */
function deliveryIn(printed: string): Delivery {
  if (/^posttls-finger: Verified TLS connection/m.test(printed)) return 'verified';
  const isEstablished = /^posttls-finger: Untrusted TLS connection/m.test(printed);
  return isEstablished && !printed.includes('no matching DANE TLSA records') ? 'not verified' : 'deferred';
}

// The reason is only known here, and jest shows no titles of tests that it skips.
if (lacking !== undefined) process.stderr.write(`DANE as Postfix does it: skipped: ${lacking}\n`);
const title = `DANE as Postfix does it${lacking === undefined ? '' : ` (skipped: ${lacking})`}`;
(lacking === undefined ? describe : describe.skip)(title, () => {
  test.each(scenarios)('$title', async (scenario) => {
    const { port } = mail;
    expect(await ours(scenario, port)).toEqual(scenario.ours);
    expect(await postfix(scenario, port)).toEqual({
      delivery: scenario.postfix,
      printed: expect.any(String),
    });
  });
});
