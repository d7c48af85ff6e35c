import { describe, expect, test } from '@jest/globals';
import { analyse, type MailTestResults } from '../../../shared/mail-test/analyse.ts';
import type { ReceiverOutcome } from '../../../shared/mail-test/receivers.ts';
import { breakdown } from '../../../shared/pages/mail-test/breakdown.ts';
import { checks } from '../../../shared/pages/mail-test/checks.ts';
import { adviceList, header, senderNotes, way } from '../../../shared/pages/mail-test/message.ts';
import { testPage } from '../../../shared/pages/mail-test/page.ts';
import { headline, receiverList } from '../../../shared/pages/mail-test/receivers.ts';
import { difference, points, readable } from '../../../shared/pages/mail-test/text.ts';
import { dial } from '../../../shared/pages/mail-test/verdict.ts';
import type { ReceiverVerdicts } from '../../../shared/protocol/message/receiver-trace.ts';
import type { TestSession } from '../../../shared/store/test-sessions.ts';
import { outlineOf, outlineOfPage } from '../../kit/outline.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const testId = 'a'.repeat(26);
const addresses = { email: `${testId}@tester.example`, url: `https://monitor.example/t/${testId}` };
const expiresAt = '2026-01-03T10:00:00.000Z';

const EDGE =
  'Return-Path: <a@example.org>\r\nReceived: from mail.example.org (x [192.0.2.7])\r\n by inbound-smtp.example with SMTP id edge\r\n for x; Thu, 1 Jan 2026 10:00:00 +0000\r\n';

/** What can be given beside the message. */
interface Given {
  readonly published?: ZoneLiteral;
  readonly otherMessages?: number;
  readonly verdicts?: ReceiverVerdicts | null;
}

const receivedAt = new Date('2026-01-01T10:00:00Z');

const analysed = (message: string, { published = {}, verdicts = null }: Given = {}) =>
  analyse(
    { message: Buffer.from(EDGE + message), edgeId: 'edge', receivedAt, verdicts },
    {
      ...{ dns: zone(published), blocklists: new Map([['combined', 'list.example']]) },
      domainBlocklists: ['names.example'],
    },
  );

async function pageOf(message: string, given: Given = {}): Promise<string> {
  const session: TestSession = {
    ...{ status: 'completed', testId, expiresAt, edgeId: 'edge', receivedAt: receivedAt.toISOString() },
    ...{ test: await analysed(message, given), otherMessages: given.otherMessages ?? 0 },
  };
  return testPage(session, addresses);
}

test('the page of a pending test shows the address, and reloads, also without JavaScript', () => {
  const page = testPage({ status: 'pending', testId, expiresAt }, addresses);
  expect(page).toContain('<noscript><meta http-equiv="refresh" content="10"></noscript>');
  expect(outlineOfPage(page)).toMatchSnapshot();
});

const signature = 'DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s; h=from; bh=AAAA; b=AAAA\r\n';
const published: ZoneLiteral = {
  'example.org': { TXT: ['v=spf1 ip4:192.0.2.7 -all'], MX: [[10, '.']] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject'] },
  '2.0.0.127.list.example': { A: ['127.0.0.2'] },
  '7.2.0.192.list.example': { A: ['127.0.0.2'], TXT: ['spam seen'] },
};

test.each<[string, string, Given]>([
  [
    'of a message with nothing',
    'From: A <a@example.org>\r\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n\r\nHello',
    {},
  ],
  [
    'of a message with much',
    `${signature.repeat(4)}Received: from laptop by mail.example.org with ESMTPS (TLS1.3); today\r\nReceived: by x\r\nDKIM2-Signature: i=1\r\nDate: Thu, 1 Jan 2026 11:00:00 +0100\r\nMessage-ID: <1@example.org>\r\nFrom: a@example.org\r\n\r\nx`,
    { published, otherMessages: 3, verdicts: { spf: 'pass', dkim: null, dmarc: 'fail' } },
  ],
])('the page %s', async (_what, message, given) => {
  // The parts below the headline have recordings of their own.
  const [headline = '', parts = ''] = outlineOfPage(await pageOf(message, given)).split(
    /(?=\n *section\[aria-labelledby=receivers)/,
  );
  expect(
    `${headline}\n${parts.match(/h2.*|.*(?:<span\.n |p\.total|duplicate).*/g)?.join('\n')}`,
  ).toMatchSnapshot();
});

test('lists what is wrong from the most severe, then what is right, with their points', () => {
  const line = (rule: string, score: number) => ({
    rule,
    score,
    explanation: `${rule} is so.`,
    fix: 'Mend it.',
  });
  const lines = [
    line('SMALL', 0.1),
    line('NONE', 0),
    line('GRAVE', 3),
    line('LESS', 2.9),
    line('GOOD', -0.5),
  ];
  const shown = [lines, lines.slice(0, 1), lines.slice(4), []].map((of, n) =>
    outlineOf(breakdown(of as never, n === 2 ? -0.5 : 12.3)),
  );
  expect(shown.join('')).toMatchSnapshot();
});

test.each([-1, 0, 0.04, 3, 5, 6, 9.96, 10, 25])('the dial at a score of %d', (spamScore) => {
  const verdict =
    spamScore < 3 ? 'ham' : spamScore < 6 ? 'probable-spam' : spamScore < 10 ? 'spam' : 'high-spam';
  const drawn = String(dial({ spamScore, verdict, scoreBreakdown: [], results: {} as never }));
  expect(
    spamScore === 5 ? `\n${drawn}` : /aria-label.*|<path class="needle.*/g[Symbol.match](drawn),
  ).toMatchSnapshot();
});

const { results: some } = await analysed(`${signature}From: a@example.org\r\n\r\nx`);

describe('the checks', () => {
  const results = some;
  const { spf, dkim, dmarc, ptr, mx, blocklists, headers } = results;
  const shown = (given: Partial<MailTestResults>) => outlineOf(checks({ ...results, ...given }));
  /** The checks with a name. */
  const only = (name: string, given: Partial<MailTestResults>) =>
    shown(given)
      .split(/\n(?= *div\.check-result)/)
      .filter((one) => one.includes(`h3 ${name} <`))
      .join('\n')
      .replaceAll(/^ /gm, '');

  test('of SPF', () => {
    const matched = { term: 'ip4:192.0.2.7', domain: 'example.org' };
    const given = [
      { result: 'pass', ip: null, matched, aligned: true },
      { result: 'fail', aligned: true, explanation: 'x'.repeat(300) },
      { result: 'softfail', aligned: false },
      { result: 'permerror', aligned: null, problem: { kind: 'too-many-lookups', domain: 'a.example' } },
      { result: 'temperror', problem: { kind: 'no-answer', domain: 'a.example', term: 'mx' } },
    ].map((one) => only('SPF', { spf: { ...spf, ...one } as never }));
    expect(`\n${given.join('\n')}`).toMatchSnapshot();
  });

  test('of DKIM', () => {
    const [signed] = dkim.signatures;
    const of = (verdict: string, more = {}) => ({ ...signed, verdict, warnings: [], ...more });
    const all = [
      of('pass', { keySize: 1024, aligned: true, warnings: ['Weak.', 'Old.'], explanation: '' }),
      of('fail', { duplicate: true }),
      ...['fail', 'temperror', 'not-checked'].map((verdict) => of(verdict, { keySize: null })),
    ];
    const shownFor = (given: object) => {
      const page = shown({ dkim: { ...dkim, ...given } as never });
      return page
        .slice(page.indexOf('h2#checks'), page.search(/ *div[^\n]*\n *h3 DMARC/))
        .replace(/[\s\S]*?(?=\n ?div[^\n]*\n *h3 DKIM)/, '');
    };
    expect(
      [
        shownFor({ signatures: all, more: 1, valid: false }),
        shownFor({ signatures: all.slice(2, 4), more: 0, valid: true }),
        shownFor({ signatures: [], more: 2 }),
      ].join('\n'),
    ).toMatchSnapshot();
  });

  test('of DMARC', () => {
    const reasons = [
      'no-from',
      'no-author-domain',
      'several-from',
      'several-authors',
      'no-record',
      'broken-record',
      'not-aligned',
      'dns',
      'limit',
    ];
    const known = {
      ...({ record: 'v=DMARC1; p=none', recordDomain: 'example.org', policy: 'none' } as const),
      ...({ reason: null, result: 'pass' } as const),
    };
    const given = [
      ...[
        [true, false],
        [false, true],
        [true, true],
      ].map(([spfAligned, dkimAligned]) => ({ ...known, spfAligned, dkimAligned })),
      {
        ...known,
        ...({ result: 'permerror', domain: null, record: null, policy: null, spfAligned: false } as const),
        dkimAligned: false,
      },
    ].map((one) => only('DMARC', { dmarc: { ...dmarc, ...one } as never }));
    const said = reasons.map(
      (reason) => /Reason: .*/.exec(only('DMARC', { dmarc: { ...dmarc, reason } as never }))?.[0],
    );
    expect(`\n${[...given, ...said].join('\n')}`).toMatchSnapshot();
  });

  test('of names and MX hosts', () => {
    const names = (['valid', 'mismatch', 'missing', 'unknown'] as const).map((status, n) =>
      only('Reverse DNS', {
        ptr: { ...ptr, status, record: n < 2 ? 'mail.example.org' : null, confirmed: n === 0 },
        spf: { ...spf, helo: n === 3 ? null : spf.helo } as never,
      }),
    );
    const hosts = (['valid', 'none', 'invalid', 'unknown'] as const).map((status, n) => {
      const of = {
        ...mx,
        status,
        domain: n === 3 ? null : 'b.example',
        problem: n === 2 ? '<b>' : null,
        records: n === 0 ? [{ exchange: 'mx.b.example' }, { exchange: '' }] : [],
      };
      return `${only('Sender MX', { mx: of as never })}\n${only('From MX', { fromMx: of as never, mx })}`;
    });
    expect(`\n${[...names, ...hosts].join('\n')}`).toMatchSnapshot();
    expect(only('From MX', { fromMx: mx })).toBe('');
  });

  test('of blocklists: one that is not available never counts as not listed', () => {
    const [one] = blocklists.results;
    const list = (given: object) => ({
      ...one,
      listed: false,
      unknown: null,
      codes: [],
      reason: null,
      ...given,
    });
    const reasons = ['refused', 'broken', 'no-test-entry', 'no-ipv6', 'no-answer', 'no-address'];
    const given = [
      {
        listed: 2,
        results: [
          list({ listed: true, codes: ['127.0.0.2', '127.0.0.3'], reason: '<b>' }),
          list({ listed: true, codes: ['127.0.0.4'] }),
        ],
      },
      { listed: 0, results: [list({})] },
      { listed: 0, results: [list({}), list({ listed: null, unknown: 'refused' })] },
      { listed: 0, results: reasons.map((unknown) => list({ listed: null, unknown })) },
    ];
    const shownFor = given.flatMap((of) => [
      only('Blocklists', { blocklists: of as never }),
      only('Blocklists of domains', {
        domainBlocklists: {
          ...of,
          results: of.results.map((it) => ({ ...it, domain: 'd.example' })),
        } as never,
      }),
    ]);
    expect(`\n${shownFor.join('\n')}`).toMatchSnapshot();
    expect(only('Blocklists of domains', { domainBlocklists: { listed: 0, results: [] } })).toBe('');
  });

  test('of header fields', () => {
    const date = '2026-01-01T10:00:00.000Z';
    const given = [
      { messageId: '<1@x>', date, dateStatus: 'valid' },
      { messageId: null, date, dateStatus: 'valid' },
      { messageId: '<1@x>', date, dateStatus: 'future' },
      { messageId: '<1@x>', date: null, dateStatus: 'missing' },
    ].map((one) => only('Header fields', { headers: { ...headers, ...one } as never }));
    expect(`\n${given.join('\n')}`).toMatchSnapshot();
  });
});

test('what receivers do: the worst, and the receivers that do it', () => {
  const rule = (senders: string, given = {}) => ({
    senders,
    rule: `A rule for ${senders}.`,
    ...({ reply: null, source: null, delivery: 'rejected' } as const),
    ...given,
  });
  const outcome = (receiver: string, delivery: string, bulkDelivery = delivery, broken: object[] = []) => ({
    ...{ receiver, delivery, bulkDelivery, broken },
  });
  const all = ['gmail', 'yahoo', 'microsoft', 'others'];
  const given = [
    [],
    all.map((one) => outcome(one, 'delivered')),
    all.map((one) => outcome(one, one === 'gmail' ? 'unknown' : 'delivered')),
    all.map((one) => outcome(one, 'rejected')),
    all.map((one, n) => outcome(one, ['rejected', 'spam-folder', 'rejected', 'unknown'][n] ?? '')),
    all.map((one, n) => outcome(one, n === 1 ? 'spam-folder' : 'delivered')),
  ] as unknown as (readonly ReceiverOutcome[])[];
  expect(given.map(headline)).toMatchSnapshot();
  const outcomes = [
    outcome('gmail', 'rejected', 'rejected', [
      rule('all', { reply: '550', source: 'https://x' }),
      rule('all', { delivery: 'unknown' }),
      rule('bulk'),
    ]),
    outcome('others', 'delivered', 'spam-folder', [rule('bulk')]),
    outcome('yahoo', 'unknown', 'delivered'),
  ] as unknown as readonly ReceiverOutcome[];
  expect(outlineOf(receiverList(outcomes))).toMatchSnapshot();
});

test('advice, requirements, the path and the header', async () => {
  const { results } = await analysed('From: a@example.org\r\n\r\nx');
  const states = ['good', 'bad', 'unknown'];
  const topics = ['text-part', 'links', 'from-mx', 'key-strength', 'one-click-unsubscribe'];
  const advice = topics.map((topic, n) => ({
    topic,
    state: states[n % 3],
    explanation: n === 0 ? 'x'.repeat(600) : 'So.',
  })) as never;
  const requirements = [
    'spf-and-dkim',
    'dmarc-record',
    'dmarc-aligned',
    'reverse-dns',
    'one-click-unsubscribe',
    'tls',
  ];
  const notes = requirements.map((requirement, n) => ({
    requirement,
    receiver: ['gmail', 'yahoo', 'microsoft'][n % 3],
    state: ['met', 'not-met', 'unknown'][n % 3],
    explanation: 'So.',
  })) as never;
  const hop = { from: null, by: null, protocol: null, tls: null, date: null };
  const received = [
    hop,
    { ...hop, from: 'a', protocol: 'SMTP' },
    { ...hop, by: 'b', tls: '1.3', date: 'today' },
  ] as never;
  const message = (given: object) => ({ ...results, message: { ...results.message, ...given } });
  const fields = [{ name: 'X', value: 'x'.repeat(600) }];
  const shown = [
    adviceList(advice),
    adviceList([]),
    senderNotes(notes),
    way(message({ received })),
    way(message({ received: [] })),
    header(
      message({
        ...{ fields, moreFields: 1000, octets: 1 },
        unscored: [
          { name: 'A', count: 1 },
          { name: 'B', count: 2 },
        ],
      }),
    ),
    header(message({ fields: [...fields, ...fields], moreFields: 0, octets: 1000, unscored: [] })),
  ];
  expect(shown.map(outlineOf).join('')).toMatchSnapshot();
});

test('neutralizes hostile text', async () => {
  const bad = '<script>alert(1)</script>"onload=alert(2) \u202e\u200b</style></title>\u0000';
  const page = await pageOf(
    `From: ${bad} <a@example.org>\r\nSubject: ${bad}\r\nMessage-ID: ${bad}\r\nX: ${bad}\r\nReceived: from ${bad} by ${bad}; ${bad}\r\nDKIM-Signature: d=${bad}; s=${bad}; a=${bad}\r\n\r\n`,
  );
  expect(page.match(/<script/g)).toHaveLength(1);
  // The styles of every page, and those of a mail test.
  expect(page.match(/<\/style>/g)).toHaveLength(2);
  expect(page.match(/<\/title>/g)).toHaveLength(1);
  expect(page).not.toMatch(/[\u202e\u200b\0]/);
  expect(page).toContain('\\u{202e}');
});

test.each([
  ['Grüße 漢字 😀', 'Grüße 漢字 😀'],
  ['a\u202eb', 'a<span class="odd">\\u{202e}</span>b'],
  ...['\u3164', '\u115f', '\u034f', '\ufe0f', '\u180b', '\u2800'].map((hidden) => [
    `a${hidden}b`,
    `a<span class="odd">\\u{${hidden.codePointAt(0)?.toString(16)}}</span>b`,
  ]),
  ['<b>', '&lt;b&gt;'],
  ['x'.repeat(400), `${'x'.repeat(300)}…`],
])('shows the text %p as %p', (text, shown) => {
  expect(String(readable(text))).toBe(shown);
});

test('shows a negative score with a minus sign', () => {
  expect([points(-1.3), points(0), points(2.5), difference(2), difference(0), difference(-0.5)]).toEqual([
    ...['−1.3', '0', '2.5', '+2', '0', '−0.5'],
  ]);
});
