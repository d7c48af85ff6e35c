/**
 * What the MX check forecasts of the next renewal of a certificate, beside what danetool (GnuTLS) and posttls-finger (Postfix) say
 * before and after the renewal about the same records and the same host. Both ask the resolver in /etc/resolv.conf, so that they run
 * in a mount namespace with another one.
 */
import { existsSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { readValue } from '../../../../shared/protocol/zone-file/record-set.ts';
import { hasMountNamespaces, withResolver } from '../../../kit/dane-tools.ts';
import { startDnsServer } from '../../../kit/dns-server.ts';
import { createIssuer } from '../../../kit/renewals.ts';
import { ago, HOST, type RecordKind, recordFor, renewedHosts } from '../../../kit/renewed-host.ts';

const RESOLVER = '127.0.53.26';
// danetool ends with 1 if the records do not match.
const printedBy = withResolver(RESOLVER, { mayFail: true });

const hosts = renewedHosts();

/** Why these tests cannot run here. */
function missing(): string | undefined {
  if (!existsSync('/usr/bin/danetool')) return 'no danetool';
  if (!existsSync('/usr/sbin/posttls-finger')) return 'no posttls-finger';
  return hasMountNamespaces() ? undefined : 'no mount namespaces';
}

/** Whether both programs accept a host with these records; an error if they disagree or decide nothing. */
async function toolsAccept(port: number, values: readonly string[]): Promise<boolean> {
  const records = values.flatMap((value) => readValue('TLSA', value) ?? []);
  const dns = await startDnsServer(
    {
      'example.org': { MX: [[10, HOST]] },
      [HOST]: { A: ['127.0.0.1'] },
      [`_${port}._tcp.${HOST}`]: { TLSA: records },
    },
    // All other answers have the AD bit then.
    { host: RESOLVER, port: 53, insecure: [], negativeTtl: 1 },
  );
  try {
    // `--insecure`: the resolver of the test says that it validated; danetool has no trust anchor for it.
    const dane = await printedBy(
      `danetool --check ${HOST} --port ${port} --proto tcp --starttls-proto smtp --local-dns --insecure`,
    );
    const postfix = await printedBy(`posttls-finger -c -l dane-only -L summary "example.org:${port}"`);
    // danetool says it of each record, and senders need only one that matches.
    const byDanetool = /^Verification: Certificate matches\./m.test(dane);
    const byPostfix = /^posttls-finger: Verified TLS connection/m.test(postfix);
    const decided = /^Verification:/m.test(dane) && /^posttls-finger: \w+ TLS connection/m.test(postfix);
    if (!decided || byDanetool !== byPostfix) throw new Error(`danetool: ${dane}\nPostfix: ${postfix}`);
    return byDanetool;
  } finally {
    await dns.stop();
  }
}

const practices = [
  { issuer: 'one issuer', intermediates: ['Steady 1'] },
  { issuer: 'issuers in turns', intermediates: ['Turn 1', 'Turn 2'] },
].flatMap((practice) => [
  { ...practice, keepsKey: true, key: 'the same key' },
  { ...practice, keepsKey: false, key: 'another key' },
]);

const kinds: readonly RecordKind[] = ['3 1 1', '3 0 1', '2 1 1', '2 0 1'];

/** By practice and record: whether the record matches after the renewal. */
const survives = (kind: RecordKind, keepsKey: boolean, intermediates: readonly string[]): boolean =>
  kind.startsWith('2') ? intermediates.length === 1 : kind === '3 1 1' && keepsKey;

const lacking = missing();
// The reason is only known here, and jest shows no titles of tests that it skips.
if (lacking !== undefined) process.stderr.write(`renewals by danetool and Postfix: skipped: ${lacking}\n`);
const title = `the forecast of a renewal${lacking === undefined ? '' : ` (skipped: ${lacking})`}`;
(lacking === undefined ? describe : describe.skip)(title, () => {
  test.each(practices.flatMap((practice) => kinds.map((kind) => ({ ...practice, kind }))))(
    'is right about a record $kind with $issuer and $key',
    async ({ kind, keepsKey, intermediates }) => {
      const ca = createIssuer({ organization: 'Example CA', intermediates });
      const first = ca.issue(ago(130), { days: 90 });
      const renewed = (days: number) =>
        ca.issue(ago(days), { days: 90, ...(keepsKey && { key: first.key }) });
      const [second, third] = [renewed(70), renewed(0)];
      const before = await hosts.run(first, [recordFor(kind, first)], [], 100);
      const published = [recordFor(kind, second)];
      const today = await hosts.run(second, published, before.served, 0);
      const forecast = today.result.findings.filter(({ id }) => id.startsWith('mx-tlsa-renewal'));
      const { port } = await hosts.serve(third);

      const remains = survives(kind, keepsKey, intermediates);
      expect(forecast.map(({ id }) => id)).toEqual(remains ? [] : ['mx-tlsa-renewal-breaks']);
      expect([await toolsAccept(today.port, published), await toolsAccept(port, published)]).toEqual([
        true,
        remains,
      ]);

      // The proposed set holds on both days, whatever it adds; without a key or issuer that stays, there is none.
      const proposed = forecast.flatMap(({ arguments: { publish } }) => publish as readonly string[]);
      const hasProposal = !remains && (keepsKey || intermediates.length === 1);
      expect(proposed).toHaveLength(hasProposal ? 2 : 0);
      if (!hasProposal) return;
      expect([await toolsAccept(today.port, proposed), await toolsAccept(port, proposed)]).toEqual([
        true,
        true,
      ]);
    },
  );
});
