import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { readDmarc, readTls } from './read.ts';
import { BEGIN, END, type ReportParts, recordText, reportText } from './report-text.ts';
import { TLS_REPORT } from './tls-report-text.ts';

const identity = async (parts: ReportParts) => (await readDmarc(reportText(parts))).identity;
const a = recordText({ sourceIp: '<source_ip>192.0.2.1</source_ip>' });
const b = recordText({ sourceIp: '<source_ip>192.0.2.2</source_ip>' });
const period = (begin: number, end: number): ReportParts => ({
  dateRange: `<date_range><begin>${begin}</begin><end>${end}</end></date_range>`,
});

describe('two aggregate reports', () => {
  const same: readonly (readonly [title: string, one: ReportParts, other: ReportParts])[] = [
    ['that are equal', {}, {}],
    ['with the same records in another order', { records: [a, b] }, { records: [b, a] }],
    [
      'with the same values in another spelling',
      {},
      { domain: '<domain> EXAMPLE.org. </domain>', orgName: '<org_name>Reporter.Example</org_name>' },
    ],
    [
      'one of which has a discovery_method, which stored identities do not include',
      { policy: '<p>none</p>' },
      { policy: '<discovery_method>psl</discovery_method><p>none</p>' },
    ],
    ['with different contacts', {}, { email: '<email>other@reporter.example</email>' }],
  ];
  test.each(same)('%s are the same', async (_title, one, other) => {
    expect(await identity(one)).toEqual(await identity(other));
  });

  const conflicting: readonly (readonly [title: string, one: ReportParts, other: ReportParts])[] = [
    ['with different records', { records: [a] }, { records: [b] }],
    ['one of which has a record twice', { records: [a] }, { records: [a, a] }],
    ['one of which has no records', {}, { records: [] }],
    ['with different policies', {}, { policy: '<p>reject</p>' }],
    ['with different counts', {}, { records: [recordText({ count: '<count>4</count>' })] }],
    ['with different DKIM results', {}, { records: [recordText({ authResults: '' })] }],
  ];
  test.each(conflicting)('%s have the same key and different content', async (_title, one, other) => {
    const [first, second] = [await identity(one), await identity(other)];
    expect(first.key).toBe(second.key);
    expect(first.contentHash).not.toBe(second.contentHash);
  });

  const different: readonly (readonly [title: string, other: ReportParts])[] = [
    ['with different periods', period(BEGIN + 86_400, END + 86_400)],
    ['with different ends of the period', period(BEGIN, END + 1)],
    ['with other ids', { reportId: '<report_id>r-2</report_id>' }],
    ['from different reporters', { orgName: '<org_name>other.example</org_name>' }],
    ['about other domains', { domain: '<domain>sub.example.org</domain>' }],
  ];
  test.each(different)('%s are different', async (_title, other) => {
    expect((await identity({})).key).not.toBe((await identity(other)).key);
  });

  test('in different archive formats are the same', async () => {
    expect((await readDmarc(gzipSync(reportText()))).identity).toEqual(await identity({}));
  });

  test('differ if one of them reports the disposition pass, although both are stored as none', async () => {
    const passed = recordText({ disposition: '<disposition>pass</disposition>' });
    const { contentHash } = await identity({ records: [passed] });
    expect(contentHash).not.toBe((await identity({})).contentHash);
    expect(contentHash).toBe('e928792afa316d3e97011cc94ee16fe6a34377557f2a67388f2522edfa3f357e');
  });

  test('have identities that never change, because the store keeps them', async () => {
    expect(await identity({})).toEqual({
      key: '26af9f56bc2ec4cc0c369d5affe1121a0ea9dd08c2f6a54c8577087959f4307e',
      contentHash: 'c627c4cff140d8b1257b965036eb1bf7e39ecd05189bd21402e66a475697b23e',
    });
  });
});

describe('two TLS reports', () => {
  const policy = (domain: string, count: number) => ({
    policy: { 'policy-type': 'sts', 'policy-domain': domain },
    summary: { 'total-successful-session-count': count, 'total-failure-session-count': 0 },
  });
  const report = (policies: readonly object[], id = 't-1') => ({ ...TLS_REPORT, policies, 'report-id': id });
  const [one, two] = [policy('a.example', 1), policy('b.example', 2)];

  test('with the same policies in another order are the same', async () => {
    expect((await readTls(report([one, two]))).identity).toEqual(
      (await readTls(report([two, one]))).identity,
    );
  });

  test('with different counts have the same key and different content', async () => {
    const first = (await readTls(report([one]))).identity;
    const second = (await readTls(report([policy('a.example', 7)]))).identity;
    expect(first.key).toBe(second.key);
    expect(first.contentHash).not.toBe(second.contentHash);
  });

  test.each([
    ['about other domains', report([two])],
    ['with other ids', report([one], 't-2')],
  ])('%s are different', async (_title, other) => {
    expect((await readTls(report([one]))).identity.key).not.toBe((await readTls(other)).identity.key);
  });
});
