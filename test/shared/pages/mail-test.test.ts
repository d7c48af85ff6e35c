import { describe, expect, test } from '@jest/globals';
import { analyse } from '../../../shared/mail-test/analyse.ts';
import { testPage } from '../../../shared/pages/mail-test/page.ts';
import { points, readable } from '../../../shared/pages/mail-test/text.ts';
import { dial } from '../../../shared/pages/mail-test/verdict.ts';
import type { ReceiverVerdicts } from '../../../shared/protocol/message/receiver-trace.ts';
import type { TestSession } from '../../../shared/store/test-sessions.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const testId = 'a'.repeat(26);
const addresses = { email: `${testId}@tester.example`, url: `https://monitor.example/t/${testId}` };
const expiresAt = '2026-01-03T10:00:00.000Z';

const EDGE =
  'Return-Path: <a@example.org>\r\nReceived: from mail.example.org (x [192.0.2.7])\r\n by inbound-smtp.example with SMTP id edge\r\n for x; Thu, 1 Jan 2026 10:00:00 +0000\r\n';

async function pageOf(
  message: string,
  published: ZoneLiteral = {},
  { otherMessages = 0, verdicts = null }: { otherMessages?: number; verdicts?: ReceiverVerdicts | null } = {},
): Promise<string> {
  const receivedAt = new Date('2026-01-01T10:00:00Z');
  const test = await analyse(
    { message: Buffer.from(EDGE + message), edgeId: 'edge', receivedAt, verdicts },
    { dns: zone(published), blocklists: new Map([['combined', 'list.example']]) },
  );
  const session: TestSession = {
    status: 'completed',
    testId,
    expiresAt,
    edgeId: 'edge',
    receivedAt: receivedAt.toISOString(),
    test,
    otherMessages,
  };
  return testPage(session, addresses);
}

/** The text of a page, without tags. */
const textOf = (page: string) =>
  page
    .slice(page.indexOf('<main'), page.indexOf('</main>'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

test('shows copies of a signature in one line, below the signature', async () => {
  const signature = 'DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s; h=from; bh=AAAA; b=AAAA\r\n';
  const text = textOf(await pageOf(`${signature.repeat(4)}From: a@example.org\r\n\r\nx`));
  expect(text.match(/Signing domain/g)).toHaveLength(1);
  expect(text).toContain('3 duplicate signatures ignored.');
});

test('shows the bulk sender requirements of each receiver, and what is not scored', async () => {
  const text = textOf(await pageOf('DKIM2-Signature: i=1\r\nFrom: a@example.org\r\n\r\nx'));
  expect(text).toMatch(
    /Gmail Senders of about 5,000 .* Yahoo Bulk senders; .* Microsoft Senders .* 550 5\.7\.515/,
  );
  expect(text).toContain('Recognized, and not scored: DKIM2-Signature (1)');
});

test.each<[string, ZoneLiteral, string]>([
  ['that lists other addresses', { '2.0.0.127.list.example': { A: ['127.0.0.2'] } }, 'Blocklists not listed'],
  [
    'that lists the sender',
    { '2.0.0.127.list.example': { A: ['127.0.0.2'] }, '7.2.0.192.list.example': { A: ['127.0.0.2'] } },
    'Blocklists listed on 1',
  ],
  [
    'that does not respond',
    { '2.0.0.127.list.example': 'SERVFAIL', '7.2.0.192.list.example': 'TIMEOUT' },
    'Blocklists unknown',
  ],
])('shows a blocklist %s as such', async (_, published, expectedText) => {
  expect(textOf(await pageOf('From: a@example.org\r\n\r\nx', published))).toContain(expectedText);
});

describe('alignment is explained by what passed', () => {
  const from = 'From: a@example.org\r\n\r\nx';
  const spf = (all: string): ZoneLiteral => ({ 'example.org': { TXT: [`v=spf1 ${all}`] } });
  const signature = 'DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s; h=from; bh=AAAA; b=AAAA\r\n';
  const policy = { '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject'] } };

  test.each([
    ['an author whose SPF passes', from, spf('+all'), 'Aligned with From yes'],
    [
      'an author whose SPF fails',
      from,
      spf('-all'),
      'Aligned with From the domain aligns, but the result is fail',
    ],
    ['another domain', 'From: a@example.net\r\n\r\nx', spf('+all'), 'Aligned with From no'],
  ])('SPF for %s', async (_, message, published, expectedText) => {
    expect(textOf(await pageOf(message, published))).toContain(expectedText);
  });

  test('an invalid signature of the author domain', async () => {
    expect(textOf(await pageOf(signature + from))).toMatch(
      /Signing domain example\.org .*Aligned with From the domain aligns, but the result is fail/,
    );
  });

  test.each([
    ['if nothing passed', from, { ...policy, ...spf('-all') }],
    [
      'if another domain passed',
      'From: a@example.net\r\n\r\nx',
      { '_dmarc.example.net': { TXT: ['v=DMARC1; p=reject'] }, ...spf('+all') },
    ],
  ])('DMARC %s', async (_, message, published) => {
    expect(textOf(await pageOf(message, published))).toContain(
      'Passed and aligned none Reason neither SPF nor DKIM passed with an aligned domain',
    );
  });
});

describe('the page of a pending test', () => {
  const page = testPage({ status: 'pending', testId, expiresAt }, addresses);

  test('shows the address to copy or mail to', () => {
    expect(page).toContain(`<p id="address" class="record"><code>${addresses.email}</code></p>`);
    expect(page).toContain('data-copy="address"');
    expect(page).toContain(`href="mailto:${addresses.email}`);
    expect(textOf(page)).toContain('until 3 Jan 2026, 10:00 UTC');
  });

  test('reloads automatically, also without JavaScript', () => {
    expect(page).toContain('data-waiting');
    expect(page).toContain('<noscript><meta http-equiv="refresh" content="10"></noscript>');
  });
});

describe('the page of a finished test', () => {
  test('starts with the verdict and its drawing', async () => {
    const page = await pageOf('From: A <a@example.org>\r\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n\r\nHello');
    expect(textOf(page)).toMatch(
      /Test message from A &lt;a@example\.org&gt; ✕ Rejected by Gmail, Yahoo, and other receivers These receivers/,
    );
    expect(textOf(page)).toMatch(
      /5\.5 Spam score: probable spam What receivers do .*Gmail SPF or DKIM must pass\. 550 5\.7\.26/,
    );
    expect(textOf(page)).toContain('“Grüße”');
    expect(page).toContain('aria-label="Spam score 5.5: Probable spam"');
    expect(page).not.toContain('class="lone" data-waiting');
    expect(page).not.toContain('http-equiv="refresh"');
  });

  test('lists what to fix, the most severe first, and what is right', async () => {
    const page = textOf(
      await pageOf('From: a@example.org\r\nMessage-ID: <1@example.org>\r\n\r\nHello', {
        'example.org': { TXT: ['v=spf1 ip4:192.0.2.7 -all'], MX: [[10, '.']] },
        '7.2.0.192.list.example': { A: ['127.0.0.2'], TXT: ['spam seen'] },
      }),
    );
    expect(page).toMatch(/What to fix \+8 .*BLOCKLIST_COMBINED.*\+2 .*PTR_MISSING.*MX_NONE.*MISSING_DATE/);
    expect(page).toMatch(/authorizes this IP address\. SPF_PASS −0\.2/);
    expect(page).toContain('listed 127.0.0.2: spam seen');
    expect(page).toContain('Score 12.3');
  });

  test('shows how many messages were not analyzed', async () => {
    expect(textOf(await pageOf('From: a@example.org\r\n\r\n', {}, { otherMessages: 3 }))).toContain(
      '3 later messages',
    );
  });

  test('shows the verdict of the receiving mail service if there is one', async () => {
    const message = 'From: a@example.org\r\n\r\n';
    const verdicts = { spf: 'pass', dkim: null, dmarc: 'fail' } as const;
    expect(textOf(await pageOf(message, {}, { verdicts }))).toMatch(/Second opinion .* SPF pass DMARC fail/);
    expect(textOf(await pageOf(message))).not.toContain('Second opinion');
  });

  test('says only what is known about a list without its test entry', async () => {
    expect(textOf(await pageOf('From: a@example.org\r\n\r\n'))).toContain(
      'list.example unavailable: the list’s test entry is missing; it may have shut down or may block this resolver',
    );
  });

  test('shows the delivery path, the first hop first', async () => {
    const page = await pageOf(
      'Received: from laptop by mail.example.org with ESMTPS (TLS1.3); today\r\nFrom: a@example.org\r\n\r\n',
    );
    expect(textOf(page)).toMatch(
      /from laptop to mail\.example\.org ESMTPS, TLS 1\.3, today from mail\.example\.org \(x \[192/,
    );
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
  expect([points(-1.3), points(0), points(2.5)]).toEqual(['−1.3', '0', '2.5']);
});

test.each([
  [0, -90],
  [5, 0],
  [10, 90],
  [25, 90],
])('the needle at a score of %d is at %d degrees', (spamScore, degrees) => {
  const shown = String(dial({ spamScore, verdict: 'ham', scoreBreakdown: [], results: {} as never }));
  expect(shown).toContain(`rotate(${degrees} `);
});

test('writes the date of the message in words', async () => {
  const text = textOf(await pageOf('Date: Thu, 1 Jan 2026 11:00:00 +0100\r\nFrom: a@example.org\r\n\r\nx'));
  expect(text).toContain('Date 1 Jan 2026, 10:00 UTC');
});
