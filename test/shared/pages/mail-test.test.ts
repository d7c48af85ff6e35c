import { describe, expect, test } from '@jest/globals';
import { analyse } from '../../../shared/mail-test/analyse.ts';
import { testPage } from '../../../shared/pages/mail-test/page.ts';
import { points, readable } from '../../../shared/pages/mail-test/text.ts';
import type { EdgeVerdicts } from '../../../shared/protocol/message/edge-trace.ts';
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
  { otherMessages = 0, verdicts = null }: { otherMessages?: number; verdicts?: EdgeVerdicts | null } = {},
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

/** What is read of a page, without the tags. */
const textOf = (page: string) =>
  page
    .slice(page.indexOf('<main'), page.indexOf('</main>'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

test('copies of a signature are told in one line, below the signature', async () => {
  const signature = 'DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s; h=from; bh=AAAA; b=AAAA\r\n';
  const text = textOf(await pageOf(`${signature.repeat(4)}From: a@example.org\r\n\r\nx`));
  expect(text.match(/Signing domain/g)).toHaveLength(1);
  expect(text).toContain('3 copies of signatures above, which count only once.');
});

test.each<[string, ZoneLiteral, string]>([
  ['that lists others', { '2.0.0.127.list.example': { A: ['127.0.0.2'] } }, 'Blocklists on none'],
  [
    'that lists the sender',
    { '2.0.0.127.list.example': { A: ['127.0.0.2'] }, '7.2.0.192.list.example': { A: ['127.0.0.2'] } },
    'Blocklists on 1',
  ],
  [
    'that does not answer',
    { '2.0.0.127.list.example': 'SERVFAIL', '7.2.0.192.list.example': 'TIMEOUT' },
    'Blocklists unknown',
  ],
])('a blocklist %s is told as what it is', async (_, published, told) => {
  expect(textOf(await pageOf('From: a@example.org\r\n\r\nx', published))).toContain(told);
});

describe('alignment is told by what passed', () => {
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
      'Aligned with From the domain is, but the result is fail',
    ],
    ['another author', 'From: a@example.net\r\n\r\nx', spf('+all'), 'Aligned with From no'],
  ])('SPF of %s', async (_, message, published, told) => {
    expect(textOf(await pageOf(message, published))).toContain(told);
  });

  test('a signature of the author that is not valid', async () => {
    expect(textOf(await pageOf(signature + from))).toMatch(
      /Signing domain example\.org .*Aligned with From the domain is, but the result is fail/,
    );
  });

  test.each([
    ['where nothing passed', from, { ...policy, ...spf('-all') }],
    [
      'where another domain passed',
      'From: a@example.net\r\n\r\nx',
      { '_dmarc.example.net': { TXT: ['v=DMARC1; p=reject'] }, ...spf('+all') },
    ],
  ])('DMARC %s', async (_, message, published) => {
    expect(textOf(await pageOf(message, published))).toContain(
      'Passed for the author neither SPF nor DKIM Because nothing of the author domain passed',
    );
  });
});

describe('The page of a test that waits', () => {
  const page = testPage({ status: 'pending', testId, expiresAt }, addresses);

  test('shows the address, to be copied and to be written to', () => {
    expect(page).toContain(`<p id="address" class="record"><code>${addresses.email}</code></p>`);
    expect(page).toContain('data-copy="address"');
    expect(page).toContain(`href="mailto:${addresses.email}`);
    expect(textOf(page)).toContain('until 3 January 2026, 10:00 UTC');
  });

  test('looks again by itself, without JavaScript too', () => {
    expect(page).toContain('data-waiting');
    expect(page).toContain('<noscript><meta http-equiv="refresh" content="10"></noscript>');
  });
});

describe('The page of a test that is done', () => {
  test('begins with the verdict, and draws it', async () => {
    const page = await pageOf('From: A <a@example.org>\r\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n\r\nHello');
    expect(textOf(page)).toMatch(/Test message from A &lt;a@example\.org&gt; ! Probable spam Some receivers/);
    expect(textOf(page)).toContain('“Grüße”');
    expect(page).toContain('aria-label="Spam score 5.5: Probable spam"');
    expect(page).not.toContain('class="lone" data-waiting');
    expect(page).not.toContain('http-equiv="refresh"');
  });

  test('tells what to fix, the gravest first, and what is right', async () => {
    const page = textOf(
      await pageOf('From: a@example.org\r\nMessage-ID: <1@example.org>\r\n\r\nHello', {
        'example.org': { TXT: ['v=spf1 ip4:192.0.2.7 -all'], MX: [[10, '.']] },
        '7.2.0.192.list.example': { A: ['127.0.0.2'], TXT: ['spam seen'] },
      }),
    );
    expect(page).toMatch(/What to fix \+8 .*BLOCKLIST_COMBINED.*\+2 .*PTR_MISSING.*MX_NONE.*MISSING_DATE/);
    expect(page).toMatch(/lets this address send\. SPF_PASS −0\.2/);
    expect(page).toContain('listed 127.0.0.2: spam seen');
    expect(page).toContain('Score 12.3');
  });

  test('tells how many messages were not looked at', async () => {
    expect(textOf(await pageOf('From: a@example.org\r\n\r\n', {}, { otherMessages: 3 }))).toContain(
      '3 later messages',
    );
  });

  test('tells what the receiving mail service made of it, where it did', async () => {
    const message = 'From: a@example.org\r\n\r\n';
    const verdicts = { spf: 'pass', dkim: null, dmarc: 'fail' } as const;
    expect(textOf(await pageOf(message, {}, { verdicts }))).toMatch(/Second opinion .* SPF pass DMARC fail/);
    expect(textOf(await pageOf(message))).not.toContain('Second opinion');
  });

  test('says of a list without its test entry no more than is known', async () => {
    expect(textOf(await pageOf('From: a@example.org\r\n\r\n'))).toContain(
      'list.example unknown: the list holds nothing, so it has ended or does not serve our resolver',
    );
  });

  test('shows the way, the first host first', async () => {
    const page = await pageOf(
      'Received: from laptop by mail.example.org with ESMTPS (TLS1.3); today\r\nFrom: a@example.org\r\n\r\n',
    );
    expect(textOf(page)).toMatch(
      /from laptop to mail\.example\.org ESMTPS, TLS 1\.3, today from mail\.example\.org \(x \[192/,
    );
  });

  test('writes hostile text so that nothing of it runs or hides', async () => {
    const bad = '<script>alert(1)</script>"onload=alert(2) \u202e\u200b</style></title>\u0000';
    const page = await pageOf(
      `From: ${bad} <a@example.org>\r\nSubject: ${bad}\r\nMessage-ID: ${bad}\r\nX: ${bad}\r\nReceived: from ${bad} by ${bad}; ${bad}\r\nDKIM-Signature: d=${bad}; s=${bad}; a=${bad}\r\n\r\n`,
    );
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
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
])('The text %p is shown as %p', (text, shown) => {
  expect(String(readable(text))).toBe(shown);
});

test('A negative score has the sign of a number', () => {
  expect([points(-1.3), points(0), points(2.5)]).toEqual(['−1.3', '0', '2.5']);
});
