/**
 * Tests the DNSSEC check against real servers: a signed hierarchy served by NSD, queried through BIND and Unbound. The
 * lab is stored beside the project (`../shared/lab/dnssec`); without it, or without the programs, the tests are
 * skipped.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inspectDnssec } from '../../../../shared/checks/dnssec/inspect.ts';
import { systemClock } from '../../../../shared/network/clock.ts';
import type { Network } from '../../../../shared/network/ports.ts';
import { createResolver } from '../../../../shared/network/resolver.ts';
import { parseTrustAnchors } from '../../../../shared/protocol/dnssec/anchors.ts';
import { createValidator, type Validator } from '../../../../shared/protocol/dnssec/chain.ts';
import { freePort } from '../../../kit/free-port.ts';
import { useFolder } from '../../../kit/use.ts';

const labFolder = fileURLToPath(new URL('../../../../../shared/lab/dnssec', import.meta.url));
const programs = ['named', 'nsd', 'unbound', 'dig', 'ss', 'dnssec-signzone', 'dnssec-keygen'];
const path = [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter);
const missing = programs.filter(
  (it) => !path.split(delimiter).some((folder) => existsSync(join(folder, it))),
);
const reason = !existsSync(labFolder) ? 'no lab' : `no ${missing.join(', ')}`;
const available = existsSync(labFolder) && missing.length === 0;

/** Domain, state, enabled, valid, chainValid, and the findings with their subjects. */
const table: readonly (readonly [string, string, boolean, boolean, boolean, ...string[]])[] = [
  ['p256.lab', 'pass', true, true, true],
  ['p384.lab', 'pass', true, true, true],
  ['rsa.lab', 'pass', true, true, true],
  ['rsa512.lab', 'pass', true, true, true],
  ['ed25519.lab', 'pass', true, true, true],
  ['ed448.lab', 'pass', true, true, true],
  ['csk.lab', 'pass', true, true, true],
  ['sub.p256.lab', 'pass', true, true, true],
  ['deep.ent.p256.lab', 'pass', true, true, true],
  ['rsasha1.lab', 'fail', true, true, false, 'dnssec-algorithm-sha1'],
  ['twods.lab', 'warning', true, true, true, 'dnssec-ds-stale <tag>'],
  ['island.lab', 'warning', true, true, false, 'dnssec-no-ds'],
  ['unsigned.lab', 'absent', false, false, false, 'dnssec-not-signed'],
  ['plain.p256.lab', 'absent', false, false, false, 'dnssec-not-signed'],
  ['bogus.lab', 'fail', true, false, true, 'dnssec-signature-invalid bogus.lab TXT'],
  ['bogusmx.lab', 'fail', true, false, true, 'dnssec-signature-invalid bogusmx.lab MX'],
  ['expired.lab', 'fail', true, false, false, ...everySet('dnssec-signature-expired', 'expired.lab')],
  ['notyet.lab', 'fail', true, false, false, ...everySet('dnssec-signature-not-yet-valid', 'notyet.lab')],
  ['dsmismatch.lab', 'fail', true, false, false, 'dnssec-ds-mismatch'],
  ['dsunsigned.lab', 'fail', false, false, false, 'dnssec-ds-without-key'],
  // Names that are not zone apexes: the zone that contains them is judged.
  ['host.p256.lab', 'pass', true, true, true],
  ['www.p256.lab', 'pass', true, true, true],
  ['b.c.ent.p256.lab', 'pass', true, true, true],
  ['host.unsigned.lab', 'absent', false, false, false, 'dnssec-not-signed'],
  ['nothere.p256.lab', 'absent', false, false, false, 'dnssec-no-such-name'],
  // A zone whose server does not exist.
  ['www.servfail.lab', 'unknown', false, false, false, 'dnssec-unavailable www.servfail.lab SOA'],
];

function everySet(id: string, zone: string): string[] {
  return ['DNSKEY', 'SOA', 'MX', 'TXT'].map((type) => `${id} ${zone} ${type}`);
}

const resolvers = [
  ['BIND', '127.0.0.1'],
  ['unbound', '127.0.53.11'],
] as const;

if (available) suite();
else test.skip(`DNSSEC against real servers: skipped, ${reason}`, () => undefined);

function suite(): void {
  const worlds = new Map<string, { network: Network; validator: Validator }>();
  let folder = '';
  let port = 0;
  const lab = (command: string) =>
    execFileSync('bash', [join(folder, 'lab.sh'), command], {
      env: { ...process.env, PATH: path, LAB: join(folder, 'state'), PORT: String(port) },
      stdio: 'ignore',
      timeout: 60_000,
    });

  beforeAll(async () => {
    folder = useFolder('dnssec-lab');
    cpSync(labFolder, folder, { recursive: true });
    port = await freePort();
    lab('setup');
    lab('start');
    const anchors = parseTrustAnchors(readFileSync(join(folder, 'state', 'anchor.ds'), 'utf8'));
    if (!anchors.ok) throw new Error(`unreadable anchor: ${anchors.entry}`);
    for (const [name, address] of resolvers) {
      const dns = createResolver({ servers: [{ address, port }], clock: systemClock });
      const refused = { get: refuse, probe: refuse };
      worlds.set(name, {
        network: { dns, web: refused, smtp: refused, clock: systemClock },
        validator: createValidator({ dns, anchors: anchors.anchors, clock: systemClock }),
      });
    }
  });

  afterAll(() => {
    lab('stop');
  });

  describe.each(resolvers.map(([name]) => name))('through %s', (name) => {
    test.each(table)('%s is %s', async (domain, state, enabled, valid, chainValid, ...findings) => {
      const { network, validator } = worlds.get(name) ?? refuse();
      const result = await inspectDnssec(domain, network, validator);
      const findingTexts = result.findings.map(({ id, subject = '' }) =>
        `${id} ${subject}`.trim().replace(/ \d+$/, ' <tag>'),
      );
      expect({ ...result, findings: findingTexts }).toMatchObject({
        state,
        enabled,
        valid,
        chainValid,
        findings,
      });
    });
  });

  test('the table has a row for every zone of the lab', () => {
    const zones = readFileSync(join(folder, 'state', 'order'), 'utf8')
      .trim()
      .split('\n');
    const rows = new Set(table.map(([domain]) => domain));
    expect(zones.map((line) => line.split(' ')[0]).filter((zone) => !rows.has(zone ?? ''))).toEqual([]);
  });
}

function refuse(): never {
  throw new Error('unexpected query');
}
