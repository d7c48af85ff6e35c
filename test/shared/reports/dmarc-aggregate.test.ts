import { describe, expect, test } from '@jest/globals';
import type { DmarcRecordRow, DmarcReportHeader } from '../../../shared/reports/report.ts';
import type { WarningId } from '../../../shared/reports/warnings.ts';
import { idsOf, readDmarc, readRefusal } from './read.ts';
import {
  BEGIN,
  DKIM,
  END,
  type RecordParts,
  type ReportParts,
  recordText,
  reportText,
  SPF,
} from './report-text.ts';

const ROW: DmarcRecordRow = {
  sourceIp: '192.0.2.1',
  count: 3,
  disposition: 'none',
  dkim: 'pass',
  spf: 'fail',
  reasons: [],
  headerFrom: 'example.org',
  envelopeFrom: null,
  envelopeTo: null,
  dkimResults: [{ domain: 'example.org', result: 'pass', selector: 's1' }],
  spfResults: [{ domain: 'bounce.example.org', result: 'pass', scope: 'mfrom' }],
};

const HEADER: DmarcReportHeader = {
  kind: 'dmarc',
  reportId: 'r-1',
  orgName: 'reporter.example',
  email: 'dmarc@reporter.example',
  extraContactInfo: null,
  dateRangeBegin: '2023-11-15T00:00:00.000Z',
  dateRangeEnd: '2023-11-15T23:59:59.000Z',
  policyDomain: 'example.org',
  policyP: 'quarantine',
  policySp: 'none',
  policyNp: null,
  policyAdkim: 'r',
  policyAspf: 's',
  policyPct: 100,
  testing: false,
  generator: null,
};

type Row = readonly [
  title: string,
  text: ReportParts | string,
  facts: Partial<DmarcReportHeader>,
  warnings?: WarningId[],
];
type Entry = readonly [
  title: string,
  record: RecordParts,
  facts: Partial<DmarcRecordRow>,
  warnings?: WarningId[],
];

/** Reads it, and expects the usual header and row but for `facts`, and exactly these warnings. */
async function expectHeader(
  text: ReportParts | string,
  facts: Partial<DmarcReportHeader>,
  warnings: WarningId[],
) {
  const reading = await readDmarc(typeof text === 'string' ? text : reportText(text));
  expect(reading.report).toEqual({ ...HEADER, ...facts });
  expect(reading.rows).toEqual([ROW]);
  expect(idsOf(reading)).toEqual(warnings.toSorted());
}

async function expectRow(record: RecordParts, facts: Partial<DmarcRecordRow>, warnings: WarningId[]) {
  const reading = await readDmarc(reportText({ records: [recordText(record)] }));
  expect(reading.rows).toEqual([{ ...ROW, ...facts }]);
  expect(idsOf(reading)).toEqual(warnings.toSorted());
}

describe('A right report', () => {
  test('is read without a warning', async () => {
    const { report, rows, warnings, counts } = await readDmarc(reportText());
    expect({ report, rows, warnings, counts }).toEqual({
      report: HEADER,
      rows: [ROW],
      warnings: [],
      counts: { records: 1, skippedRecords: 0, messages: 3, passed: 3, failed: 0 },
    });
  });

  test('counts a row as passed where DKIM or SPF passed, by its number of messages', async () => {
    const results = [
      ['pass', 'pass', 1],
      ['pass', 'fail', 10],
      ['fail', 'pass', 100],
      ['fail', 'fail', 1000],
    ] as const;
    const records = results.map(([dkim, spf, count]) =>
      recordText({
        dkim: `<dkim>${dkim}</dkim>`,
        spf: `<spf>${spf}</spf>`,
        count: `<count>${count}</count>`,
      }),
    );
    const { counts } = await readDmarc(reportText({ records }));
    expect(counts).toEqual({ records: 4, skippedRecords: 0, messages: 1111, passed: 111, failed: 1000 });
  });

  test.each([1, 2, 3, 7, 64])('reads the same in pieces of %i bytes', async (size) => {
    const { readDmarcReport } = await import('../../../shared/reports/dmarc/aggregate.ts');
    const { Warnings } = await import('../../../shared/reports/warnings.ts');
    const comment = '<!-- a > b --><![CDATA[ ]]>';
    const text = Buffer.from(
      reportText({
        orgName: '<org_name>Bücher &amp; Söhne &#x41; <![CDATA[<&>]]></org_name>',
        moreMetadata: comment,
      }),
    );
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.subarray(index * size, (index + 1) * size),
    );
    const rows: DmarcRecordRow[] = [];
    const warnings = new Warnings();
    const { report } = await readDmarcReport(pieces, (batch) => void rows.push(...batch), { warnings });
    expect(report).toEqual({ ...HEADER, orgName: 'Bücher & Söhne A <&>' });
    expect(rows).toEqual([ROW]);
    expect(warnings.list()).toEqual([]);
  });
});

describe('RFC 9990', () => {
  const forms: readonly Row[] = [
    ['its namespace is the default', { root: '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">' }, {}],
    [
      'np, testing, discovery_method',
      {
        policy: '<p>reject</p><np>none</np><testing>y</testing><discovery_method>treewalk</discovery_method>',
      },
      { policyP: 'reject', policySp: null, policyNp: 'none', policyAspf: 'r', testing: true },
    ],
    [
      'the tag t in place of testing',
      { policy: '<p>reject</p><t>y</t>' },
      { policyP: 'reject', policySp: null, policyAspf: 'r', testing: true },
      ['misnamed-element'],
    ],
    [
      'pct, adkim, aspf and sp left out',
      { policy: '<p>none</p>' },
      { policyP: 'none', policySp: null, policyAspf: 'r' },
    ],
    [
      'p left out: none',
      { policy: '<aspf>s</aspf>' },
      { policyP: 'none', policySp: null },
      ['missing-policy'],
    ],
    ['generator', { moreMetadata: '<generator>Tool 1.0</generator>' }, { generator: 'Tool 1.0' }],
    [
      'lang attributes on texts',
      {
        moreMetadata:
          '<extra_contact_info lang="en">see &lt;page&gt;</extra_contact_info><error lang="de">x</error><error>y</error>',
      },
      { extraContactInfo: 'see <page>' },
    ],
    [
      'extensions of any content',
      { moreMetadata: '<extension><x:record xmlns:x="urn:x"><count>5</count></x:record></extension>' },
      {},
    ],
    ['version left out', { version: '' }, {}],
  ];
  test.each(forms)('%s', (_title, text, facts, warnings = []) => expectHeader(text, facts, warnings));

  const rows: readonly Entry[] = [
    ['the disposition pass', { disposition: '<disposition>pass</disposition>' }, { disposition: 'pass' }],
    [
      'the reason policy_test_mode',
      { reasons: '<reason><type>policy_test_mode</type><comment lang="en">t=y</comment></reason>' },
      { reasons: [{ type: 'policy_test_mode', comment: 't=y' }] },
    ],
    [
      'an SPF result without scope',
      {
        authResults: `<auth_results>${DKIM}<spf><domain>a.example</domain><result>none</result></spf></auth_results>`,
      },
      { spfResults: [{ domain: 'a.example', result: 'none', scope: null }] },
    ],
    [
      'envelope_to and envelope_from',
      {
        identifiers:
          '<identifiers><envelope_to>to.example</envelope_to><envelope_from>from.example</envelope_from><header_from>example.org</header_from></identifiers>',
      },
      { envelopeTo: 'to.example', envelopeFrom: 'from.example' },
    ],
    [
      'an empty envelope_from',
      {
        identifiers:
          '<identifiers><header_from>example.org</header_from><envelope_from></envelope_from></identifiers>',
      },
      {},
    ],
    [
      'a result for humans',
      {
        authResults: `<auth_results><dkim><domain>example.org</domain><selector>s1</selector><result>pass</result><human_result>fine</human_result></dkim>${SPF}</auth_results>`,
      },
      {},
    ],
    ['an element of an extension', { more: '<extension><a/></extension>' }, {}],
  ];
  test.each(rows)('a record with %s', (_title, record, facts, warnings = []) =>
    expectRow(record, facts, warnings),
  );
});

describe('XML as reporters write it', () => {
  const forms: readonly Row[] = [
    ['no declaration', { declaration: '' }, {}],
    ['no line end behind the declaration', { declaration: '<?xml version="1.0"?>' }, {}],
    ['a byte order mark', { declaration: '\ufeff<?xml version="1.0"?>\n' }, {}],
    ['white space in front', { declaration: '\n\t <?xml version="1.0"?>\n' }, {}],
    [
      'a stray xs:schema that is not closed',
      { before: '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">\n' },
      {},
      ['outside-root'],
    ],
    [
      'a prefix on every element',
      reportText()
        .replaceAll(/<(\/?)(?=[a-z])/g, '<$1dmarc:')
        .replace('dmarc:feedback', 'dmarc:feedback xmlns:dmarc="http://dmarc.org/dmarc-xml/0.1"'),
      {},
    ],
    [
      'a prefix on the root alone',
      reportText({ root: "<n:feedback xmlns:n='http//dmarc.org/dmarc-xml/0.1'>", end: '</n:feedback>' }),
      {},
    ],
    [
      'xsd and xsi attributes',
      {
        root: '<feedback xmlns:xsd="http://www.w3.org/2001/XMLSchema"\n xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
      },
      {},
    ],
    ['an attribute without quotes', { root: '<feedback version=1.0>' }, {}],
    ['a ">" in an attribute', { root: '<feedback note="a > b">' }, {}],
    ['tabs and CR behind every line', reportText().replaceAll('>\n', '>\t\r\n'), {}],
    ['white space in values', reportText().replaceAll(/>([\w.@-]+)</g, '>\n  $1\t<'), {}],
    ['a comment and a processing instruction', { before: '<!-- <record> --><?style x?>' }, {}],
    [
      'text between elements',
      { policy: '<adkim>r</adkim><aspf>s</aspf><p>quarantine</p><sp>none</sp>11<pct>100</pct>' },
      {},
      ['stray-text'],
    ],
    [
      'a raw "<" in a value',
      { email: '<email><dmarc@reporter.example></email>' },
      { email: '<dmarc@reporter.example>' },
      ['raw-markup'],
    ],
    [
      'a tag in a value',
      { orgName: '<org_name>A <b>bold</b> name</org_name>' },
      { orgName: 'A <b>bold</b> name' },
      ['raw-markup'],
    ],
    [
      'a raw "&" in a value',
      { orgName: '<org_name>A & B &co; C</org_name>' },
      { orgName: 'A & B &co; C' },
      ['raw-ampersand'],
    ],
    [
      'references',
      { orgName: '<org_name>&lt;A&gt; &amp; &quot;B&quot; &apos;&#67;&#x44;</org_name>' },
      { orgName: '<A> & "B" \'CD' },
    ],
    ['an unclosed report_id', { reportId: '<report_id>r-1' }, {}, ['unclosed-element']],
    [
      'an unclosed container',
      {
        metadata: reportText().slice(
          reportText().indexOf('<report_metadata>'),
          reportText().indexOf('</date_range>'),
        ),
      },
      {},
      ['unclosed-element'],
    ],
    [
      'an end tag that closes nothing',
      { policy: '<adkim>r</adkim><aspf>s</aspf></b><p>quarantine</p><sp>none</sp>' },
      {},
      ['stray-end-tag'],
    ],
    ['an unknown element', { moreMetadata: '<rating><stars>5</stars></rating>' }, {}, ['unknown-element']],
    [
      'an unclosed unknown element without content',
      { moreMetadata: '<br>' },
      {},
      ['unclosed-element', 'unknown-element'],
    ],
    [
      'version inside the metadata',
      { version: '', moreMetadata: '<version>1.0</version>' },
      {},
      ['unknown-element'],
    ],
    [
      'rf, ri and fo',
      {
        policy:
          '<adkim>r</adkim><aspf>s</aspf><p>quarantine</p><sp>none</sp><rf>afrf</rf><ri>86400</ri><fo>1:d</fo>',
      },
      {},
    ],
    ['text behind the end', { end: '</feedback>\nThe end <of it>' }, {}, ['outside-root']],
    ['the last ">" missing', { end: '</feedback' }, {}, ['cut-end-tag']],
    [
      'metadata behind the records',
      (() => {
        const text = reportText();
        const metadata = text.slice(text.indexOf('<report_metadata>'), text.indexOf('<policy_published>'));
        return text.replace(metadata, '').replace('</feedback>', `${metadata}</feedback>`);
      })(),
      {},
    ],
    [
      'date_range first',
      {
        orgName: `<date_range><begin>${BEGIN}</begin><end>${END}</end></date_range><org_name>reporter.example</org_name>`,
        dateRange: '',
      },
      {},
    ],
    [
      'data_range for date_range',
      { dateRange: `<data_range><begin>${BEGIN}</begin><end>${END}</end></data_range>` },
      {},
      ['misnamed-element'],
    ],
    [
      'policy_published twice',
      {
        policy:
          '<aspf>s</aspf><p>quarantine</p><sp>none</sp></policy_published><policy_published><domain>example.org</domain><p>none</p>',
      },
      {},
      ['repeated-element'],
    ],
    [
      'a value of more than 1 KB',
      { orgName: `<org_name>${'x'.repeat(2_000)}</org_name>` },
      { orgName: 'x'.repeat(1_024) },
      ['value-cut'],
    ],
  ];
  test.each(forms)('%s', (_title, text, facts, warnings = []) => expectHeader(text, facts, warnings));

  const declared = (encoding: string) =>
    reportText({
      declaration: `<?xml version="1.0" encoding="${encoding}"?>`,
      orgName: '<org_name>B\u00fccher</org_name>',
    });
  const encodings: readonly (readonly [
    title: string,
    bytes: Uint8Array,
    orgName: string,
    warnings: WarningId[],
  ])[] = [
    [
      'Latin-1 that is declared',
      Buffer.from(declared('ISO-8859-1'), 'latin1'),
      'B\u00fccher',
      ['other-encoding'],
    ],
    [
      'Latin-1 that is declared UTF-8',
      Buffer.from(declared('UTF-8'), 'latin1'),
      'B\ufffdcher',
      ['not-utf-8'],
    ],
    [
      'UTF-16 with its mark',
      Buffer.from(`\ufeff${declared('UTF-16')}`, 'utf16le'),
      'B\u00fccher',
      ['other-encoding'],
    ],
    [
      'UTF-16 without its mark',
      Buffer.from(declared('UTF-16'), 'utf16le'),
      'B\u00fccher',
      ['other-encoding'],
    ],
    [
      'UTF-16 without its mark, the high byte first',
      Buffer.from(declared('UTF-16'), 'utf16le').swap16(),
      'B\u00fccher',
      ['other-encoding'],
    ],
    ['UTF-8 that is declared UTF-16', Buffer.from(declared('UTF-16')), 'B\u00fccher', []],
    ['an encoding that nobody knows', Buffer.from(declared('x-klingon')), 'B\u00fccher', ['other-encoding']],
  ];
  test.each(encodings)('%s', async (_title, bytes, orgName, warnings) => {
    const reading = await readDmarc(bytes);
    expect(reading.report).toEqual({ ...HEADER, orgName });
    expect(idsOf(reading)).toEqual(warnings);
  });
});

describe('Values of the header', () => {
  const range = (begin: string, end: string): ReportParts => ({
    dateRange: `<date_range><begin>${begin}</begin><end>${end}</end></date_range>`,
  });
  const at = (seconds: number) => new Date(seconds * 1000).toISOString();
  const policy = (text: string): ReportParts => ({ policy: `<aspf>s</aspf>${text}` });
  const values: readonly Row[] = [
    [
      'an empty org_name: the domain of the address',
      { orgName: '<org_name></org_name>' },
      {},
      ['missing-org-name'],
    ],
    [
      'an org_name that is no domain',
      { orgName: '<org_name>Example, Inc.</org_name>' },
      { orgName: 'Example, Inc.' },
    ],
    ['no email', { email: '' }, { email: '' }],
    [
      'a report_id of odd characters',
      { reportId: '<report_id>&lt;a!b@c:d&gt;</report_id>' },
      { reportId: '<a!b@c:d>' },
    ],
    ['times with a fraction', range(`${BEGIN}.0`, `${END}.75`), {}, ['date-not-integer']],
    ['times as ISO 8601', range('2023-11-15T00:00:00Z', '2023-11-15T23:59:59Z'), {}, ['date-not-integer']],
    [
      'a negative time',
      range('-5', '86399'),
      { dateRangeBegin: at(0), dateRangeEnd: at(86_399) },
      ['date-negative'],
    ],
    ['a time of zero', range('0', '86399'), { dateRangeBegin: at(0), dateRangeEnd: at(86_399) }],
    [
      'a begin behind the end',
      range(`${END}`, `${BEGIN}`),
      { dateRangeBegin: at(END), dateRangeEnd: at(BEGIN) },
      ['period-reversed'],
    ],
    ['begin and end the same', range(`${BEGIN}`, `${BEGIN}`), { dateRangeEnd: at(BEGIN) }, ['period-empty']],
    [
      'a period that begins at noon',
      range(`${BEGIN + 43_200}`, `${END + 43_200}`),
      { dateRangeBegin: at(BEGIN + 43_200), dateRangeEnd: at(END + 43_200) },
    ],
    [
      'a period of weeks',
      range(`${BEGIN}`, `${BEGIN + 21 * 86_400}`),
      { dateRangeEnd: at(BEGIN + 21 * 86_400) },
      ['period-long'],
    ],
    ['a domain with capitals', { domain: '<domain>Example.ORG</domain>' }, {}],
    ['a domain with a trailing dot', { domain: '<domain>example.org.</domain>' }, {}, ['policy-domain-form']],
    [
      'a domain in U-labels',
      { domain: '<domain>Bücher.example</domain>' },
      { policyDomain: 'xn--bcher-kva.example' },
      ['policy-domain-form'],
    ],
    ['an empty sp', policy('<p>quarantine</p><sp></sp>'), { policySp: null }],
    ['the sp "nil"', policy('<p>quarantine</p><sp>nil</sp>'), { policySp: null }, ['unknown-policy']],
    ['policies with capitals', policy('<p>Quarantine</p><sp>NONE</sp>'), {}, ['capitals-in-value']],
    ['an unknown p, kept', policy('<p>maybe</p><sp>none</sp>'), { policyP: 'maybe' }, ['unknown-policy']],
    ['an unknown adkim', policy('<adkim>x</adkim><p>quarantine</p><sp>none</sp>'), {}, ['unknown-alignment']],
    ['a pct beyond 100', policy('<p>quarantine</p><sp>none</sp><pct>400</pct>'), {}, ['invalid-percentage']],
    ['a pct of 0', policy('<p>quarantine</p><sp>none</sp><pct>0</pct>'), { policyPct: 0 }],
  ];
  test.each(values)('%s', (_title, text, facts, warnings = []) => expectHeader(text, facts, warnings));

  test('stand in the file name where the report does not state them', async () => {
    const text = reportText({ reportId: '', dateRange: '', domain: '' });
    const reading = await readDmarc(text, `reporter.example!Example.org!${BEGIN}!${END}!r-7.xml`);
    expect(reading.report).toEqual({ ...HEADER, reportId: 'r-7' });
    expect(idsOf(reading)).toEqual([
      'date-from-file-name',
      'domain-from-file-name',
      'report-id-from-file-name',
    ]);
  });

  test.each([
    ['more than two days from now', -2.5 * 86_400, ['period-in-future']],
    ['more than 400 days ago', 401 * 86_400, ['period-old']],
    ['yesterday', 86_400, []],
  ])('are judged against the clock: a period %s', async (_title, seconds, warnings) => {
    expect(idsOf(await readDmarc(reportText(), 'r', new Date((BEGIN + 86_399 + seconds) * 1000)))).toEqual(
      warnings,
    );
  });
});

describe('Records as reporters write them', () => {
  const results = (text: string): RecordParts => ({ authResults: `<auth_results>${text}</auth_results>` });
  const identifiers = (text: string): RecordParts => ({ identifiers: `<identifiers>${text}</identifiers>` });
  const counted = (count: string): RecordParts => ({ count: `<count>${count}</count>` });
  const many = (count: number, text: string): string => text.repeat(count);
  const entries: readonly Entry[] = [
    ['no source_ip', { sourceIp: '' }, { sourceIp: '' }, ['missing-source-ip']],
    [
      'a source_ip that is none',
      { sourceIp: '<source_ip>192.0.2.300</source_ip>' },
      { sourceIp: '192.0.2.300' },
      ['invalid-source-ip'],
    ],
    [
      'IPv6 with capitals',
      { sourceIp: '<source_ip>2001:DB8:0:0::1</source_ip>' },
      { sourceIp: '2001:db8::1' },
    ],
    ['IPv4-mapped IPv6', { sourceIp: '<source_ip>::ffff:192.0.2.1</source_ip>' }, {}],
    ['a count of zero', counted('0'), { count: 0 }],
    ['a negative count', counted('-3'), { count: 0 }, ['invalid-count']],
    ['a count that is no number', counted('many'), { count: 0 }, ['invalid-count']],
    ['a count with a fraction', counted('1.5'), { count: 0 }, ['invalid-count']],
    ['a count beyond 2^53', counted('9007199254740992'), { count: 0 }, ['invalid-count']],
    ['no count', { count: '' }, { count: 0 }, ['invalid-count']],
    [
      'results with capitals',
      { dkim: '<dkim>Pass</dkim>', disposition: '<disposition>NONE</disposition>' },
      {},
      ['capitals-in-value'],
    ],
    ['an aligned SPF of none', { spf: '<spf>none</spf>' }, {}, ['unknown-result']],
    ['an aligned SPF of softfail', { spf: '<spf>softfail</spf>' }, {}, ['unknown-result']],
    ['an empty aligned DKIM', { dkim: '<dkim></dkim>' }, { dkim: 'fail' }, ['missing-result']],
    ['no disposition', { disposition: '' }, {}, ['missing-disposition']],
    [
      'an unknown disposition',
      { disposition: '<disposition>15</disposition>' },
      { disposition: '15' },
      ['unknown-disposition'],
    ],
    ['an empty reason', { reasons: '<reason/>' }, {}, ['empty-reason']],
    [
      'an empty type of reason with a comment',
      { reasons: '<reason><type></type><comment>x</comment></reason>' },
      { reasons: [{ type: 'other', comment: 'x' }] },
      ['empty-reason'],
    ],
    [
      'several reasons',
      { reasons: many(2, '<reason><type>forwarded</type></reason>') },
      {
        reasons: [
          { type: 'forwarded', comment: null },
          { type: 'forwarded', comment: null },
        ],
      },
    ],
    [
      'more reasons than are kept',
      { reasons: many(25, '<reason><type>forwarded</type></reason>') },
      { reasons: Array(20).fill({ type: 'forwarded', comment: null }) },
      ['too-many-reasons'],
    ],
    [
      'identities for identifiers',
      { identifiers: '<identities><header_from>example.org</header_from></identities>' },
      {},
      ['misnamed-element'],
    ],
    [
      'no header_from',
      identifiers('<envelope_to>to.example</envelope_to>'),
      { headerFrom: '', envelopeTo: 'to.example' },
      ['missing-header-from'],
    ],
    [
      'two values of header_from',
      identifiers('<header_from>example.org</header_from><header_from>b.example</header_from>'),
      {},
      ['repeated-element'],
    ],
    [
      'a raw "<" in header_from',
      identifiers('<header_from>bad<xml.net</header_from>'),
      { headerFrom: 'bad<xml.net' },
      ['raw-markup'],
    ],
    [
      'a header_from with capitals and a trailing dot',
      identifiers('<header_from>Example.ORG.</header_from>'),
      {},
    ],
    ['no auth_results', { authResults: '' }, { dkimResults: [], spfResults: [] }, ['missing-auth-results']],
    [
      'empty auth_results',
      { authResults: '<auth_results/>' },
      { dkimResults: [], spfResults: [] },
      ['missing-auth-results'],
    ],
    [
      'an empty DKIM result',
      results(`<dkim><domain></domain><result></result></dkim>${SPF}`),
      { dkimResults: [] },
      ['empty-dkim-result'],
    ],
    [
      'no selector',
      results(`<dkim><domain>example.org</domain><result>pass</result></dkim>${SPF}`),
      { dkimResults: [{ domain: 'example.org', result: 'pass', selector: null }] },
      ['missing-selector'],
    ],
    ['an unclosed DKIM result', results(`${DKIM.replace('</dkim>', '')}${SPF}`), {}, ['unclosed-element']],
    [
      'the DKIM result "invalid"',
      results(
        `<dkim><domain>example.org</domain><selector>s1</selector><result>invalid</result></dkim>${SPF}`,
      ),
      { dkimResults: [{ domain: 'example.org', result: 'invalid', selector: 's1' }] },
      ['unknown-dkim-result'],
    ],
    [
      'the SPF result "hardfail": fail',
      results(`${DKIM}<spf><domain>a.example</domain><result>hardfail</result></spf>`),
      { spfResults: [{ domain: 'a.example', result: 'fail', scope: null }] },
      ['unknown-spf-result'],
    ],
    [
      'the SPF result "unknown": permerror',
      results(`${DKIM}<spf><domain>a.example</domain><result>unknown</result></spf>`),
      { spfResults: [{ domain: 'a.example', result: 'permerror', scope: null }] },
      ['unknown-spf-result'],
    ],
    [
      'the SPF result "error": temperror',
      results(`${DKIM}<spf><domain>a.example</domain><result>error</result></spf>`),
      { spfResults: [{ domain: 'a.example', result: 'temperror', scope: null }] },
      ['unknown-spf-result'],
    ],
    [
      'the SPF result "SoftFail"',
      results(`${DKIM}<spf><domain>a.example</domain><result>SoftFail</result></spf>`),
      { spfResults: [{ domain: 'a.example', result: 'softfail', scope: null }] },
      ['capitals-in-value'],
    ],
    [
      'an unknown SPF scope',
      results(`${DKIM}<spf><domain>a.example</domain><scope>bogus</scope><result>pass</result></spf>`),
      { spfResults: [{ domain: 'a.example', result: 'pass', scope: 'bogus' }] },
      ['unknown-spf-scope'],
    ],
    [
      'an SPF result without domain',
      results(`${DKIM}<spf><domain/><result>none</result></spf>`),
      { spfResults: [] },
      ['empty-spf-result'],
    ],
    [
      'several SPF results',
      results(`${DKIM}${SPF}${SPF}`),
      { spfResults: [...ROW.spfResults, ...ROW.spfResults] },
      ['several-spf-results'],
    ],
    [
      '11 SPF results',
      results(`${DKIM}${many(11, SPF)}`),
      { spfResults: Array(10).fill(ROW.spfResults[0]) },
      ['several-spf-results', 'too-many-results'],
    ],
    [
      '12 DKIM results',
      results(`${many(12, DKIM)}${SPF}`),
      { dkimResults: Array(12).fill(ROW.dkimResults[0]) },
    ],
    [
      '101 DKIM results',
      results(`${many(101, DKIM)}${SPF}`),
      { dkimResults: Array(100).fill(ROW.dkimResults[0]) },
      ['too-many-results'],
    ],
    [
      'no end of the row',
      { row: recordText().slice('<record>'.length, recordText().indexOf('</row>')) },
      {},
      ['unclosed-element'],
    ],
  ];
  test.each(entries)('%s', (_title, record, facts, warnings = []) => expectRow(record, facts, warnings));

  test('records that differ in a From domain or a recipient only stay what they are', async () => {
    const names = [
      ['example.org', 'a.example'],
      ['example.org', 'b.example'],
      ['sub.example.org', 'b.example'],
    ];
    const records = names.map(([from, to]) =>
      recordText(identifiers(`<header_from>${from}</header_from><envelope_to>${to}</envelope_to>`)),
    );
    const reading = await readDmarc(reportText({ records }));
    expect(reading.rows.map(({ headerFrom, envelopeTo }) => [headerFrom, envelopeTo])).toEqual(names);
  });

  test('a record that is empty is left out, and the report kept', async () => {
    const reading = await readDmarc(reportText({ records: ['<record><row/></record>', recordText()] }));
    expect(reading.counts).toEqual({ records: 1, skippedRecords: 1, messages: 3, passed: 3, failed: 0 });
    expect(idsOf(reading)).toEqual(['empty-record']);
  });

  test('no records at all are read as such', async () => {
    const reading = await readDmarc(reportText({ records: [] }));
    expect(reading.counts.records).toBe(0);
    expect(idsOf(reading)).toEqual(['no-records']);
  });

  test('the place of the first deviation and their number are told', async () => {
    const odd = recordText({ count: '<count>many</count>' });
    const { warnings } = await readDmarc(reportText({ records: [recordText(), odd, odd] }));
    expect(warnings).toEqual([{ id: 'invalid-count', count: 2, at: 'record[2]/row/count', value: 'many' }]);
  });
});

describe('What cannot be counted on is refused', () => {
  const text = reportText();
  const cut = (mark: string) => text.slice(0, text.indexOf(mark));
  const refusals: readonly (readonly [title: string, text: string, detail: string, outcome?: string])[] = [
    ['a report that ends inside a value', cut('bounce.example.org'), 'cut off'],
    ['a report that ends behind its last record', text.replace('</feedback>', ''), 'cut off'],
    ['a report that ends in front of its records', cut('<record>'), 'cut off'],
    ['a report that ends inside its last tag', text.replace('</feedback>\n', '</feedb'), 'cut off'],
    [
      'a record that is not closed in front of the next',
      text.replace('</record>', recordText()),
      '<record> is not closed',
    ],
    ['a record that is not closed at the end', text.replace('</record>', ''), '<record> is not closed'],
    ['no policy domain', reportText({ domain: '' }), 'policy_published/domain'],
    [
      'a policy domain that is none',
      reportText({ domain: `<domain>${'a'.repeat(300)}</domain>` }),
      'policy_published/domain',
    ],
    ['no report_id', reportText({ reportId: '' }), 'report_id'],
    ['no period', reportText({ dateRange: '' }), 'date_range/begin'],
    [
      'a period that is no time',
      reportText({ dateRange: '<date_range><begin>today</begin><end>1</end></date_range>' }),
      'date_range/begin',
    ],
    [
      'a period beyond the year 9999',
      reportText({ dateRange: '<date_range><begin>1</begin><end>99999999999999</end></date_range>' }),
      'date_range/end',
    ],
    [
      'two values of a count',
      reportText({ records: [recordText({ count: '<count>1</count><count>2</count>' })] }),
      'it says both "1" and "2", record[1]/row',
    ],
    [
      'two values of an aligned result',
      reportText({ records: [recordText({ dkim: '<dkim>pass</dkim><dkim>fail</dkim>' })] }),
      'it says both "pass" and "fail"',
    ],
    [
      'two policies of different domains',
      reportText({
        policyPublished:
          '<policy_published><domain>a.example</domain></policy_published><policy_published><domain>b.example</domain></policy_published>',
      }),
      'it says both',
    ],
    ['two ids', reportText({ reportId: '<report_id>a</report_id><report_id>b</report_id>' }), 'it says both'],
    ['a second report behind the first', `${text}${reportText({ declaration: '' })}`, 'second <feedback>'],
    ['a record behind the end', `${text}${recordText()}`, '<record> follows the end'],
    [
      'rows inside an element that nobody knows',
      reportText({ records: [recordText({ row: `<wrap>${recordText().slice(8, 60)}</wrap>` })] }),
      'stands where it does not belong',
    ],
    [
      'an unknown element that is not closed and swallows others',
      reportText({ records: [recordText({ more: '<odd><x/>' })] }),
      '<odd> is not closed',
    ],
    [
      'aligned results inside an element that nobody knows',
      reportText({ records: [recordText({ dkim: '<wrap><dkim>pass</dkim></wrap>' })] }),
      '<dkim> stands where it does not belong',
    ],
    [
      'an unknown element whose content has ended and that has not',
      reportText({ records: [recordText({ more: '<odd><x><y/></x>' })] }),
      '<odd> is not closed',
    ],
    [
      'a record of more than 10,000 results',
      reportText({
        records: [recordText({ authResults: `<auth_results>${DKIM.repeat(10_001)}</auth_results>` })],
      }),
      'too many results',
      'too-large',
    ],
    [
      'a count in the identifiers',
      reportText({
        records: [recordText({ count: '', identifiers: '<identifiers><count>3</count></identifiers>' })],
      }),
      '<count> stands where it does not belong',
    ],
    [
      'a document type',
      reportText({ before: '<!DOCTYPE feedback SYSTEM "file:///etc/passwd">' }),
      'document type',
    ],
    [
      'records that lost everything but their ends',
      `${text.slice(0, text.indexOf('</policy_published>'))}</spf></auth_results></record></feedback>`,
      '</auth_results> ends what has not begun, policy_published',
    ],
    [
      'a record that lost its beginning',
      reportText({ records: [recordText(), '</record>'] }),
      '</record> ends what has not begun, feedback',
    ],
    ['an entity', reportText({ before: '<!DOCTYPE feedback [<!ENTITY x "&x;&x;">]>' }), 'document type'],
    ['a declaration inside', reportText({ moreMetadata: '<!ENTITY x "y">' }), 'document type'],
    [
      'counts that add up beyond 2^53',
      reportText({ records: Array(2).fill(recordText({ count: '<count>9007199254740991</count>' })) }),
      'add up',
    ],
    [
      'elements nested 17 deep',
      reportText({ moreMetadata: '<a>'.repeat(17) }),
      'nested more than 16',
      'too-large',
    ],
    ['65 attributes', reportText({ root: `<feedback${' a="1"'.repeat(65)}>` }), '64 attributes', 'too-large'],
    [
      'a value of more than 64 KB',
      reportText({ orgName: `<org_name>${'x'.repeat(65_537)}</org_name>` }),
      '64 KB',
      'too-large',
    ],
    [
      'a value of many pieces',
      reportText({ orgName: `<org_name>${'x<!-- -->'.repeat(65_537)}</org_name>` }),
      '64 KB',
      'too-large',
    ],
    [
      'a comment of more than 64 KB',
      reportText({ before: `<!--${' '.repeat(200_000)}-->` }),
      '64 KB',
      'too-large',
    ],
    ['a web page', '<!DOCTYPE html><html></html>', 'web page', 'not-a-report'],
    [
      'a web page whose type stands inside',
      '<html><!DOCTYPE html PUBLIC "x"></html>',
      'web page',
      'not-a-report',
    ],
    [
      'a web page with conditions of Microsoft',
      '<html><head><![if !mso]><b><![endif]></head></html>',
      'web page',
      'not-a-report',
    ],
    [
      'a picture in XML',
      '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x" "y"><svg/>',
      'XML document',
      'not-a-report',
    ],
    ['another XML document', '<?xml version="1.0"?><rss><feed/></rss>', 'no <feedback>', 'not-a-report'],
    [
      'metadata without structure',
      '<feedback><report_metadata>not a dict</report_metadata><record/></feedback>',
      'missing',
    ],
  ];
  test.each(refusals)('%s', async (_title, report, detail, outcome = 'unreadable') => {
    expect(await readRefusal(report)).toMatchObject({ outcome, detail: expect.stringContaining(detail) });
  });

  test('a report cut off at any byte', async () => {
    const bytes = Buffer.from(text.trimEnd());
    for (let length = 1; length < bytes.length - 1; length++) {
      const { outcome } = await readRefusal(bytes.subarray(0, length));
      expect(['unreadable', 'not-a-report']).toContain(outcome);
    }
  });

  test('a report of more than 200,000 records', async () => {
    const record = '<record><row><source_ip>192.0.2.1</source_ip><count>1</count></row></record>';
    const report = reportText({ records: [record.repeat(200_001)] });
    expect(await readRefusal(report)).toMatchObject({
      outcome: 'too-large',
      detail: expect.stringContaining('200,000'),
    });
  });
});

describe('Text of strangers is read in linear time', () => {
  const size = 2_000_000;
  const shapes: readonly (readonly [title: string, text: string])[] = [
    ['a run of "<"', '<'.repeat(size)],
    ['a run of tags that do not end', '<a'.repeat(size / 2)],
    ['a run of instructions that do not end', '<?a'.repeat(size / 3)],
    ['a run of attributes', `<a ${'b="" '.repeat(size / 5)}`],
    ['a run of open quotes', '<a b=">'.repeat(size / 7)],
    ['a run of "&"', `<feedback><report_metadata><org_name>${'&'.repeat(60_000)}</org_name>`],
    ['a run of spaces in a tag', `<feedback ${' '.repeat(size)}`],
    ['a run of end tags', `<feedback>${'</a>'.repeat(size / 4)}`],
    ['a run of unknown elements', `<feedback>${'<a></a>'.repeat(size / 7)}`],
  ];
  test.each(shapes)('%s', async (_title, text) => {
    const start = process.cpuUsage();
    await readRefusal(`<?xml version="1.0"?>${text}`);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1e6).toBeLessThan(5);
  });
});
