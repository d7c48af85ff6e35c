/**
 * The records that the MX check proposes before a certificate is renewed, on real SMTP hosts: the preview of a signed zone says that
 * they solve the problem, and OpenSSL, with which most senders decide, accepts the hosts before and after the renewal.
 */
import { describe, expect, test } from '@jest/globals';
import { differenceOf } from '../../../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../../../shared/checks/preview/preview.ts';
import { readChanges } from '../../../../shared/checks/preview/proposal.ts';
import type { Dns } from '../../../../shared/protocol/dns.ts';
import type { Finding } from '../../../../shared/protocol/findings/finding.ts';
import { readValue } from '../../../../shared/protocol/zone-file/record-set.ts';
import { hasOpenssl, opensslAccepts } from '../../../kit/dane-tools.ts';
import { createIssuer } from '../../../kit/renewals.ts';
import { ago, HOST, type RecordKind, recordFor, renewedHosts, TLSA } from '../../../kit/renewed-host.ts';
import {
  anchorOf,
  delegation,
  makeKey,
  rdata,
  signed,
  world,
  zoneSets,
} from '../../protocol/dnssec/signed-world.ts';

const ca = createIssuer({ organization: 'Steady CA', intermediates: ['Steady 1'] });

const hosts = renewedHosts();

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

const ids = (findings: readonly Pick<Finding, 'id'>[]) =>
  findings.map(({ id }) => id).filter((id) => id.startsWith('mx-tlsa'));

describe.each<{ title: string; keepsKey: boolean; record: RecordKind; proposed: RecordKind }>([
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
    const before = await hosts.run(first, [recordFor(record, first)], [], 100);
    const published = [recordFor(record, second)];
    const now = await hosts.run(second, published, before.served, 1);
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

    const afterwards = await hosts.run(third, values, now.served, 0);
    expect([ids(afterwards.result.findings), afterwards.result.daneSupported]).toEqual([[], true]);
    const unprepared = await hosts.run(third, published, now.served, 0);
    expect([ids(unprepared.result.findings), unprepared.result.daneSupported]).toEqual([
      ['mx-tlsa-mismatch'],
      false,
    ]);
    if (!hasOpenssl) return;
    const judged = await Promise.all([
      opensslAccepts(now.port, HOST, values),
      opensslAccepts(afterwards.port, HOST, values),
      opensslAccepts(unprepared.port, HOST, published),
    ]);
    expect(judged).toEqual([true, true, false]);
  });
});
