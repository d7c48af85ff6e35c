import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { readDmarcReport } from '../../../shared/reports/dmarc/aggregate.ts';
import type { DmarcRecordRow, DmarcReportHeader } from '../../../shared/reports/report.ts';
import { type WarningId, Warnings } from '../../../shared/reports/warnings.ts';
import { idsOf, readDmarc, readOne, readRefusal } from './read.ts';
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
  discoveryMethod: null,
  specification: 'RFC 7489',
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

/** Reads the report. Expects the default header with `facts`, the default row, and exactly these warnings. */
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

describe('a valid report', () => {
  test('counts the messages of a row as passed if DKIM or SPF passed', async () => {
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

  test.each([1, 2, 3, 7, 64])('has the same result in chunks of %i bytes', async (size) => {
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
    expect(await readChunks(pieces)).toEqual({
      report: { ...HEADER, orgName: 'Bücher & Söhne A <&>' },
      rows: [ROW],
      warnings: [],
    });
  });
});

describe('records that end like others', () => {
  const rests: readonly (readonly [string, RecordParts])[] = [
    ['nothing unusual', {}],
    ['an end tag of a record in a comment', { more: '<!-- </record> --><extension/>' }],
    [
      'an end tag of a record in a section',
      { authResults: `<auth_results>${DKIM}<![CDATA[</record>]]></auth_results>` },
    ],
    ['a second row', { more: '<row><count>3</count></row>' }],
    ['an extension', { more: '<extension><a:b xmlns:a="c">d</a:b></extension>' }],
    ['an unknown element', { more: '<later>x</later>' }],
    [
      'a value with an ampersand',
      { identifiers: '<identifiers><header_from>a&b.example</header_from></identifiers>' },
    ],
    [
      'a repeated value',
      {
        authResults: `<auth_results>${DKIM.replace('<result>', '<result>fail</result><result>')}</auth_results>`,
      },
    ],
    ['no result', { authResults: '<auth_results></auth_results>' }],
  ];

  test.each(rests)('have what they would have alone: %s', async (_title, rest) => {
    const records = [1, 2, 3].map((at) =>
      recordText({ ...rest, sourceIp: `<source_ip>192.0.2.${at}</source_ip>` }),
    );
    const text = Buffer.from(reportText({ records }));
    // A record is never whole in a byte, so that nothing is remembered of it.
    const [whole, bytewise] = [
      await readChunks([text]),
      await readChunks([...text].map((it) => Buffer.of(it))),
    ];
    expect(whole).toEqual(bytewise);
    expect(whole.rows.map(({ sourceIp }) => sourceIp)).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  });

  test('count for the size of a record', async () => {
    const comment = (length: number) => `<reason><comment>${'x'.repeat(length)}</comment></reason>`;
    // 512 KB at most, of which the rest is one.
    const reasons = [...Array.from({ length: 8 }, () => comment(60_000)), comment(42_000)].join('');
    const ending = (selector: string) =>
      `<auth_results><dkim><domain>a.example</domain><selector>${selector}</selector></dkim></auth_results>`;
    const records = (selector: string) => [
      recordText({ authResults: ending(selector) }),
      recordText({ authResults: ending(selector), reasons }),
    ];
    await readDmarc(reportText({ records: records('s1') }));
    const refusal = await readRefusal(reportText({ records: records('s'.repeat(1_800)) }));
    expect(refusal).toMatchObject({
      detail: 'the values of a record or of the report are larger than 512 KB',
    });
  });
});

async function readChunks(chunks: readonly Buffer[]) {
  const rows: DmarcRecordRow[] = [];
  const warnings = new Warnings();
  const { report } = await readDmarcReport(chunks, (batch) => void rows.push(...batch), { warnings });
  return { report, rows, warnings: warnings.list() };
}

describe('RFC 9990', () => {
  const NAMESPACE = 'urn:ietf:params:xml:ns:dmarc-2.0';
  const forms: readonly Row[] = [
    [
      'np, testing, discovery_method',
      {
        policy: '<p>reject</p><np>none</np><testing>y</testing><discovery_method>treewalk</discovery_method>',
      },
      {
        ...{ policyP: 'reject', policySp: null, policyNp: 'none', policyAspf: 'r', testing: true },
        discoveryMethod: 'treewalk',
        specification: 'RFC 9990',
      },
    ],

    [
      'the tag t instead of testing',
      { policy: '<p>reject</p><t>y</t>' },
      { policyP: 'reject', policySp: null, policyAspf: 'r', testing: true, specification: 'RFC 9990' },
      ['misnamed-element'],
    ],
    [
      'np alone, which RFC 9091 added to RFC 7489',
      { policy: '<aspf>s</aspf><p>quarantine</p><sp>none</sp><np>reject</np>' },
      { policyNp: 'reject', specification: 'RFC 7489' },
    ],
    [
      'its namespace with a prefix, and no legacy element',
      {
        root: `<d:feedback xmlns:d="${NAMESPACE}">`,
        policy: '<aspf>s</aspf><p>quarantine</p><sp>none</sp>',
        end: '</d:feedback>',
      },
      { specification: 'RFC 9990' },
    ],

    [
      'lang attributes on texts',
      {
        moreMetadata:
          '<extra_contact_info lang="en">see &lt;page&gt;</extra_contact_info><error lang="de">x</error><error>y</error>',
      },
      { extraContactInfo: 'see <page>' },
    ],
    [
      'extensions with any content',
      { moreMetadata: '<extension><x:record xmlns:x="urn:x"><count>5</count></x:record></extension>' },
      {},
    ],
  ];
  test.each(forms)('%s', (_title, text, facts, warnings = []) => expectHeader(text, facts, warnings));

  const rows: readonly Entry[] = [
    ['an element of an extension', { more: '<extension><a/></extension>' }, {}],
  ];
  test.each(rows)('a record with %s', (_title, record, facts, warnings = []) =>
    expectRow(record, facts, warnings),
  );
});

describe('the XML of real reporters', () => {
  const forms: readonly Row[] = [
    ['no line break after the declaration', { declaration: '<?xml version="1.0"?>' }, {}],
    ['a byte order mark', { declaration: '\ufeff<?xml version="1.0"?>\n' }, {}],
    ['leading white space', { declaration: '\n\t <?xml version="1.0"?>\n' }, {}],
    [
      'a stray xs:schema without an end tag',
      { before: '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">\n' },
      {},
      ['outside-root'],
    ],
    [
      'a prefix only on the root',
      {
        root: "<n:feedback xmlns:n='http//dmarc.org/dmarc-xml/0.1'>",
        ...{ version: '<version >1.0</version >', end: '</n:feedback>' },
      },
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
    ['tabs and CR at the end of every line', reportText().replaceAll('>\n', '>\t\r\n'), {}],
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
      'an end tag without a start tag',
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
    ['the last ">" missing', { end: '</feedback' }, {}, ['cut-end-tag']],
    ['an unfinished tag behind the end', { end: '</feedback><' }, {}, ['outside-root']],
    [
      'metadata after the records',
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
      'data_range instead of date_range',
      { dateRange: `<data_range><begin>${BEGIN}</begin><end>${END}</end></data_range>` },
      {},
      ['misnamed-element'],
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
    ['Latin-1, declared', Buffer.from(declared('ISO-8859-1'), 'latin1'), 'B\u00fccher', ['other-encoding']],
    ['Latin-1, declared as UTF-8', Buffer.from(declared('UTF-8'), 'latin1'), 'B\ufffdcher', ['not-utf-8']],
    [
      'UTF-16 without a byte order mark',
      Buffer.from(declared('UTF-16'), 'utf16le'),
      'B\u00fccher',
      ['other-encoding'],
    ],
    [
      'UTF-16 without a byte order mark, big-endian',
      Buffer.from(declared('UTF-16'), 'utf16le').swap16(),
      'B\u00fccher',
      ['other-encoding'],
    ],
    ['UTF-8, declared as UTF-16', Buffer.from(declared('UTF-16')), 'B\u00fccher', []],
    [
      'half a character behind the end',
      Buffer.concat([Buffer.from(declared('UTF-8')), Buffer.of(0xc3)]),
      ...(['B\u00fccher', ['not-utf-8', 'outside-root'] as WarningId[]] as const),
    ],
  ];
  test.each(encodings)('%s', async (_title, bytes, orgName, warnings) => {
    const reading = await readDmarc(bytes);
    expect(reading.report).toEqual({ ...HEADER, orgName });
    expect(idsOf(reading)).toEqual(warnings);
  });
});

describe('the period of the header', () => {
  test.each([
    ['a second more than two days ahead', reportText(), 'report.xml'],
    [
      'in the year 3000, by its file name',
      reportText({ dateRange: '' }),
      'a!b.example!32503680000!32503766399',
    ],
  ])('are rejected if the period starts %s, compressed or not', async (_title, text, name) => {
    const receivedAt = new Date((BEGIN - 2 * 86_400 - 1) * 1000);
    for (const bytes of [Buffer.from(text), gzipSync(text)]) {
      expect(await readOne(bytes, name, receivedAt)).toEqual({
        outcome: 'unreadable',
        source: name,
        detail: expect.stringMatching(
          /^the period begins at (?:2023|3000)-\S+, more than two days after the report was received$/,
        ),
      });
    }
  });
});

describe('the records of real reporters', () => {
  const results = (text: string): RecordParts => ({ authResults: `<auth_results>${text}</auth_results>` });
  const identifiers = (text: string): RecordParts => ({ identifiers: `<identifiers>${text}</identifiers>` });
  const entries: readonly Entry[] = [
    ['an empty reason', { reasons: '<reason/>' }, {}, ['empty-reason']],

    [
      'identities instead of identifiers',
      { identifiers: '<identities><header_from>example.org</header_from></identities>' },
      {},
      ['misnamed-element'],
    ],

    [
      'a raw "<" in header_from',
      identifiers('<header_from>bad<xml.net</header_from>'),
      { headerFrom: 'bad<xml.net' },
      ['raw-markup'],
    ],

    [
      'an empty DKIM result',
      results(`<dkim><domain></domain><result></result></dkim>${SPF}`),
      { dkimResults: [] },
      ['empty-dkim-result'],
    ],

    ['an unclosed DKIM result', results(`${DKIM.replace('</dkim>', '')}${SPF}`), {}, ['unclosed-element']],

    [
      'no end tag of the row',
      { row: recordText().slice('<record>'.length, recordText().indexOf('</row>')) },
      {},
      ['unclosed-element'],
    ],
  ];
  test.each(entries)('%s', (_title, record, facts, warnings = []) => expectRow(record, facts, warnings));

  test('keeps records separate that differ only in the From domain or the recipient', async () => {
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

  test('skips an empty record, but keeps the report', async () => {
    const reading = await readDmarc(reportText({ records: ['<record><row/></record>', recordText()] }));
    expect(reading.counts).toEqual({ records: 1, skippedRecords: 1, messages: 3, passed: 3, failed: 0 });
    expect(idsOf(reading)).toEqual(['empty-record']);
  });

  test('accepts a report without records', async () => {
    const reading = await readDmarc(reportText({ records: [] }));
    expect(reading.counts.records).toBe(0);
    expect(idsOf(reading)).toEqual(['no-records']);
  });
});

describe('an unreliable report is rejected:', () => {
  const text = reportText();
  const ofRecord = (parts: RecordParts) => reportText({ records: [recordText(parts)] });
  const TOO_LARGE = 'the values of a record or of the report are larger than 512 KB';
  const cut = (mark: string) => text.slice(0, text.indexOf(mark));
  const refusals: readonly (readonly [title: string, text: string, detail: string, outcome?: string])[] = [
    ['a report truncated inside a value', cut('bounce.example.org'), 'truncated'],
    [
      'a record that is not closed before the next one',
      text.replace('</record>', recordText()),
      '<record> has no end tag',
    ],
    ['a record that is not closed at the end', text.replace('</record>', ''), '<record> has no end tag'],
    [
      'an invalid policy domain',
      reportText({ domain: `<domain>${'a'.repeat(300)}</domain>` }),
      'policy_published/domain',
    ],
    [
      'two policies for different domains',
      reportText({
        policyPublished:
          '<policy_published><domain>a.example</domain></policy_published><policy_published><domain>b.example</domain></policy_published>',
      }),
      'there are two values,',
    ],
    ['a record after the end', `${text}${recordText()}`, '<record> occurs after the end'],
    [
      'rows inside an unknown element',
      ofRecord({ row: `<wrap>${recordText().slice(8, 60)}</wrap>` }),
      'is not allowed in this place',
    ],
    [
      'an unknown element that is not closed and contains others',
      ofRecord({ more: '<odd><x/>' }),
      '<odd> has no end tag',
    ],
    [
      'aligned results inside an unknown element',
      ofRecord({ dkim: '<wrap><dkim>pass</dkim></wrap>' }),
      '<dkim> is not allowed in this place',
    ],
    [
      'an unknown element that is not closed after its content',
      ofRecord({ more: '<odd><x><y/></x>' }),
      '<odd> has no end tag',
    ],
    [
      'a record larger than 512 KB',
      ofRecord({ authResults: `<auth_results>${DKIM.repeat(10_000)}</auth_results>` }),
      TOO_LARGE,
      'too-large',
    ],
    [
      'a record with 100,000 empty results',
      ofRecord({ authResults: `<auth_results>${'<dkim/>'.repeat(100_000)}` }),
      TOO_LARGE,
      'too-large',
    ],
    [
      'metadata larger than 512 KB',
      reportText({ moreMetadata: '<generator>x</generator>'.repeat(30_000) }),
      TOO_LARGE,
      'too-large',
    ],
    [
      'a count in the identifiers',
      ofRecord({ count: '', identifiers: '<identifiers><count>3</count></identifiers>' }),
      '<count> is not allowed in this place',
    ],
    [
      'a document type declaration',
      reportText({ before: '<!DOCTYPE feedback SYSTEM "file:///etc/passwd">' }),
      'document type',
    ],
    [
      'records of which only the end tags are left',
      `${text.slice(0, text.indexOf('</policy_published>'))}</spf></auth_results></record></feedback>`,
      '</auth_results> has no matching start tag, policy_published',
    ],
    [
      'a record without its start',
      reportText({ records: [recordText(), '</record>'] }),
      '</record> has no matching start tag, feedback',
    ],
    ['a declaration inside the report', reportText({ moreMetadata: '<!ENTITY x "y">' }), 'document type'],
    [
      'counts with a sum over 2^53',
      reportText({ records: Array(2).fill(recordText({ count: '<count>9007199254740991</count>' })) }),
      'the sum of the counts is too large',
    ],
    [
      'elements nested 17 levels deep',
      reportText({ moreMetadata: '<a>'.repeat(17) }),
      'nested more than 16',
      'too-large',
    ],
    ['65 attributes', reportText({ root: `<feedback${' a="1"'.repeat(65)}>` }), '64 attributes', 'too-large'],
    [
      'a value larger than 64 KB',
      reportText({ orgName: `<org_name>${'x'.repeat(65_537)}</org_name>` }),
      '64 KB',
      'too-large',
    ],
    [
      'a value with many comments',
      reportText({ orgName: `<org_name>${'x<!-- -->'.repeat(65_537)}</org_name>` }),
      '64 KB',
      'too-large',
    ],
    [
      'a comment larger than 64 KB',
      reportText({ before: `<!--${' '.repeat(200_000)}-->` }),
      '64 KB',
      'too-large',
    ],
    ['a web page', '<!DOCTYPE html><html></html>', 'web page', 'not-a-report'],
    [
      'a web page with its document type inside',
      '<html><!DOCTYPE html PUBLIC "x"></html>',
      'web page',
      'not-a-report',
    ],
    [
      'a web page with conditional comments of Microsoft',
      '<html><head><![if !mso]><b><![endif]></head></html>',
      'web page',
      'not-a-report',
    ],
    [
      'an SVG image',
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

  test('a report truncated at any byte', async () => {
    const bytes = Buffer.from(text.trimEnd());
    for (let length = 1; length < bytes.length - 1; length++) {
      const { outcome } = await readRefusal(bytes.subarray(0, length));
      expect(['unreadable', 'not-a-report']).toContain(outcome);
    }
  });

  test('a report with more than 200,000 records', async () => {
    const record = '<record><row><source_ip>192.0.2.1</source_ip><count>1</count></row></record>';
    const report = reportText({ records: [record.repeat(200_001)] });
    expect(await readRefusal(report)).toMatchObject({
      outcome: 'too-large',
      detail: expect.stringContaining('200,000'),
    });
  });
});

describe('hostile text is read in linear time:', () => {
  const size = 2_000_000;
  const shapes: readonly (readonly [title: string, text: string])[] = [
    ['a run of "<"', '<'.repeat(size)],
    ['a run of unterminated tags', '<a'.repeat(size / 2)],
    ['a run of unterminated processing instructions', '<?a'.repeat(size / 3)],
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
