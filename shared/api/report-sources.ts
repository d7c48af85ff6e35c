/** Responses of the endpoints that aggregate DMARC reports by source and by day. */
import * as z from 'zod/mini';
import { formatPrefix, parseIp, prefixOf } from '../protocol/ip.ts';
import { providerOf } from '../protocol/providers.ts';
import { count, described } from '../protocol/schema.ts';
import { DAY_MILLISECONDS, dayAt } from '../protocol/time.ts';
import type { DmarcDay } from '../store/reports/dmarc-reports.ts';
import {
  addMessages,
  type MessageCounts,
  noMessages,
  type SourceInWindow,
} from '../store/reports/dmarc-sources.ts';
import { csv } from './csv.ts';
import { dmarcSummary, rate, showDmarcSummary } from './reports.ts';

const percentage = described(
  z.nullable(z.number().check(z.minimum(0), z.maximum(100))),
  'Percentage, with two decimals; null without messages',
);
const date = described(z.iso.date(), 'A day in UTC');

export const dispositionCounts = described(
  z.object({
    none: described(count, 'Messages that were delivered normally', 92),
    quarantine: described(count, 'Messages that were treated as suspicious', 8),
    reject: described(count, 'Messages that were rejected', 0),
  }),
  'What receivers did because of the policy',
);

const messageFields = {
  messages: described(count, 'Number of messages', 100),
  passedMessages: described(count, 'Messages that passed DMARC', 90),
  failedMessages: described(count, 'Messages that failed DMARC', 10),
  passRate: described(percentage, 'Percentage of messages that passed DMARC, with two decimals', 90),
  dkimAligned: described(count, 'Messages that passed aligned DKIM', 85),
  spfAligned: described(count, 'Messages that passed aligned SPF', 70),
  disposition: dispositionCounts,
};

const windowFields = {
  startDate: described(date, 'First day of the window, in UTC', '2026-01-01'),
  endDate: described(date, 'Last day of the window, in UTC', '2026-01-30'),
};

export const dmarcSource = z.object({
  sourceIp: described(z.string(), 'The IP address that sent the messages', '192.0.2.25'),
  network: described(z.string(), 'The /24 (IPv4) or /64 (IPv6) network of the address', '192.0.2.0/24'),
  provider: described(
    z.nullable(z.string()),
    'The mail provider, if the authenticated domain identifies it',
    'SendGrid',
  ),
  authenticatedAs: described(
    z.nullable(z.string()),
    'A third-party domain that mail from this source was authenticated as; never this domain, its subdomains, or its parent domains',
    'sendgrid.net',
  ),
  ...messageFields,
  firstSeen: described(date, 'First day with messages in the window', '2026-01-02'),
  lastSeen: described(date, 'Last day with messages in the window', '2026-01-29'),
});

export const dmarcSources = z.object({
  ...windowFields,
  sources: described(z.array(dmarcSource), 'The sources of this page, most messages first'),
  others: described(
    z.object(messageFields),
    'Messages from sources that are not listed: sources without an address, and sources beyond the first 500 of a day',
  ),
  summary: described(z.object(messageFields), 'Totals of all sources in the window, including other pages'),
});

export const timelineDay = z.object({
  date: described(date, 'The day, in UTC', '2026-01-29'),
  reports: described(count, 'Number of reports', 4),
  ...messageFields,
});

export const dmarcTimeline = z.object({
  ...windowFields,
  days: described(z.array(timelineDay), 'All days of the window, oldest first'),
  summary: described(dmarcSummary, 'Totals of all days'),
});

/** An inclusive range of days in the format `2026-01-31`, UTC. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

function showMessages(counts: MessageCounts) {
  const { messages, passed, dkimAligned, spfAligned, quarantined, rejected } = counts;
  return {
    messages,
    passedMessages: passed,
    failedMessages: messages - passed,
    passRate: messages === 0 ? null : rate(passed, messages),
    dkimAligned,
    spfAligned,
    disposition: { none: messages - quarantined - rejected, quarantine: quarantined, reject: rejected },
  };
}

export function showSources(
  { from, to }: Days,
  { sources, others, all }: { sources: readonly SourceInWindow[]; others: MessageCounts; all: MessageCounts },
): z.output<typeof dmarcSources> {
  return {
    startDate: from,
    endDate: to,
    sources: sources.map(showSource),
    others: showMessages(others),
    summary: showMessages(all),
  };
}

function showSource(found: SourceInWindow): z.output<typeof dmarcSource> {
  const { address, authenticatedAs, firstSeen, lastSeen } = found;
  return {
    sourceIp: address,
    network: networkOf(address),
    provider: authenticatedAs === null ? null : (providerOf(authenticatedAs, 'signature') ?? null),
    authenticatedAs,
    ...showMessages(found),
    firstSeen,
    lastSeen,
  };
}

function networkOf(address: string): string {
  const ip = parseIp(address);
  return ip === undefined ? address : formatPrefix(prefixOf(ip, ip.family === 4 ? 24 : 64));
}

/** All days from `from` to `to`, including days without reports. */
export function showTimeline({ from, to }: Days, known: readonly DmarcDay[]): z.output<typeof dmarcTimeline> {
  const byDay = new Map(known.map((day) => [day.day, day]));
  const days: z.output<typeof timelineDay>[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += DAY_MILLISECONDS) {
    const day = dayAt(new Date(time));
    const found = byDay.get(day);
    days.push({ date: day, reports: found?.reports ?? 0, ...showMessages(found ?? noMessages) });
  }
  const { messages, passed } = known.reduce<MessageCounts>(addMessages, noMessages);
  const reports = known.reduce((sum, day) => sum + day.reports, 0);
  return {
    startDate: from,
    endDate: to,
    days,
    summary: showDmarcSummary({ reports, passed, failed: messages - passed }),
  };
}

const messageColumns = [
  ...['messages', 'passedMessages', 'failedMessages', 'passRate', 'dkimAligned', 'spfAligned'],
  ...['none', 'quarantine', 'reject'],
];

function messageCells(shown: ReturnType<typeof showMessages>) {
  const { none, quarantine, reject } = shown.disposition;
  return [
    ...[shown.messages, shown.passedMessages, shown.failedMessages, shown.passRate],
    ...[shown.dkimAligned, shown.spfAligned, none, quarantine, reject],
  ];
}

/** One line per source; the last line, without an address, contains the unlisted sources. */
export function sourcesCsv({ sources, others }: z.output<typeof dmarcSources>): Iterable<string> {
  const columns = ['sourceIp', 'network', 'provider', 'authenticatedAs'];
  const unlisted = others.messages === 0 ? [] : [['', '', '', '', ...messageCells(others), '', '']];
  return csv(
    [...columns, ...messageColumns, 'firstSeen', 'lastSeen'],
    [
      ...sources.map((one) => [
        ...[one.sourceIp, one.network, one.provider, one.authenticatedAs],
        ...messageCells(one),
        ...[one.firstSeen, one.lastSeen],
      ]),
      ...unlisted,
    ],
  );
}

/** One line per day. */
export function timelineCsv({ days }: z.output<typeof dmarcTimeline>): Iterable<string> {
  return csv(
    ['date', 'reports', ...messageColumns],
    days.map((day) => [day.date, day.reports, ...messageCells(day)]),
  );
}
