import { describe, expect, test } from '@jest/globals';
import { alertMail } from '../../../shared/notify/mail.ts';
import { madeDelivery, storedAlert } from '../../kit/alerts.ts';

const to = { to: 'ops@example.org', hostUrl: 'https://monitor.acme.org' };
const critical = storedAlert({ severity: 'critical', title: 'SPF record removed: example.org' });

describe('an alert mail', () => {
  test('declares itself as automatic and names its delivery id', async () => {
    const { headers } = await alertMail(madeDelivery(), [critical], to);
    expect(headers).toEqual({
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'X-Domain-Monitor-Delivery': madeDelivery().id,
    });
  });
});

test('Unicode names are decoded correctly', async () => {
  const message = 'Österreichische Post 株式会社 sent a DMARC report about 3 messages.';
  const mail = await alertMail(madeDelivery(), [storedAlert({ message })], to);
  for (const body of [mail.text, mail.html]) expect(body).toContain(message);
});

describe('untrusted text', () => {
  const hostile = [
    'x\r\nBcc: everybody@example.org',
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '</p></body>',
    '\u202egro.elpmaxe',
    '=?UTF-8?B?QmNjOiB4?=',
    '\0\x1b[31m',
    'ⓔxample ünï 💌',
    'a'.repeat(100_000),
  ];

  test.each(hostile)('adds no header, no markup and has a limited length: %j', async (text) => {
    const alert = storedAlert({ title: text, message: text, domainName: text });
    const mail = await alertMail(madeDelivery(), [alert], to);
    expect(mail.subject).toMatch(/^\P{C}{1,400}$/u);
    expect(mail.text).toMatch(/^[\P{C}\n]{1,5000}$/u);
    expect(mail.html.length).toBeLessThan(20_000);
    expect(mail.html).toMatch(/^[\P{C}\n]*$/u);
    const plain = await alertMail(
      madeDelivery(),
      [storedAlert({ title: 'x', message: 'x', domainName: 'x' })],
      to,
    );
    const tags = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag.slice(0, 20));
    expect(tags(mail.html)).toEqual(tags(plain.html));
  });
});
