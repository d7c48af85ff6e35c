/**
 * The records that the MX check proposes before a certificate is renewed, on real SMTP hosts: the preview of a signed zone says that
 * they solve the problem, and OpenSSL, with which most senders decide, accepts the hosts before and after the renewal.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import { inspectMx } from '../../../../shared/checks/mx/inspect.ts';
import { watchChains } from '../../../../shared/checks/mx/rollover.ts';
import { differenceOf } from '../../../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../../../shared/checks/preview/preview.ts';
import { readChanges } from '../../../../shared/checks/preview/proposal.ts';
import { createDialer } from '../../../../shared/network/dialer.ts';
import type { Network } from '../../../../shared/network/ports.ts';
import { createSmtp } from '../../../../shared/network/smtp-probe.ts';
import type { Dns } from '../../../../shared/protocol/dns.ts';
import type { Finding } from '../../../../shared/protocol/findings/finding.ts';
import type { ServedHosts } from '../../../../shared/protocol/served-chain.ts';
import { readValue } from '../../../../shared/protocol/zone-file/record-set.ts';
import { createIssuer, type Issued } from '../../../kit/renewals.ts';
import { type SmtpHost, startSmtpHost } from '../../../kit/smtp-host.ts';
import { fakeWeb } from '../../../kit/web.ts';
import { zone } from '../../../kit/zone.ts';
import {
  anchorOf,
  delegation,
  makeKey,
  rdata,
  signed,
  world,
  zoneSets,
} from '../../protocol/dnssec/signed-world.ts';

const DAY = 86_400_000;
const HOST = 'mx.example.org';
const TLSA = `_25._tcp.${HOST}`;
const ago = (days: number) => new Date(Date.now() - days * DAY);
const ca = createIssuer({ organization: 'Steady CA', intermediates: ['Steady 1'] });

const running: SmtpHost[] = [];
afterEach(() => Promise.all(running.splice(0).map((host) => host.stop())));

/** A real host with a certificate, and the network in which its TLSA records are published. */
async function serve({ key, chain }: Issued) {
  const pem = chain.map((der) => new X509Certificate(der).toString()).join('');
  const host = await startSmtpHost({
    certificate: {
      cert: pem,
      key: String(key.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      chain: pem,
    },
  });
  running.push(host);
  const networkAt = (values: readonly string[], now: Date): Network => {
    const dns = zone({
      'example.org': {
        MX: [[10, HOST]],
        SOA: [{ mname: 'ns.example.org', rname: 'admin.example.org', serial: 1, minimum: 60 }],
      },
      [HOST]: { A: ['192.0.2.1'] },
      [TLSA]: { TLSA: values.flatMap((value) => readValue('TLSA', value) ?? []) },
    });
    const dialMap = new Map([['192.0.2.1:25', { address: host.address, port: host.port }]]);
    const dialer = createDialer({ dns, privateAddresses: 'deny', dialMap });
    return {
      dns,
      smtp: createSmtp({ dialer, ehloName: 'probe.test' }),
      web: fakeWeb({}),
      clock: { now: () => now },
    };
  };
  return { port: host.port, networkAt };
}

const [root, org, example] = [makeKey(''), makeKey('org'), makeKey('example.org')];

/** The domain below a root of the test, with these TLSA records. */
function signedZone(values: readonly string[]): Dns {
  const records = values.flatMap((value) => readValue('TLSA', value) ?? []);
  const tlsa = records.map(({ usage, selector, matchingType, certificate }) =>
    Buffer.concat([Buffer.of(usage, selector, matchingType), certificate]),
  );
  return world([
    ...[root, org, example].flatMap(zoneSets),
    ...[delegation(org, root), delegation(example, org)],
    signed({ name: HOST, type: 'A', rdata: [rdata.A('192.0.2.1')] }, example),
    signed({ name: TLSA, type: 'TLSA', rdata: tlsa }, example),
  ]);
}

const secure = async () => 'secure' as const;

/** A check run some days ago: what it found, and the history after it. */
async function run(issued: Issued, values: readonly string[], served: ServedHosts, days: number) {
  const { networkAt, port } = await serve(issued);
  const network = networkAt(values, ago(days));
  const watched = watchChains(network.smtp);
  const result = await inspectMx(
    'example.org',
    { ...network, smtp: watched.smtp },
    { authenticate: secure, served },
  );
  return { result, served: watched.served(served, ago(days)), network, port };
}

const ids = (findings: readonly Pick<Finding, 'id'>[]) =>
  findings.map(({ id }) => id).filter((id) => id.startsWith('mx-tlsa'));

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Whether OpenSSL accepts the host with these records. */
async function accepts(port: number, values: readonly string[]): Promise<boolean> {
  const command = promisify(execFile)(
    'openssl',
    [
      ...['s_client', '-starttls', 'smtp', '-connect', `127.0.0.1:${port}`, '-brief'],
      ...['-dane_tlsa_domain', HOST, '-dane_ee_no_namechecks', '-verify_return_error'],
      ...values.flatMap((value) => ['-dane_tlsa_rrdata', value]),
    ],
    { timeout: 20_000 },
  );
  command.child.stdin?.end('QUIT\r\n');
  return command.then(
    ({ stderr }) => /^Verification: OK$/m.test(stderr),
    () => false,
  );
}

describe.each([
  { title: 'a key that each renewal changes', keepsKey: false, record: '3 1 1', proposed: '2 1 1' },
  {
    title: 'a whole certificate with a key that is kept',
    keepsKey: true,
    record: '3 0 1',
    proposed: '3 1 1',
  },
])('a record for $title', ({ keepsKey, record, proposed }) => {
  test('gets the record beside it that survives the renewal', async () => {
    const first = ca.issue(ago(130), { days: 90 });
    const renew = (days: number) => ca.issue(ago(days), { days: 90, ...(keepsKey && { key: first.key }) });
    const second = renew(70);
    const third = renew(0);
    const recordOf = ({ chain: [leaf = new Uint8Array()] }: Issued) => {
      const certificate = new X509Certificate(leaf);
      const data =
        record === '3 0 1' ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' });
      return `${record} ${createHash('sha256').update(data).digest('hex')}`;
    };
    const before = await run(first, [recordOf(first)], [], 100);
    const published = [recordOf(second)];
    const now = await run(second, published, before.served, 1);
    const found = now.result.findings.find(({ id }) => id === 'mx-tlsa-renewal-breaks');
    const values = found?.arguments.publish as readonly string[];
    expect([values.length, values[0], values[1]?.slice(0, 5)]).toEqual([2, published[0], proposed]);
    expect(now.result.daneSupported).toBe(true);

    const sets = readChanges([{ name: TLSA, type: 'TLSA', after: values }], 'example.org');
    const preview = await previewChecks(
      { domain: 'example.org', testEmailLocalPart: null, knownSelectors: [], servedChains: before.served },
      sets.ok ? sets.sets : [],
      { network: { ...now.network, dns: signedZone(published) }, trustAnchors: [anchorOf(root)] },
    );
    if (!preview.ok) throw new Error('refused');
    const { resolved, introduced } = differenceOf(preview.before, preview.after);
    expect([ids(resolved), introduced, preview.after.mx.daneSupported]).toEqual([
      ['mx-tlsa-renewal-breaks'],
      [],
      true,
    ]);

    const afterwards = await run(third, values, now.served, 0);
    expect([ids(afterwards.result.findings), afterwards.result.daneSupported]).toEqual([[], true]);
    const unprepared = await run(third, published, now.served, 0);
    expect([ids(unprepared.result.findings), unprepared.result.daneSupported]).toEqual([
      ['mx-tlsa-mismatch'],
      false,
    ]);
    if (!hasOpenssl) return;
    const judged = await Promise.all([
      accepts(now.port, values),
      accepts(afterwards.port, values),
      accepts(unprepared.port, published),
    ]);
    expect(judged).toEqual([true, true, false]);
  });
});
