/**
 * What the MX check says about DANE beside what Postfix does with the same answers and the same host (RFC 7672). Postfix
 * reads the address of its resolver from /etc/resolv.conf, so that it runs in a mount namespace with another one.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { inspectMx } from '../../../../shared/checks/mx/inspect.ts';
import type { Authenticate } from '../../../../shared/checks/mx/tlsa.ts';
import { systemClock } from '../../../../shared/network/clock.ts';
import { createDialer } from '../../../../shared/network/dialer.ts';
import { createSmtp } from '../../../../shared/network/smtp-probe.ts';
import { createChain, createSelfSigned, MAIL_HOST, tlsaOf } from '../../../kit/certificate-chains.ts';
import { startDnsServer } from '../../../kit/dns-server.ts';
import { startSmtpHost } from '../../../kit/smtp-host.ts';
import { use, useFolder } from '../../../kit/use.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';

/** What Postfix does with mail: deliver to a host that DANE verified, deliver without it, or defer. */
type Delivery = 'verified' | 'not verified' | 'deferred';

interface Scenario {
  readonly title: string;
  readonly postfix: Delivery;
  /** `daneSupported`, and the findings about DANE. */
  readonly ours: readonly [boolean | null, ...string[]];
  readonly host?: ZoneNode;
  readonly mx?: 'SERVFAIL';
  /** TLSA records by the name of the host; none by default. */
  readonly tlsa?: Readonly<Record<string, NonNullable<ZoneNode['TLSA']>>>;
  /** Names whose records are not signed. */
  readonly insecure?: readonly string[];
}

const RESOLVER = '127.0.53.25';
const TARGET = 'real.example.org';
const chain = createChain('none');
const good = tlsaOf(chain.leaf, 3, 1, 1);
const wrong = tlsaOf(createSelfSigned().leaf, 3, 1, 1);
const anchor = tlsaOf(chain.root, 2, 1, 1);
const unusable = { ...good, usage: 1 };
const alias: ZoneNode = { CNAME: [TARGET] };

const scenarios: readonly Scenario[] = [
  { title: 'a matching key', tlsa: { [MAIL_HOST]: [good] }, postfix: 'verified', ours: [true] },
  { title: 'a matching authority', tlsa: { [MAIL_HOST]: [anchor] }, postfix: 'verified', ours: [true] },
  {
    title: 'another key',
    tlsa: { [MAIL_HOST]: [wrong] },
    postfix: 'deferred',
    ours: [false, 'mx-tlsa-mismatch'],
  },
  { title: 'no records', postfix: 'not verified', ours: [false] },
  {
    title: 'only unusable records',
    tlsa: { [MAIL_HOST]: [unusable] },
    postfix: 'not verified',
    ours: [false, 'mx-tlsa-unusable'],
  },
  {
    title: 'a lookup of records that fails',
    tlsa: { [MAIL_HOST]: 'SERVFAIL' },
    postfix: 'deferred',
    ours: [null, 'mx-tlsa-unavailable'],
  },
  {
    title: 'addresses that are not signed, and another key',
    tlsa: { [MAIL_HOST]: [wrong] },
    insecure: [MAIL_HOST],
    postfix: 'not verified',
    ours: [false, 'mx-tlsa-not-signed'],
  },
  {
    title: 'addresses that are not signed, and a lookup of records that fails',
    tlsa: { [MAIL_HOST]: 'SERVFAIL' },
    insecure: [MAIL_HOST],
    postfix: 'not verified',
    ours: [false],
  },
  {
    title: 'records that are not signed',
    tlsa: { [MAIL_HOST]: [wrong] },
    insecure: [`_25._tcp.${MAIL_HOST}`],
    postfix: 'not verified',
    ours: [false, 'mx-tlsa-not-signed'],
  },
  {
    title: 'a lookup of addresses that fails',
    host: { A: 'SERVFAIL', AAAA: 'SERVFAIL' },
    tlsa: { [MAIL_HOST]: [good] },
    postfix: 'deferred',
    ours: [null],
  },
  {
    title: 'a lookup of MX records that fails',
    mx: 'SERVFAIL',
    tlsa: { [MAIL_HOST]: [good] },
    postfix: 'deferred',
    ours: [null],
  },
  {
    title: 'an alias, and records of its target',
    host: alias,
    tlsa: { [TARGET]: [good] },
    postfix: 'verified',
    ours: [true],
  },
  {
    title: 'an alias, and only records of its own',
    host: alias,
    tlsa: { [MAIL_HOST]: [good] },
    postfix: 'verified',
    ours: [true],
  },
  {
    title: 'an alias, and records of both',
    host: alias,
    tlsa: { [TARGET]: [wrong], [MAIL_HOST]: [good] },
    postfix: 'deferred',
    ours: [false, 'mx-tlsa-mismatch'],
  },
  {
    title: 'an alias to a target that is not signed',
    host: alias,
    tlsa: { [TARGET]: [wrong], [MAIL_HOST]: [good] },
    insecure: [TARGET],
    postfix: 'verified',
    ours: [true],
  },
  {
    title: 'an alias that is not signed',
    host: alias,
    tlsa: { [TARGET]: [wrong], [MAIL_HOST]: [wrong] },
    insecure: [MAIL_HOST],
    postfix: 'not verified',
    ours: [false, 'mx-tlsa-not-signed'],
  },
  {
    title: 'an alias, and a lookup of the records of its target that fails',
    host: alias,
    tlsa: { [TARGET]: 'SERVFAIL', [MAIL_HOST]: [good] },
    postfix: 'deferred',
    ours: [null, 'mx-tlsa-unavailable'],
  },
];

/** Why these tests cannot run here: a program is missing, or it does not reach a host without any DANE. */
async function missing(): Promise<string | undefined> {
  if (!existsSync('/usr/sbin/posttls-finger')) return 'no posttls-finger';
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
  } catch {
    return 'no mount namespaces';
  }
  let printed = '';
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const reached = await postfix({ title: '', postfix: 'not verified', ours: [false] }, mail.port);
    if (reached.delivery === 'not verified') return undefined;
    printed = reached.printed.trim();
    await sleep(1000);
  }
  return `posttls-finger reaches no host here: ${printed}`;
}

const sent = [chain.leaf, chain.intermediate, chain.root].map(String).join('');
const mail = await use(startSmtpHost({ certificate: { cert: sent, key: chain.key } }));
const folder = useFolder('posttls');
writeFileSync(join(folder, 'resolv.conf'), `nameserver ${RESOLVER}\n`);
writeFileSync(join(folder, 'main.cf'), 'compatibility_level = 3.6\nsmtp_host_lookup = dns\n');
const lacking = await missing();

function literalOf({ mx, host, tlsa = {} }: Scenario, address: string, port: number): ZoneLiteral {
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
  const dialMap = new Map([['192.0.2.1:25', { address: '127.0.0.1', port }]]);
  const dialer = createDialer({ dns, privateAddresses: 'deny', dialMap });
  const smtp = createSmtp({ dialer, ehloName: 'probe.test' });
  const { insecure = [] } = scenario;
  const authenticate: Authenticate = async (answer) => {
    const names = answer.status === 'found' ? [...answer.aliases, answer.name] : [];
    return names.some((name) => insecure.includes(name)) ? 'insecure' : 'secure';
  };
  const network = { dns, smtp, clock: systemClock };
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
    const command = `mount --bind ${folder}/resolv.conf /etc/resolv.conf && exec posttls-finger -c -l dane -L summary "example.org:${port}"`;
    const { stdout, stderr } = await promisify(execFile)('unshare', ['--mount', 'sh', '-c', command], {
      timeout: 20_000,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', MAIL_CONFIG: folder },
    });
    const printed = `${stdout}${stderr}`;
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
