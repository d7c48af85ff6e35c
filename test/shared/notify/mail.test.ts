import { describe, expect, test } from '@jest/globals';
import { alertMail } from '../../../shared/notify/mail.ts';
import { madeDelivery, storedAlert } from '../../kit/alerts.ts';

const to = { to: 'ops@example.org', hostUrl: 'https://monitor.acme.org' };
const critical = storedAlert({ severity: 'critical', title: 'SPF record removed: example.org' });

describe('an alert mail', () => {
  test('shows one alert in the subject, and all details in text and HTML', async () => {
    const mail = await alertMail(madeDelivery(), [critical], to);
    expect(mail).toMatchObject({
      to: 'ops@example.org',
      subject: '[critical] SPF record removed: example.org',
    });
    for (const body of [mail.text, mail.html]) {
      for (const part of [
        '[critical] SPF record removed: example.org',
        critical.message,
        'example.org, 1 Mar 2026, 10:00 UTC',
        'use the API of monitor.acme.org: GET /api/v1/alerts',
      ]) {
        expect(body).toContain(part);
      }
    }
  });

  test('declares itself as automatic and names its delivery id', async () => {
    const { headers } = await alertMail(madeDelivery(), [critical], to);
    expect(headers).toEqual({
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'X-Domain-Monitor-Delivery': madeDelivery().id,
    });
  });

  test('names the product, and links to what each alert is about', async () => {
    const report = storedAlert({
      type: 'new_report',
      metadata: {
        reportType: 'tls',
        reportId: '00000000-0000-4000-8000-000000000000',
        reporter: 'Reporter',
        dateRangeBegin: '2026-02-28T00:00:00.000Z',
        dateRangeEnd: '2026-02-28T23:59:59.000Z',
        passed: 1,
        failed: 0,
      },
    });
    const mail = await alertMail(madeDelivery(), [critical, report], to);
    const domain = `https://monitor.acme.org/api/v1/domains/${critical.domainId}`;
    const begin = '2026-02-28T00%3A00%3A00.000Z';
    const reports = `${domain}/reports/tls?startDate=${begin}&endDate=${begin}`;
    expect(mail.text.match(/https:\S+/g)).toEqual([domain, reports]);
    expect(mail.html).toContain(`<a href="${domain}">`);
    for (const body of [mail.text, mail.html]) expect(body).toContain('Email domain security monitor');
  });

  test('of a notice says what to do, and links to the console', async () => {
    const { domainId, domainName, createdAt, id } = critical;
    const missingSince = '2026-01-29T08:00:00.000Z';
    const event = { type: 'domain.unproven', id, domainId, domainName, createdAt, missingSince } as const;
    const mail = await alertMail(madeDelivery({ events: [event] }), [], to);
    expect(mail.subject).toBe('Ownership of example.org is no longer proven');
    for (const body of [mail.text, mail.html]) {
      expect(body).toContain('missing from DNS since 29 Jan 2026');
      expect(body).toContain(`https://monitor.acme.org/console/domains/${domainId}#steps`);
    }
  });

  test('says once per rule how to fix new findings', async () => {
    const faults = ['mx-no-address', 'mx-no-address', 'of-an-earlier-release', 'mx-dangling'];
    const findingsAdded = faults.map(
      (id) =>
        ({ id, severity: 'error', arguments: { host: 'mx.example.net', owner: 'example.net' } }) as const,
    );
    const change = { check: 'mx', previousState: 'pass', newState: 'fail', omitted: 0 } as const;
    const records = { recordsAdded: [], recordsRemoved: [] };
    const metadata = { ...change, ...records, findingsAdded, findingsRemoved: [] };
    const alert = storedAlert({ type: 'dns_change', metadata });
    const mail = await alertMail(madeDelivery(), [alert, critical], to);
    const advice =
      'What to do: Publish an A or AAAA record for mx.example.net, or remove its MX record. ' +
      'Remove the MX record for mx.example.net now. If you lost example.net by mistake, register it again.';
    expect(mail.text).toContain(`${alert.message}\n${advice}\nexample.org, `);
    expect(mail.html).toContain(`<p>${advice}</p>`);
    expect(mail.text.split('What to do:')).toHaveLength(2);
  });

  test('shows alerts about one cause as one, with their number', async () => {
    const oldest = storedAlert({ createdAt: '2026-02-27T10:00:00.000Z', title: 'The oldest' });
    const newest = storedAlert({ id: '018f0000-0000-7000-8000-000000000009', title: 'The newest' });
    const mail = await alertMail(madeDelivery(), [oldest, newest, critical], to);
    expect(mail.subject).toBe('[warning] The newest (and 2 more)');
    expect(mail.text).not.toContain('The oldest');
    for (const body of [mail.text, mail.html])
      expect(body).toContain('This is the newest of 2 alerts about this cause since 27 Feb 2026, 10:00 UTC.');
  });

  test('counts the alerts that it omits', async () => {
    const further = { info: 0, warning: 940, critical: 9 };
    const mail = await alertMail(madeDelivery({ further }), [critical, storedAlert()], to);
    expect(mail.subject).toBe('[critical] SPF record removed: example.org (and 950 more)');
    expect(mail.text).toContain('Additional alerts not shown here: 9 critical, 940 warning.');
  });

  test('identifies itself as a test', async () => {
    const mail = await alertMail(madeDelivery({ kind: 'test' }), [], to);
    expect(mail.subject).toBe('Test alert');
    expect(mail.text).toContain('This is a test');
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
