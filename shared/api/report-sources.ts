/** Responses of the endpoints that aggregate DMARC reports by source and by day. */
import * as z from 'zod/mini';
import { formatPrefix, parseIp, prefixOf } from '../protocol/ip.ts';
import { providerOf } from '../protocol/providers.ts';
import { count, described } from '../protocol/schema.ts';
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

const messageFields = {
  messages: count,
  passedMessages: count,
  failedMessages: count,
  passRate: percentage,
  dkimAligned: described(count, 'Messages that passed aligned DKIM'),
  spfAligned: described(count, 'Messages that passed aligned SPF'),
  disposition: z.object({ none: count, quarantine: count, reject: count }),
};

const windowFields = { startDate: date, endDate: date };

const source = z.object({
  sourceIp: z.string(),
  network: described(z.string(), 'The /24 (IPv4) or /64 (IPv6) network of the address'),
  provider: described(z.nullable(z.string()), 'The mail provider, if the authenticated domain identifies it'),
  authenticatedAs: described(
    z.nullable(z.string()),
    'A third-party domain that mail from this source was authenticated as; never this domain, its subdomains, or its parent domains',
  ),
  ...messageFields,
  firstSeen: date,
  lastSeen: date,
});

export const dmarcSources = z.object({
  ...windowFields,
  sources: z.array(source),
  others: described(
    z.object(messageFields),
    'Messages from sources that are not listed: sources without an address, and sources beyond the first 500 of a day',
  ),
  summary: described(z.object(messageFields), 'Totals of all sources in the window, including other pages'),
});

const timelineDay = z.object({ date, reports: count, ...messageFields });

export const dmarcTimeline = z.object({
  ...windowFields,
  days: described(z.array(timelineDay), 'All days of the window, oldest first'),
  summary: dmarcSummary,
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

function showSource(found: SourceInWindow): z.output<typeof source> {
  const { address, authenticatedAs, firstSeen, lastSeen } = found;
  return {
    sourceIp: address,
    network: networkOf(address),
    provider: authenticatedAs === null ? null : (providerOf(authenticatedAs) ?? null),
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
  for (let time = Date.parse(from); time <= Date.parse(to); time += 86_400_000) {
    const day = new Date(time).toISOString().slice(0, 10);
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
