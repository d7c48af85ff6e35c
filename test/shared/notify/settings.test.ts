import { describe, expect, test } from '@jest/globals';
import { pauseAfterMail } from '../../../shared/notify/pause.ts';
import { parseRecipient } from '../../../shared/notify/recipient.ts';
import { parseWebhookUrl } from '../../../shared/notify/webhook-target.ts';
import type { Pause } from '../../../shared/store/alerts/notification-settings.ts';
import { words } from '../../kit/answers.ts';

describe('an alert address', () => {
  const own = ['reports.acme.org', 'tester.acme.org'];

  test.each(['ops@acme.org', 'ops@example.org', 'ops@myreports.acme.org'])('%s is accepted', (address) => {
    expect(parseRecipient(address, own)).toEqual({ ok: true, address });
  });

  test.each([
    'x@reports.acme.org',
    'x@tester.acme.org',
    'x@REPORTS.acme.org',
    'x@deep.below.tester.acme.org',
    'nonsense',
    'x@reports.acme.org\r\nTo: y@example.org',
  ])('%j is rejected', (address) => {
    expect(parseRecipient(address, own)).toEqual({ ok: false, problem: expect.any(String) });
  });
});

describe('a webhook URL', () => {
  const long = (length: number) => `https://hook.test/${'x'.repeat(length - 18)}`;
  const resultOf = (text: string, allowPrivateAddresses: boolean) => {
    const parsed = parseWebhookUrl(text, { allowPrivateAddresses });
    return parsed.ok ? parsed.url : parsed.problem;
  };
  const NO_HTTPS = 'it is not an https URL';
  const CREDENTIALS = 'it contains credentials';

  test.each([
    ['https://hook.test/a?b#c', 'https://hook.test/a?b'],
    ['HTTPS://Hook.test:443', 'https://hook.test/'],
    ['https://hook.test:8443', 'https://hook.test:8443/'],
    ['https://8.8.8.8', 'https://8.8.8.8/'],
    ['https://localhost.test', 'https://localhost.test/'],
    ['https://[2606:4700::1111]', 'https://[2606:4700::1111]/'],
    [long(2048), long(2048)],
    [long(2049), 'it is longer than 2048 characters'],
    ['http://hook.test/', NO_HTTPS],
    ['ftp://hook.test/', NO_HTTPS],
    ['file:///etc/passwd', NO_HTTPS],
    ['hook.test', NO_HTTPS],
    ['', NO_HTTPS],
    ['https://', NO_HTTPS],
    ['https://user:password@hook.test/', CREDENTIALS],
    ['https://user@hook.test/', CREDENTIALS],
    ['https://:password@hook.test/', CREDENTIALS],
  ])('%s: %s', (text, expected) => {
    expect(resultOf(text, false)).toBe(expected);
    expect(resultOf(text, true)).toBe(expected);
  });

  test.each(
    words(
      'https://127.0.0.1/ https://[::1]/ https://localhost/ https://a.localhost./ https://10.1.2.3:8443/in',
    ),
  )('%s only where private addresses are allowed', (text) => {
    expect(resultOf(text, false)).toBe('it points to a private address, which the service never connects to');
    expect(resultOf(text, true)).toBe(text);
  });
});

describe('the pause after a mail', () => {
  const at = (minutes: number) => new Date(Date.parse('2026-03-01T00:00:00Z') + minutes * 60_000);

  /** Pauses in minutes if there is always a pending alert: each mail is sent at the end of the previous pause. */
  function storm(mails: number): number[] {
    const pauses: number[] = [];
    let pause: Pause | null = null;
    let now = at(0);
    for (let mail = 0; mail < mails; mail += 1) {
      pause = pauseAfterMail(pause, now);
      pauses.push(pause.seconds / 60);
      now = new Date(pause.until);
    }
    return pauses;
  }

  test('doubles with each consecutive mail, up to an hour', () => {
    expect(storm(7)).toEqual([5, 10, 20, 40, 60, 60, 60]);
  });

  test('is reset after a quiet period', () => {
    const long = { until: at(0).toISOString(), seconds: 2400 };
    expect(pauseAfterMail(long, at(39)).seconds).toBe(3600);
    expect(pauseAfterMail(long, at(40)).seconds).toBe(300);
  });

  test('limits a day of constant alerts to about 25 mails', () => {
    let mails = 0;
    for (let minutes = 0; minutes < 24 * 60; mails += 1) minutes += storm(mails + 1).at(-1) ?? 0;
    expect(mails).toBeLessThan(30);
  });
});
