/** When the digest of an organization is sent: at a minute of the day in a time zone, every day or once a week. */
import { createHash } from 'node:crypto';
import { DAY_MILLISECONDS } from '../protocol/time.ts';

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

export type Weekday = (typeof weekdays)[number];

export interface DigestSchedule {
  /** The minute of the day. */
  readonly minute: number;
  /** The only day; null: every day. */
  readonly weekday: Weekday | null;
  /** An IANA name. */
  readonly timeZone: string;
}

export const digestChoices = ['daily', 'weekly', 'off'] as const;

/** What an organization chooses. */
interface DigestChoice {
  readonly digest?: (typeof digestChoices)[number] | undefined;
  /** Of a weekly digest. */
  readonly digestWeekday?: Weekday | null | undefined;
  /** Null: `off`. */
  readonly digestHour?: number | null | undefined;
  readonly digestTimeZone?: string | undefined;
}

/** What organizations have that choose nothing. */
export const digestDefaults = {
  digest: 'weekly',
  digestWeekday: 'monday',
  digestHour: 6,
  digestTimeZone: 'UTC',
} as const;

/** The settings of a choice. An hour alone is that of a daily digest. */
export function digestSettingsOf(
  organization: string,
  { digest, digestWeekday, digestHour, digestTimeZone = digestDefaults.digestTimeZone }: DigestChoice,
) {
  const chosen = digest ?? (digestHour === undefined ? digestDefaults.digest : 'daily');
  const isOff = chosen === 'off' || digestHour === null;
  return {
    digestMinute: isOff ? null : digestMinute(organization, digestHour ?? digestDefaults.digestHour),
    digestWeekday: isOff || chosen === 'daily' ? null : (digestWeekday ?? digestDefaults.digestWeekday),
    digestTimeZone,
  };
}

/** The choice that led to settings. */
export function digestChoiceOf({
  digestMinute: minute,
  digestWeekday,
  digestTimeZone,
}: {
  readonly digestMinute: number | null;
  readonly digestWeekday: Weekday | null;
  readonly digestTimeZone: string;
}) {
  const chosen = digestWeekday === null ? 'daily' : 'weekly';
  return {
    digest: minute === null ? 'off' : chosen,
    digestWeekday: minute === null ? null : digestWeekday,
    digestHour: minute === null ? null : Math.floor(minute / 60),
    digestTimeZone,
  } as const;
}

/** The names of the IANA database have at most 32 characters. */
const TIME_ZONE = /^[A-Za-z][A-Za-z0-9_+/-]{1,39}$/;

/** Whether this is the name of a time zone in the IANA database. */
export function isTimeZone(name: string): boolean {
  if (!TIME_ZONE.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/**
 * The minute of the day at which the digest of an organization is sent: a fixed minute within the hour, so that the
 * digests of all organizations are spread over it.
 */
export const digestMinute = (organization: string, hour: number): number =>
  hour * 60 + (createHash('sha256').update(organization).digest().readUInt16BE(0) % 60);

/** The first time of the schedule after `after`. Where clocks skip that minute of the day, it is as much later. */
export function nextDigest({ minute, weekday, timeZone }: DigestSchedule, after: Date): Date {
  const wallTime = wallTimeIn(timeZone);
  const now = wallTime(after.getTime());
  for (let midnight = now - (now % DAY_MILLISECONDS); ; midnight += DAY_MILLISECONDS) {
    const wall = midnight + minute * 60_000;
    // The offset from UTC in two steps: that of a time up to 14 hours away, and that of the time found with it.
    const near = wall - (wallTime(wall) - wall);
    const at = wall - (wallTime(near) - near);
    if ((weekday === null || weekdayOf(midnight) === weekday) && at > after.getTime()) return new Date(at);
  }
}

const weekdayOf = (midnight: number): Weekday | undefined =>
  weekdays[(new Date(midnight).getUTCDay() + weekdays.length - 1) % weekdays.length];

/** What clocks in a time zone show at a time, as the UTC time at which those in UTC show the same; in whole seconds. */
function wallTimeIn(timeZone: string): (time: number) => number {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', ...numeric, minute: 'numeric', second: 'numeric' },
  });
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const [year, month, day] = [part('year'), part('month') - 1, part('day')];
    return Date.UTC(year, month, day, part('hour'), part('minute'), part('second'));
  };
}
