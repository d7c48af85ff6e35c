import { describe, expect, test } from '@jest/globals';
import { adviceFor } from '../../../shared/mail-test/advice.ts';
import { analyse } from '../../../shared/mail-test/analyse.ts';
import { readContent } from '../../../shared/mail-test/content.ts';
import { rsaKey, signed } from '../../kit/dkim-signer.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const mail = (...lines: string[]) => Buffer.from(lines.join('\r\n'));
const alternative = (...parts: (readonly string[])[]) =>
  mail(
    'From: a@example.org',
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary=b',
    '',
    ...parts.flatMap((part) => ['--b', ...part]),
    '--b--',
    '',
  );
const html = (text: string) => ['Content-Type: text/html; charset=utf-8', '', text];
const base64 = (text: string) => [
  'Content-Type: text/html',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from(text).toString('base64'),
];

describe('the content of a message', () => {
  test('is text and HTML', async () => {
    const both = alternative(['Content-Type: text/plain', '', 'Hello'], html('<p>Hello</p>'));
    expect(await readContent(both)).toMatchObject({ hasText: true, hasHtml: true, linkDomains: [] });
    expect(await readContent(alternative(html('<p>Hello</p>')))).toMatchObject({
      hasText: false,
      hasHtml: true,
    });
    expect(await readContent(mail('From: a@example.org', '', 'Hello'))).toMatchObject({
      hasText: true,
      hasHtml: false,
    });
  });

  test('has the organizational domains of its links, whatever their encoding is', async () => {
    const links =
      '<a href="https://www.shop.example.co.uk/a?b=1">x</a> <img src=http://user@cdn.example.net:8080/x> https://[2001:db8::1]/ http://www.example.net';
    for (const part of [html(links), base64(links)])
      expect(await readContent(alternative(part))).toMatchObject({
        linkDomains: ['example.co.uk', 'example.net'],
        linksToAddress: true,
        moreDomains: 0,
      });
  });

  test('lists twenty domains of links', async () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `https://d${at}.example/`).join(' ');
    const content = await readContent(mail('From: a@example.org', '', many));
    expect([content?.linkDomains.length, content?.moreDomains]).toEqual([20, 980]);
  });

  test('of attachments is not text', async () => {
    const attached = [
      'Content-Type: text/plain; name=a.txt',
      'Content-Disposition: attachment; filename=a.txt',
      '',
      'https://example.net/',
    ];
    expect(await readContent(alternative(html('x'), attached))).toMatchObject({
      hasText: false,
      linkDomains: [],
    });
  });

  test('is unknown with parts that are nested too deeply', async () => {
    const nested = Array.from({ length: 40 }, (_, at) => [
      `Content-Type: multipart/mixed; boundary=b${at}`,
      '',
      `--b${at}`,
    ]).flat();
    expect(await readContent(mail('From: a@example.org', ...nested, '', 'x'))).toBeNull();
  });

  test.each([
    ['links without an end', 'https://'.repeat(250_000)],
    ['hosts', Array.from({ length: 100_000 }, (_, at) => `https://h${at}.example.net/`).join(' ')],
    ['dots', `https://${'.'.repeat(2_000_000)}`],
  ])('is read in time with many %s', async (_what, text) => {
    const started = process.threadCpuUsage();
    await readContent(mail('From: a@example.org', '', text));
    const { user, system } = process.threadCpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(3_000);
  });
});

describe('advice', () => {
  const key = rsaKey();
  const published: ZoneLiteral = {
    'example.org': { TXT: ['v=spf1 -all'] },
    's._domainkey.example.org': { TXT: [key.record] },
    'test.list.example': { A: ['127.0.1.2'] },
    'bad.example.list.example': { A: ['127.0.1.2'] },
  };
  const run = async (message: string) => {
    const { results } = await analyse(
      { message: Buffer.from(message), edgeId: 'edge', receivedAt: new Date('2026-01-01T10:00:00Z') },
      { dns: zone(published), blocklists: new Map(), domainBlocklists: ['list.example'] },
    );
    return results;
  };
  const about = async (message: string) =>
    Object.fromEntries(((await run(message)).advice ?? []).map(({ topic, state }) => [topic, state]));

  test('names what can be better', async () => {
    const message = alternative(html('<a href="http://192.0.2.1/">x</a>'))
      .toString()
      .replace('MIME-Version', 'List-Unsubscribe: <mailto:u@example.org>\r\nMIME-Version');
    expect(await about(message)).toEqual({
      'text-part': 'bad',
      links: 'bad',
      'from-mx': 'bad',
      'one-click-unsubscribe': 'bad',
    });
  });

  test('says what is good', async () => {
    const text = [
      'From: a@example.org',
      'List-Unsubscribe: <https://example.org/u>',
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
      '',
      'x',
      '',
    ].join('\r\n');
    const fields = ['from', 'list-unsubscribe', 'list-unsubscribe-post'];
    const message = signed(text, { domain: 'example.org', selector: 's', key, fields });
    expect(await about(message)).toMatchObject({
      'key-strength': 'good',
      'one-click-unsubscribe': 'good',
    });
  });

  test('wants longer keys than 1,024 bits', () => {
    const signature = { verdict: 'pass', algorithm: 'rsa-sha256', keySize: 1024 };
    const [, advice] = adviceFor({
      section: { fields: [], end: 0 } as never,
      content: null,
      fromMx: { domain: 'example.org', status: 'valid', records: [], problem: null },
      dkim: { signatures: [signature], more: 0 } as never,
    });
    expect(advice).toMatchObject({ topic: 'key-strength', state: 'bad' });
  });

  test('comes with the lists of the From domain and of links', async () => {
    const { domainBlocklists } = await run(
      'From: a@sub.example.org\r\n\r\nhttps://www.bad.example/ https://fine.example/',
    );
    expect(domainBlocklists).toMatchObject({
      listed: 1,
      results: [
        { domain: 'example.org', listed: false },
        { domain: 'bad.example', listed: true },
        { domain: 'fine.example', listed: false },
      ],
    });
  });
});
