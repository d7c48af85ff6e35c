import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { ownPart } from '../../../shared/reports/own-part.ts';
import { readMail } from '../../../shared/reports/read-mail.ts';
import type {
  TlsFailureDetail,
  TlsReading,
  TlsReport,
  TlsReportPolicy,
} from '../../../shared/reports/report.ts';
import type { WarningId } from '../../../shared/reports/warnings.ts';
import { attachment, mail, multipart } from './mail.ts';
import { idsOf, readOne, readRefusal, readTls } from './read.ts';
import { DETAIL, ITEM, POLICY, TLS_REPORT } from './tls-report-text.ts';

const READ_DETAIL: TlsFailureDetail = {
  resultType: 'certificate-expired',
  sendingMtaIp: '192.0.2.1',
  receivingMxHostname: 'mx1.example.org',
  receivingMxHelo: 'mx1',
  receivingIp: '198.51.100.1',
  failedSessionCount: 2,
  additionalInformation: 'https://reporter.example/t-1',
  failureReasonCode: 'X509_EXPIRED',
};
const READ_POLICY: TlsReportPolicy = {
  policyType: 'sts',
  policyDomain: 'example.org',
  policyString: ['version: STSv1', 'mode: testing'],
  mxHost: ['*.example.org'],
  successCount: 10,
  failureCount: 2,
  failureDetails: [READ_DETAIL],
};
const READ: TlsReport = {
  kind: 'tls',
  reportId: 't-1',
  organizationName: 'Reporter',
  contactInfo: 'tls@reporter.example',
  dateRangeBegin: '2023-11-15T00:00:00.000Z',
  dateRangeEnd: '2023-11-15T23:59:59.000Z',
  policies: [READ_POLICY],
};

test('a valid TLS report is read without a warning', async () => {
  expect(await readTls(TLS_REPORT)).toMatchObject({
    report: READ,
    warnings: [],
    counts: { successful: 10, failed: 2 },
  });
});

describe('the TLS reports of real reporters', () => {
  type Deviation = readonly [
    title: string,
    change: object,
    facts: Partial<TlsReport>,
    warnings?: WarningId[],
  ];
  const deviations: readonly Deviation[] = [
    [
      'times in another time zone, in the basic format',
      {
        'date-range': {
          'start-datetime': '2023-11-15T01:00:00+0100',
          'end-datetime': '2023-11-16T00:59:59+0100',
        },
      },
      {},
    ],

    [
      'members with the names of object properties',
      { __proto__: { a: 1 }, constructor: 1, toString: 'x' },
      {},
    ],
    [
      'an organization-name larger than 1 KB',
      { 'organization-name': 'x'.repeat(2_000) },
      { organizationName: 'x'.repeat(1_024) },
    ],
  ];
  test.each(deviations)('%s', async (_title, change, facts, warnings = []) => {
    const reading = await readTls({ ...TLS_REPORT, ...change });
    expect(reading.report).toEqual({ ...READ, ...facts });
    expect(idsOf(reading)).toEqual(warnings.toSorted());
  });
});

describe('the policies of real reporters', () => {
  const policy = (change: object): object => ({ ...ITEM, policy: { ...POLICY, ...change } });
  type Deviation = readonly [
    title: string,
    item: unknown,
    facts: Partial<TlsReportPolicy>,
    warnings?: WarningId[],
  ];
  const deviations: readonly Deviation[] = [
    [
      'mx-host-pattern',
      policy({ 'mx-host': undefined, 'mx-host-pattern': ['*.example.org'] }),
      {},
      ['mx-host-form'],
    ],
  ];
  test.each(deviations)('%s', async (_title, item, facts, warnings = []) => {
    const reading = await readTls({ ...TLS_REPORT, policies: [item] });
    expect(reading.report.policies).toEqual([{ ...READ_POLICY, ...facts }]);
    expect(idsOf(reading)).toEqual(warnings.toSorted());
  });

  test('are read even if another policy is not an object', async () => {
    const { report } = await readTls({ ...TLS_REPORT, policies: [null, ITEM] });
    expect(report.policies[1]).toEqual(READ_POLICY);
  });
});

describe('the failure details of real reporters', () => {
  type Deviation = readonly [
    title: string,
    change: object,
    facts: Partial<TlsFailureDetail>,
    warnings?: WarningId[],
  ];
  const deviations: readonly Deviation[] = [
    ['a host name in upper case with a trailing dot', { 'receiving-mx-hostname': 'MX1.Example.ORG.' }, {}],
    [
      'additional-info-uri',
      { 'additional-information': undefined, 'additional-info-uri': 'https://a.example' },
      { additionalInformation: 'https://a.example' },
    ],

    [
      'a code larger than 1 KB',
      { 'failure-reason-code': 'x'.repeat(2_000) },
      { failureReasonCode: 'x'.repeat(1_024) },
      ['value-cut'],
    ],
  ];
  test.each(deviations)('%s', async (_title, change, facts, warnings = []) => {
    const item = { ...ITEM, 'failure-details': [{ ...DETAIL, ...change }] };
    const reading = await readTls({ ...TLS_REPORT, policies: [item] });
    expect(reading.report.policies[0]?.failureDetails).toEqual([{ ...READ_DETAIL, ...facts }]);
    expect(idsOf(reading)).toEqual(warnings.toSorted());
  });
});

describe('from a TLS report about several domains, an owner gets', () => {
  const item = (domain: string | undefined, successes: number) => ({
    policy: { ...POLICY, 'policy-domain': domain },
    summary: { 'total-successful-session-count': successes, 'total-failure-session-count': 0 },
  });
  const several = (...policies: readonly object[]) => readTls({ ...TLS_REPORT, policies });
  const [own, below] = [item('example.org', 1), item('mail.example.org', 10)];
  const [other, another, alike] = [
    item('victim.test', 100),
    item('other.test', 1_000),
    item('notexample.org', 10_000),
  ];
  const partOf = async (...policies: readonly object[]): Promise<TlsReading> => {
    const part = ownPart(await several(...policies), 'example.org');
    if (part?.outcome !== 'tls') throw new Error("nothing of it is the owner's");
    return part;
  };

  test('the policies of its domain and subdomains, their totals, and a warning that names the others', async () => {
    const part = await partOf(other, own, another, other, below, alike);
    expect(part.report.policies.map(({ policyDomain }) => policyDomain)).toEqual([
      'example.org',
      'mail.example.org',
    ]);
    expect(part.counts).toEqual({ successful: 11, failed: 0 });
    expect(part.warnings).toEqual([
      {
        id: 'foreign-policy',
        count: 4,
        at: 'policies[0]',
        value: 'victim.test, other.test, notexample.org',
      },
    ]);
  });

  test('the policies without a domain', async () => {
    const part = await partOf(own, other, item(undefined, 5));
    expect(part.counts).toEqual({ successful: 6, failed: 0 });
    expect(idsOf(part)).toEqual(['foreign-policy', 'missing-policy-domain']);
  });

  test('the identity of the report without the other policies, however these change', async () => {
    const alone = (await several(own, below)).identity;
    for (const policies of [
      [own, below, other],
      [another, below, own, other],
    ])
      expect((await partOf(...policies)).identity).toEqual(alone);
    const changed = (await partOf(item('example.org', 2), below, other)).identity;
    expect([changed.key, changed.contentHash === alone.contentHash]).toEqual([alone.key, false]);
  });

  test('the whole report unchanged if it names no other domain', async () => {
    for (const policies of [[own, below], [own, item(undefined, 5)], [item(undefined, 5)], []]) {
      const reading = await several(...policies);
      expect(ownPart(reading, 'example.org')).toBe(reading);
    }
  });

  test('nothing if it names only other domains', async () => {
    for (const policies of [[other], [other, alike], [other, item(undefined, 5)]])
      expect(ownPart(await several(...policies), 'example.org')).toBeUndefined();
  });
});

describe('a TLS report is rejected', () => {
  const refusals: readonly (readonly [
    title: string,
    json: string | object,
    detail: string,
    outcome?: string,
  ])[] = [
    [
      'with a sum of counts over 2^53',
      {
        ...TLS_REPORT,
        policies: Array(2).fill({
          ...ITEM,
          summary: { 'total-successful-session-count': Number.MAX_SAFE_INTEGER },
        }),
      },
      'the sum of the counts is too large',
    ],
    [
      'with 1,001 policies',
      { ...TLS_REPORT, policies: Array(1_001).fill(ITEM) },
      '1000 policies',
      'too-large',
    ],
    [
      'with 20,001 failures',
      { ...TLS_REPORT, policies: [{ ...ITEM, 'failure-details': Array(20_001).fill({}) }] },
      'too many failures',
      'too-large',
    ],
    ['which is other JSON with policies', { policies: {} }, 'the JSON is not a TLS report', 'not-a-report'],
    ['which is a text that starts like JSON', '{hello}', 'neither XML nor JSON', 'not-a-report'],
    ['nested 17 levels deep', `{"policies":${'['.repeat(16)}`, 'nested more than 16', 'too-large'],
    ['with too many objects', `{"policies":[${'{},'.repeat(100_001)}{}]}`, 'too many objects', 'too-large'],
    ['with too many members', `{"policies":[${'1,'.repeat(1_000_001)}1]}`, 'too many members', 'too-large'],
    ['with an unterminated string', '{"policies":["\\', 'not valid JSON'],
  ];
  test.each(refusals)('%s', async (_title, json, detail, outcome = 'unreadable') => {
    const text = typeof json === 'string' ? json : JSON.stringify(json);
    expect(await readRefusal(text)).toMatchObject({ outcome, detail: expect.stringContaining(detail) });
  });

  test('truncated at any character', async () => {
    const text = JSON.stringify(TLS_REPORT);
    for (let length = 1; length < text.length; length++) {
      expect(['unreadable', 'not-a-report']).toContain((await readRefusal(text.slice(0, length))).outcome);
    }
  });
});

describe('a TLS report can be in UTF-16:', () => {
  const little = Buffer.from(JSON.stringify(TLS_REPORT), 'utf16le');
  const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), little]);
  test.each([
    ['little-endian', little],
    ['big-endian', Buffer.from(little).swap16()],
    ['little-endian, with a byte order mark', marked],
    ['big-endian, with a byte order mark', Buffer.from(marked).swap16()],
  ])('%s', async (_title, bytes) => {
    expect(await readOne(bytes)).toMatchObject({ outcome: 'tls', report: READ });
  });
});

describe('the mail with a TLS report', () => {
  const plain = (json: object, headers: readonly string[] = []): Buffer =>
    mail(
      multipart(
        [attachment(JSON.stringify(json), 'application/tlsrpt+gzip; name="r.json.gz"')],
        'report; report-type="tlsrpt"',
      ),
      headers,
    );

  test('can declare plain JSON as gzip', async () => {
    expect(await readMail(plain(TLS_REPORT))).toMatchObject([{ outcome: 'tls', report: READ, warnings: [] }]);
  });

  const asText = { headers: ['Content-Type: application/tlsrpt+json'], body: JSON.stringify(TLS_REPORT) };
  const packed = gzipSync(JSON.stringify(TLS_REPORT));
  test.each([
    ['plain JSON', asText],
    ['JSON in base64', attachment(JSON.stringify(TLS_REPORT), 'application/tlsrpt+json')],
    ['gzip', attachment(packed, 'application/tlsrpt+gzip')],
    ['application/octet-stream', attachment(packed, 'application/octet-stream; name="r.json.gz"')],
  ])('can contain it as %s, without the fields of section 5.3', async (_title, part) => {
    const message = mail(multipart([{ headers: ['Content-Type: text/plain'], body: 'A report.' }, part]));
    expect(await readMail(message)).toMatchObject([{ outcome: 'tls', report: READ, warnings: [] }]);
  });

  test('names the domain in TLS-Report-Domain if the policy does not (section 5.3)', async () => {
    const item = { ...ITEM, policy: { 'policy-type': 'no-policy-found' } };
    const [outcome] = await readMail(
      plain({ ...TLS_REPORT, policies: [item] }, ['TLS-Report-Domain: Example.ORG']),
    );
    expect(outcome).toMatchObject({ report: { policies: [{ policyDomain: 'example.org' }] } });
  });
});
