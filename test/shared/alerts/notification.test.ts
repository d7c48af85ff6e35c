import { describe, expect, test } from '@jest/globals';
import type { AlertSeverity } from '../../../shared/alerts/alert.ts';
import {
  digestMinute,
  type NotificationSettings,
  nextDigest,
  notificationsOf,
} from '../../../shared/alerts/notification.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const mail = { address: 'a@example.org', threshold: 'warning', digestMinute: 9 * 60 } as const;
const webhook = {
  origin: 'https://hook.example',
  threshold: 'critical',
  format: 'json',
  events: [],
} as const;

describe('an alert is delivered', () => {
  test.each<[string, NotificationSettings, AlertSeverity, string[]]>([
    ['to nobody without a configured channel', { mail: null, webhook: null }, 'critical', []],
    [
      'at once if it reaches the threshold',
      { mail, webhook: null },
      'warning',
      ['mail alerts 2026-03-01T10:00'],
    ],
    [
      'in the digest if it is below the threshold',
      { mail, webhook: null },
      'info',
      ['mail digest 2026-03-02T09:00'],
    ],
    [
      'not at all if it is below the threshold and there is no digest',
      { mail: { ...mail, digestMinute: null }, webhook: null },
      'info',
      [],
    ],
    ['not to a webhook if it is below the webhook threshold', { mail: null, webhook }, 'warning', []],
    [
      'by each channel according to its own settings',
      { mail: { ...mail, digestMinute: 600 }, webhook: { ...webhook, threshold: 'info' } },
      'info',
      ['mail digest 2026-03-02T10:00', 'webhook alerts 2026-03-01T10:00'],
    ],
  ])('%s', (_title, settings, severity, expected) => {
    const notifications = notificationsOf(settings, severity, now);
    expect(
      notifications.map(({ channel, kind, at }) => `${channel} ${kind} ${at.toISOString().slice(0, 16)}`),
    ).toEqual(expected);
  });
});

test.each([
  [0, '2026-03-02T00:00:00.000Z'],
  [10 * 60, '2026-03-02T10:00:00.000Z'],
  [10 * 60 + 1, '2026-03-01T10:01:00.000Z'],
  [24 * 60 - 1, '2026-03-01T23:59:00.000Z'],
])('the next digest at minute %i of the day after now is at %s', (minute, expected) => {
  expect(nextDigest(minute, now).toISOString()).toBe(expected);
});

describe('the minute of the digest', () => {
  // A change of this value would send the digests of all organizations at other times than `notify show` displayed.
  test('depends on nothing but the organization and the hour', () => {
    expect([digestMinute('default', 6), digestMinute('default', 23)]).toEqual([388, 1408]);
  });

  test('spreads organizations over the whole hour and not beyond it', () => {
    const minutes = Array.from({ length: 60_000 }, (_, n) => digestMinute(`organization ${n}`, 23));
    const sizes = Object.values(Object.groupBy(minutes, String)).map((same) => same?.length ?? 0);
    expect([Math.min(...minutes), Math.max(...minutes), sizes.length]).toEqual([23 * 60, 24 * 60 - 1, 60]);
    expect(Math.min(...sizes)).toBeGreaterThan(850);
    expect(Math.max(...sizes)).toBeLessThan(1_150);
  });
});
