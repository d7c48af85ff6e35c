/** One report of each kind, deformed in each of its parts: what is read of it then, and what is refused. */
import { describe, test } from '@jest/globals';
import { readFile } from '../../../shared/reports/read-mail.ts';
import type { DmarcRecordRow, ReportReading } from '../../../shared/reports/report.ts';
import { words } from '../../kit/answers.ts';
import { recorded, unlike } from '../../kit/recorded.ts';
import { readOne, withRows } from './read.ts';
import { recordText, reportText } from './report-text.ts';
import { TLS_REPORT } from './tls-report-text.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const BEGIN = Date.UTC(2026, 4, 31) / 1000;
const DAY = 86_400;

/** A report with every element that RFC 9990 and RFC 7489 define. */
const XML = reportText({
  moreMetadata:
    '<extra_contact_info>https://reporter.example/</extra_contact_info><generator>maker 1</generator>',
  dateRange: `<date_range><begin>${BEGIN}</begin><end>${BEGIN + DAY - 1}</end></date_range>`,
  policy:
    '<p>quarantine</p><sp>none</sp><np>reject</np><adkim>r</adkim><aspf>s</aspf><pct>50</pct><testing>n</testing><discovery_method>psl</discovery_method><fo>1</fo>',
  records: [
    recordText({
      reasons: '<reason><type>forwarded</type><comment>list</comment></reason>',
      identifiers:
        '<identifiers><envelope_to>to.example</envelope_to><envelope_from>from.example</envelope_from><header_from>example.org</header_from></identifiers>',
      authResults:
        '<auth_results><dkim><domain>example.org</domain><selector>s1</selector><result>pass</result><human_result>ok</human_result></dkim><spf><domain>bounce.example.org</domain><scope>mfrom</scope><result>pass</result></spf></auth_results>',
    }),
    recordText({ sourceIp: '<source_ip>2001:db8::1</source_ip>', dkim: '<dkim>fail</dkim>' }),
  ],
});

/** What is read of a file, without how; of a refused one, why. */
async function readingOf(bytes: Uint8Array | string, name = 'report.xml', now = NOW) {
  const outcome = await readOne(bytes, name, now);
  const { warnings = [] } = outcome as {
    warnings?: readonly { id: string; at?: string; value?: string; count: number }[];
  };
  const warned = warnings.map(({ id, count, at = '', value = '' }) => `${id} ${count} ${at} ${value}`.trim());
  const rest =
    outcome.outcome === 'dmarc'
      ? await ofRows(outcome)
      : outcome.outcome === 'tls'
        ? ofTls(outcome)
        : outcome;
  return { ...rest, warned };
}

async function ofRows(outcome: ReportReading) {
  const { report, rows, counts } = await withRows(outcome);
  return { ...report, counts, ...Object.fromEntries(rows.map((row, at) => [`row ${at}`, row])) };
}

function ofTls({ report, counts }: Extract<ReportReading, { outcome: 'tls' }>) {
  const { policies, ...header } = report;
  return { ...header, counts, ...Object.fromEntries(policies.map((policy, at) => [`policy ${at}`, policy])) };
}

/** What is read of each text, where it is not what is read of the sound one. */
async function recordAll(
  texts: Readonly<Record<string, string>>,
  sound: string,
  name?: string,
): Promise<void> {
  const usual = await readingOf(sound, name);
  const found: Record<string, unknown> = {};
  for (const [title, text] of Object.entries(texts)) {
    const reading = await readingOf(text, name).catch((error: unknown) => String(error));
    found[title] =
      typeof reading === 'object' && 'detail' in reading
        ? `refused: ${reading.detail}`
        : unlike(reading, usual);
  }
  recorded(found);
}

describe('an aggregate report', () => {
  test('that is sound', async () => {
    recorded(await readingOf(XML));
  });

  /** Elements without others in them, each with the place where it is for the first time. */
  const leaves = [...XML.matchAll(/<(\w+)>([^<]+)<\/\1>/g)].filter(
    ({ 0: text, index }) => XML.indexOf(text) === index,
  );
  const parts = [
    ...XML.matchAll(
      /<(report_metadata|date_range|policy_published|record|row|policy_evaluated|reason|identifiers|auth_results|dkim|spf)>/g,
    ),
  ];
  const deformed = (change: (name: string, value: string) => string) =>
    Object.fromEntries(
      leaves.map(({ 0: text, 1: name = '', 2: value = '', index }) => [
        `${name} ${value}`,
        XML.slice(0, index) + change(name, value) + XML.slice(index + text.length),
      ]),
    );

  test.each<[string, (name: string, value: string) => string]>([
    ['without an element', () => ''],
    ['with an empty element', (name) => `<${name}/>`],
    ['with an element twice', (name, value) => `<${name}>${value}</${name}><${name}>${value}</${name}>`],
    ['with two values of an element', (name, value) => `<${name}>${value}</${name}><${name}>other</${name}>`],
    ['with a value in capitals', (name, value) => `<${name}> ${value.toUpperCase()}\n</${name}>`],
    ['with a value that nothing defines', (name) => `<${name}>?</${name}>`],
    ['with an element that is not closed', (name, value) => `<${name}>${value}`],
  ])('%s', async (_, change) => {
    await recordAll(deformed(change), XML);
  });

  test('without a part, with it twice, and with text in it', async () => {
    const texts = parts.flatMap(({ 0: open, 1: name = '', index }) => {
      const end = XML.indexOf(`</${name}>`, index) + name.length + 3;
      const part = XML.slice(index, end);
      if (XML.indexOf(open) !== index) return [];
      return [
        [`without ${name}`, XML.slice(0, index) + XML.slice(end)],
        [`${name} twice`, XML.slice(0, index) + part + XML.slice(index)],
        [`text in ${name}`, XML.replace(open, `${open}text`)],
        [`a section in ${name}`, XML.replace(open, `${open}<![CDATA[text]]>`)],
      ];
    });
    await recordAll(Object.fromEntries(texts), XML);
  });

  const replaced = (name: string, values: readonly (string | number)[]) =>
    Object.fromEntries(
      values.map((value) => [
        `${name} ${String(value).length > 60 ? `of ${String(value).length} characters` : value}`,
        XML.replace(new RegExp(`<${name}>[^<]*</${name}>`), `<${name}>${value}</${name}>`),
      ]),
    );

  test('with numbers at limits', async () => {
    const counts = ['0', '00', '1', '-1', '+1', '1.0', '1e3', '9999999999', '10000000000', '10000000001'];
    await recordAll(
      {
        ...replaced('count', [...counts, 2 ** 53 - 4, 2 ** 53 - 1, 2 ** 53, '1'.repeat(17)]),
        ...replaced('pct', ['0', '99', '100', '101', '-1', '1.5', '']),
      },
      XML,
    );
  });

  test('with times at limits', async () => {
    const now = NOW.getTime() / 1000;
    const ends = (length: number) => XML.replace(/<end>\d+/, `<end>${BEGIN + length}`);
    const begins = (begin: number | string) =>
      XML.replace(/<begin>\d+/, `<begin>${begin}`).replace(/<end>\d+/, `<end>${Number(begin) + 3600}`);
    await recordAll(
      {
        ...Object.fromEntries(
          [-1, 0, 1, 25 * 3600, 25 * 3600 + 1, 3 * DAY, 4 * DAY].map((length) => [
            `length ${length}`,
            ends(length),
          ]),
        ),
        ...Object.fromEntries(
          [
            -400 * DAY - 1,
            -400 * DAY,
            -400 * DAY + 1,
            0,
            2 * DAY - 3600,
            2 * DAY - 3599,
            2 * DAY,
            2 * DAY + 1,
          ].map((after) => [`begins ${after} after receipt`, begins(now + after)]),
        ),
        ...replaced('begin', [
          -1,
          '1.5',
          `${BEGIN}.`,
          253_402_300_799,
          253_402_300_800,
          '2026-05-31T00:00:00Z',
          '2026-05-31T00:00:00.123Z',
          '2026-05-31',
          'x',
        ]),
      },
      XML,
    );
  });

  test('with values of each kind', async () => {
    await recordAll(
      {
        ...replaced('disposition', ['none', 'quarantine', 'reject', 'pass', 'Pass', 'sampled_out']),
        ...replaced(
          'result',
          words('none pass fail policy neutral temperror permerror softfail hardfail error unknown x'),
        ),
        ...Object.fromEntries(
          [
            'none',
            'neutral',
            'softfail',
            'SoftFail',
            'permerror',
            'hardfail',
            'error',
            'unknown',
            'x',
            '',
          ].map((result) => [
            `SPF result ${result}`,
            XML.replace('<scope>mfrom</scope><result>pass', `<scope>mfrom</scope><result>${result}`),
          ]),
        ),
        ...replaced(
          'type',
          words('local_policy mailing_list other policy_test_mode trusted_forwarder sampled_out Other x'),
        ),
        ...replaced('scope', ['mfrom', 'helo', 'HELO', 'pra']),
        ...replaced('testing', ['y', 'Y', 'n', 'x']),
        ...replaced('discovery_method', ['psl', 'treewalk', 'TreeWalk', 'x']),
        ...replaced('source_ip', [
          '192.0.2.300',
          '::ffff:192.0.2.1',
          '2001:DB8::1',
          ' 192.0.2.1 ',
          '[192.0.2.1]',
        ]),
        ...replaced('domain', [
          'EXAMPLE.org.',
          'bücher.example',
          'a_b.example',
          'localhost',
          '-',
          'a..b',
          'a b',
        ]),
        ...replaced('header_from', ['Example.ORG', 'a@example.org', 'Name &lt;a@example.org&gt;', '&amp;']),
        ...replaced('comment', [
          'x'.repeat(1024),
          'x'.repeat(1025),
          `${'x'.repeat(1023)}😀`,
          `${'x'.repeat(1022)}😀`,
        ]),
        ...replaced('org_name', ['x'.repeat(1025), '&#x41;&lt;', '&unknown;', '<![CDATA[a<b]]>']),
      },
      XML,
    );
  });

  test('with many items', async () => {
    const many = (of: string, count: number) => XML.replace(of, of.repeat(count));
    const [dkim = ''] = /<dkim><domain>.*?<\/dkim>/s.exec(XML) ?? [];
    const [spf = ''] = /<spf><domain>.*?<\/spf>/s.exec(XML) ?? [];
    const [reason = ''] = /<reason>.*?<\/reason>/s.exec(XML) ?? [];
    const counts = (of: string, name: string, numbers: readonly number[]) =>
      Promise.all(
        numbers.map(async (count) => {
          const reading: Record<string, unknown> = await readingOf(many(of, count));
          const row = reading['row 0'] as DmarcRecordRow | undefined;
          return [
            `${count} ${name}`,
            [row?.dkimResults.length, row?.spfResults.length, row?.reasons.length, reading.warned],
          ];
        }),
      );
    recorded(
      Object.fromEntries([
        ...(await counts(dkim, 'signatures', [99, 100, 101])),
        ...(await counts(spf, 'SPF results', [9, 10, 11])),
        ...(await counts(reason, 'reasons', [19, 20, 21])),
      ]),
    );
  });

  test('as a document of another form', async () => {
    const root = (tag: string) => XML.replace('<feedback>', tag);
    const utf16 = Buffer.from(`\ufeff${XML}`, 'utf16le');
    await recordAll(
      {
        'with a namespace': root('<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">'),
        'with that namespace and without pct': root(
          '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">',
        ).replace(/<pct>.*?<\/pct>|<(testing|discovery_method|generator)>.*?<\/\1>/g, ''),
        'with another namespace': root('<feedback xmlns="http://dmarc.org/dmarc-xml/0.1">'),
        'with prefixes': XML.replaceAll(/<(\/?)(\w)/g, '<$1d:$2').replace(
          '<d:feedback>',
          '<d:feedback xmlns:d="x">',
        ),
        'without a declaration': XML.replace(/^<\?xml.*?\?>\n/, ''),
        'with a comment': root('<!-- a --><feedback><!-- b -->'),
        'with a document type': root('<!DOCTYPE feedback><feedback>'),
        'with an entity': root('<!DOCTYPE feedback [<!ENTITY a "b">]><feedback>'),
        'with another root': XML.replaceAll('feedback', 'reports'),
        'without its end': XML.slice(0, -12),
        'with text behind it': `${XML}text`,
        twice: XML + XML,
        'in Latin-1': XML.replace('UTF-8', 'ISO-8859-1'),
        'in an encoding that does not exist': XML.replace('UTF-8', 'x-none'),
      },
      XML,
    );
    recorded({
      utf16: unlike(await readingOf(utf16), await readingOf(XML)),
      'invalid octets': unlike(
        await readingOf(Buffer.from(XML.replace('ok', '\xff'), 'latin1')),
        await readingOf(XML),
      ),
    });
  });

  test('with what its file name says', async () => {
    const without = (name: string) => XML.replace(new RegExp(`<${name}>[^<]*</${name}>`), '');
    const texts = Object.fromEntries(
      ['report_id', 'begin', 'end', 'domain', 'org_name'].map((name) => [name, without(name)]),
    );
    await recordAll(texts, XML, `reporter.example!example.org!${BEGIN}!${BEGIN + DAY}!id-7.xml`);
    await recordAll(texts, XML, `reporter.example!example.org!${BEGIN}.xml.gz`);
  });
});

describe('a TLS report', () => {
  const JSON_REPORT = {
    ...TLS_REPORT,
    'date-range': { 'start-datetime': '2026-05-31T00:00:00Z', 'end-datetime': '2026-05-31T23:59:59Z' },
  };
  const SOUND = JSON.stringify(JSON_REPORT);

  /** Each member at any depth, by its path. */
  function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, item]) => [
      [...path, name],
      ...pathsOf(item, [...path, name]),
    ]);
  }

  function withChange(path: readonly string[], change: (value: unknown) => unknown): string {
    const copy = structuredClone(JSON_REPORT) as unknown as Record<string, unknown>;
    const last = path.at(-1) ?? '';
    let holder = copy;
    for (const name of path.slice(0, -1)) holder = holder[name] as Record<string, unknown>;
    const changed = change(holder[last]);
    if (changed === undefined) delete holder[last];
    else holder[last] = changed;
    return JSON.stringify(copy);
  }

  test('that is sound', async () => {
    recorded(await readingOf(SOUND, 'report.json'));
  });

  test.each<[string, (value: unknown) => unknown]>([
    ['without a member', () => undefined],
    ['with null', () => null],
    ['with a number', () => 7],
    ['with a list', (value) => [value]],
    ['with a value in capitals', (value) => (typeof value === 'string' ? value.toUpperCase() : value)],
  ])('%s', async (_, change) => {
    const texts = pathsOf(JSON_REPORT).map((path) => [
      path.join('/').replace('policies/0/', ''),
      withChange(path, change),
    ]);
    await recordAll(Object.fromEntries(texts), SOUND, 'report.json');
  });

  test('with values at limits', async () => {
    const at = (path: string, values: readonly unknown[]) =>
      values.map((value) => {
        const text = JSON.stringify(value) ?? '';
        const shown = text.length > 60 ? `${text.length} characters` : text;
        return [`${path} ${shown}`, withChange(`policies/0/${path}`.split('/'), () => value)];
      });
    const numbers = [0, -1, 1.5, '3', ' 3 ', '-3', 2 ** 53 - 1, 2 ** 53, true];
    const types = words(`
      starttls-not-supported certificate-host-mismatch certificate-not-trusted validation-failure
      tlsa-invalid dnssec-invalid dane-required sts-policy-fetch-error sts-policy-invalid
      sts-webpki-invalid x
    `);
    const dates = [
      '2026-05-31',
      '2026-05-31T00:00:00',
      '2026-05-31T00:00:00+02:00',
      '2026-05-31T00:00:00.5Z',
      '2026-06-01',
      '2026-06-02T12:00:00Z',
      '2026-06-03T12:00:00Z',
      '2026-06-03T12:00:01Z',
      '2025-04-27T11:59:59Z',
      '2025-04-27T12:00:00Z',
      'May 31 2026',
      1_780_000_000,
    ];
    await recordAll(
      Object.fromEntries([
        ...at('summary/total-successful-session-count', numbers),
        ...at('summary/total-failure-session-count', [1, 2, 3]),
        ...at('failure-details/0/failed-session-count', [0, 1, 3]),
        ...at('failure-details/0/result-type', types),
        ...at('failure-details/0/receiving-ip', ['[192.0.2.1]', '::FFFF:192.0.2.1', 'x']),
        ...at('policy/policy-type', ['tlsa', 'sts', 'no-policy-found', 'x']),
        ...at('policy/policy-domain', ['Example.ORG.', 'x'.repeat(1024), 'x'.repeat(1025)]),
        ...at('policy/mx-host', [
          'mx.example.org',
          'mx: mx.example.org',
          ['MX.example.org.'],
          [1, 'a.example'],
          Array(100).fill('a'),
          Array(101).fill('a'),
        ]),
        ...at('policy/policy-string', [
          '["version: STSv1"]',
          '[broken',
          '["a"',
          ['["a","b"]'],
          ['[1]'],
          Array(101).fill('a'),
        ]),
        ...dates.flatMap((date) => [
          [`from ${date}`, withChange(['date-range', 'start-datetime'], () => date)],
          [`to ${date}`, withChange(['date-range', 'end-datetime'], () => date)],
        ]),
      ]),
      SOUND,
      'report.json',
    );
  });

  test('as a document of another form', async () => {
    await recordAll(
      {
        'with a byte order mark': `\ufeff${SOUND}`,
        'without its end': SOUND.slice(0, -1),
        'with text behind it': `${SOUND}x`,
        'in a list': `[${SOUND}]`,
        'with other names': SOUND.replaceAll('-', '_'),
        'with a duplicate name': SOUND.replace('{', '{"report-id":"other",'),
        'with another time first': SOUND.replace('{', '{"__proto__":{"x":1},'),
        'as text': JSON.stringify(SOUND),
        'without anything': '{}',
        'without policies': withChange(['policies'], () => []),
        'with two policies': SOUND.replace(
          '"policies":[',
          `"policies":[${JSON.stringify(JSON_REPORT.policies[0])},`,
        ),
      },
      SOUND,
      'report.json',
    );
  });
});

test('files that are no reports', async () => {
  const outcomes: Record<string, unknown> = {};
  for (const text of [
    '',
    ' ',
    'Hello',
    '{}',
    '[]',
    '<html></html>',
    '<feedback/>',
    '<?xml version="1.0"?>',
    '%PDF-1.7',
    '\u0000',
  ])
    outcomes[JSON.stringify(text)] = await readFile('file', Buffer.from(text), { now: NOW });
  recorded(outcomes);
});
