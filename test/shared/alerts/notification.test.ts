import { describe, expect, test } from '@jest/globals';
import type { AlertSeverity } from '../../../shared/alerts/alert.ts';
import { type NotificationSettings, notificationsOf } from '../../../shared/alerts/notification.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const mail = {
  address: 'a@example.org',
  threshold: 'warning',
  digestMinute: 9 * 60,
  digestWeekday: null,
  digestTimeZone: 'UTC',
} as const;
const webhook = {
  origin: 'https://hook.example',
  threshold: 'critical',
  format: 'json',
  events: [],
} as const;

const member = { address: 'b@example.org', threshold: 'warning' as const, tags: [] };

describe('an alert is delivered', () => {
  test.each<[string, NotificationSettings, AlertSeverity, string[]]>([
    ['to nobody without a configured channel', { mail: null, webhook: null }, 'critical', []],
    [
      'at once if it reaches the threshold',
      { mail, webhook: null },
      'warning',
      ['mail alerts 2026-03-01T10:00'],
    ],
    ['with the digest at most if it is below the threshold', { mail, webhook: null }, 'info', []],
    ['not to a webhook if it is below the webhook threshold', { mail: null, webhook }, 'warning', []],
    ...(['info', 'warning'] as const).map(
      (severity): [string, NotificationSettings, AlertSeverity, string[]] => [
        `to members according to their own settings: ${severity}`,
        { mail: null, webhook: null, people: { a: { ...member, threshold: 'critical' }, b: member } },
        severity,
        severity === 'info' ? [] : ['mail alerts 2026-03-01T10:00'],
      ],
    ),
    [
      'by each channel according to its own settings',
      { mail: { ...mail, threshold: 'info' }, webhook: { ...webhook, threshold: 'info' } },
      'info',
      ['mail alerts 2026-03-01T10:00', 'webhook alerts 2026-03-01T10:00'],
    ],
  ])('%s', (_title, settings, severity, expected) => {
    const notifications = notificationsOf(settings, { severity, isEnd: false }, now);
    expect(
      notifications.map(({ channel, kind, at }) => `${channel} ${kind} ${at.toISOString().slice(0, 16)}`),
    ).toEqual(expected);
  });
});

test.each([
  ['json', false],
  ['slack', false],
  ['pagerduty', true],
  ['opsgenie', true],
] as const)(
  'the end of what an alert was about reaches a webhook with the format %s: %s',
  (format, isSent) => {
    const settings = { mail: null, webhook: { ...webhook, threshold: 'critical', format } } as const;
    const channels = notificationsOf(settings, { severity: 'info', isEnd: true }, now);
    expect(channels.map(({ channel }) => channel)).toEqual(isSent ? ['webhook'] : []);
  },
);
