import { describe, expect, test } from '@jest/globals';
import {
  digestChoiceOf,
  digestMinute,
  digestSettingsOf,
  isTimeZone,
  nextDigest,
  type Weekday,
} from '../../../shared/alerts/digest-schedule.ts';

describe('the next digest', () => {
  const now = new Date('2026-03-01T10:00:00.000Z');

  test.each([
    [0, '2026-03-02T00:00:00.000Z'],
    [10 * 60, '2026-03-02T10:00:00.000Z'],
    [10 * 60 + 1, '2026-03-01T10:01:00.000Z'],
    [24 * 60 - 1, '2026-03-01T23:59:00.000Z'],
  ])('at minute %i of the day in UTC is at %s', (minute, expected) => {
    expect(nextDigest({ minute, weekday: null, timeZone: 'UTC' }, now).toISOString()).toBe(expected);
  });

  test.each<[Weekday | null, string, string, string]>([
    // A Sunday.
    ['monday', 'UTC', '2026-03-01T10:00:00.000Z', '2026-03-02T06:00:00.000Z'],
    ['sunday', 'UTC', '2026-03-01T05:59:59.999Z', '2026-03-01T06:00:00.000Z'],
    ['sunday', 'UTC', '2026-03-01T06:00:00.000Z', '2026-03-08T06:00:00.000Z'],
    // Monday begins 13 hours earlier there, and 8 hours later.
    ['monday', 'Pacific/Auckland', '2026-03-01T10:00:00.000Z', '2026-03-01T17:00:00.000Z'],
    ['monday', 'America/Los_Angeles', '2026-03-01T10:00:00.000Z', '2026-03-02T14:00:00.000Z'],
    [null, 'Asia/Kathmandu', '2026-03-01T10:00:00.000Z', '2026-03-02T00:15:00.000Z'],
    // Clocks in Berlin change on 29 March and on 25 October 2026.
    [null, 'Europe/Berlin', '2026-03-28T06:00:00.000Z', '2026-03-29T04:00:00.000Z'],
    ['monday', 'Europe/Berlin', '2026-10-19T06:00:00.000Z', '2026-10-26T05:00:00.000Z'],
  ])('on %s at 6:00 in %s after %s is at %s', (weekday, timeZone, after, expected) => {
    const schedule = { minute: 6 * 60, weekday, timeZone };
    expect(nextDigest(schedule, new Date(after)).toISOString()).toBe(expected);
  });

  test('is once a day when clocks skip or repeat its minute', () => {
    const halfPastTwo = { minute: 2 * 60 + 30, weekday: null, timeZone: 'Europe/Berlin' };
    const from = (iso: string) => {
      const times: string[] = [];
      for (let at = new Date(iso); times.length < 3; times.push(at.toISOString()))
        at = nextDigest(halfPastTwo, at);
      return times;
    };
    expect(from('2026-03-28T00:00:00.000Z')).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    const autumn = from('2026-10-23T20:00:00.000Z').map((time) => time.slice(0, 10));
    expect(autumn).toEqual(['2026-10-24', '2026-10-25', '2026-10-26']);
  });

  test('is within eight days in each time zone, later than now, and at its minute there', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    expect(zones.length).toBeGreaterThan(300);
    for (const timeZone of zones) {
      const at = nextDigest({ minute: 7 * 60 + 5, weekday: 'friday', timeZone }, now);
      const shown = at.toLocaleString('en-US', {
        ...{ timeZone, weekday: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
      });
      expect([timeZone, shown]).toEqual([timeZone, 'Friday 07:05']);
      expect(at.getTime() - now.getTime()).toBeGreaterThan(0);
      expect(at.getTime() - now.getTime()).toBeLessThan(8 * 86_400_000);
    }
  });
});

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['America/Argentina/Buenos_Aires', true],
  ['Etc/GMT+5', true],
  ['Europe/Atlantis', false],
  ['+01:00', false],
  ['', false],
  [`Europe/${'x'.repeat(10_000)}`, false],
  ['Europe/Berlin\n', false],
])('%p is the name of a time zone: %p', (name, expected) => {
  expect(isTimeZone(name)).toBe(expected);
});

describe('a choice', () => {
  const minute = (hour: number) => digestMinute('org', hour);

  test.each([
    // Only an hour.
    [{ digestHour: 7 }, { digestMinute: minute(7), digestWeekday: null, digestTimeZone: 'UTC' }],
    [{ digestHour: null }, { digestMinute: null, digestWeekday: null, digestTimeZone: 'UTC' }],
    // Who never chose.
    [{}, { digestMinute: minute(6), digestWeekday: 'monday', digestTimeZone: 'UTC' }],
    [
      { digest: 'weekly', digestWeekday: 'friday', digestHour: 16, digestTimeZone: 'Europe/Berlin' },
      { digestMinute: minute(16), digestWeekday: 'friday', digestTimeZone: 'Europe/Berlin' },
    ],
    [
      { digest: 'daily', digestWeekday: 'friday' },
      { digestMinute: minute(6), digestWeekday: null, digestTimeZone: 'UTC' },
    ],
    [
      { digest: 'off', digestHour: 7 },
      { digestMinute: null, digestWeekday: null, digestTimeZone: 'UTC' },
    ],
  ] as const)('%j becomes settings, and the settings become it again', (choice, expected) => {
    const settings = digestSettingsOf('org', choice);
    expect(settings).toEqual(expected);
    expect(digestSettingsOf('org', digestChoiceOf(settings))).toEqual(settings);
  });
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
