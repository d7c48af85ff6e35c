/** Checks the header fields that every message must or should have (RFC 5322 section 3.6). */
import { excerpt } from '../protocol/findings/excerpt.ts';
import { withoutComments } from '../protocol/message/comments.ts';
import { type HeaderSection, valuesOf } from '../protocol/message/header-section.ts';

export interface Headers {
  /** As received, truncated; null if missing. */
  readonly messageId: string | null;
  /** ISO 8601; null if missing or unparsable. */
  readonly date: string | null;
  /** `future`: later than the arrival of the message by more than the clock skew allowance. */
  readonly dateStatus: 'valid' | 'missing' | 'unreadable' | 'future';
}

/** Clock skew allowance in milliseconds. */
const CLOCK_SKEW = 5 * 60_000;

const MAX_SHOWN = 300;

export function inspectHeaders(section: HeaderSection, receivedAt: Date): Headers {
  const [messageId = ''] = valuesOf(section, 'message-id');
  const [stated = ''] = valuesOf(section, 'date');
  const date = parseDate(stated);
  return {
    messageId: messageId === '' ? null : excerpt(messageId, MAX_SHOWN),
    date: date?.toISOString() ?? null,
    dateStatus: stated === '' ? 'missing' : statusOf(date, receivedAt),
  };
}

function statusOf(date: Date | null, receivedAt: Date): Headers['dateStatus'] {
  if (date === null) return 'unreadable';
  return date.getTime() > receivedAt.getTime() + CLOCK_SKEW ? 'future' : 'valid';
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Obsolete zone names that are still in use, in minutes (RFC 5322 section 4.3); an unknown zone counts as UTC. */
const ZONES: Readonly<Record<string, number>> = {
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
};

/** Parses a date-time of RFC 5322 section 3.3 with the years and zones of section 4.3; null for anything else. */
export function parseDate(text: string): Date | null {
  if (text.length > MAX_SHOWN) return null;
  // Comments and white space can occur between any two tokens (RFC 5322 section 4.3).
  const plain = withoutComments(text)
    .replace(/\s+/g, ' ')
    .replace(/ ?([:,]) ?/g, '$1')
    .trim();
  const match =
    /^(?:[a-z]{2,9},)?(\d{1,2}) ([a-z]{3})[a-z]* (\d{2,4}) (\d{1,2}):(\d{2})(?::(\d{2}))?(?: ([+-]\d{4}|[a-z]{1,5}))?$/i.exec(
      plain,
    );
  if (match === null) return null;
  const [, day, name = '', year = '', hour, minute, second = '0', zone = ''] = match;
  const month = MONTHS.indexOf(name.toLowerCase());
  const local = new Date(0);
  local.setUTCFullYear(fullYear(year), month, Number(day));
  local.setUTCHours(Number(hour), Number(minute), Number(second));
  const sound =
    month !== -1 && local.getUTCDate() === Number(day) && Number(hour) < 24 && Number(minute) < 60;
  return sound && Number(second) <= 60 ? new Date(local.getTime() - minutesOf(zone) * 60_000) : null;
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length > 3) return year;
  return digits.length === 3 || year >= 50 ? year + 1900 : year + 2000;
}

function minutesOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2})(\d{2})$/.exec(zone) ?? [];
  if (sign === undefined) return ZONES[zone.toUpperCase()] ?? 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
