/** The DMARC reports of a domain, and its senders. */

import type { DomainViewQuery, FormDecision } from '../../api/console-domain.ts';
import type { Days, SimulationDependencies } from '../../enforcement/dependencies.ts';
import { type SenderDetails, senderDetails } from '../../enforcement/sender-details.ts';
import { sendersOf } from '../../enforcement/senders.ts';
import type { Sender } from '../../enforcement/shapes.ts';
import { Refused } from '../../operations/outcome.ts';
import { daysOf, lastDaysOf } from '../../operations/reports/days.ts';
import type { AddressOwner, IpData } from '../../protocol/ip-data.ts';
import { dayAt } from '../../protocol/time.ts';
import type { DaySummary } from '../../reports/dmarc/summary/shapes.ts';
import type { Domain } from '../../store/domains/domains.ts';
import type { DmarcDay, DmarcReportStore } from '../../store/reports/dmarc-reports.ts';

export const SENDERS_PER_PAGE = 50;

/** The senders on a page of the list. */
export function sendersOnPage<T>(senders: readonly T[], page: number): readonly T[] {
  return senders.slice((page - 1) * SENDERS_PER_PAGE, page * SENDERS_PER_PAGE);
}

/** Senders as a table that decides about them shows them. */
export interface SenderRows {
  /** Those that were just decided about, with what was decided before, which a button restores. */
  readonly changed?: readonly FormDecision[] | undefined;
  /** The largest address of each sender that nothing but its network names. */
  readonly details: ReadonlyMap<string, Pick<SenderDetails, 'addresses'>>;
  /** Of these addresses. */
  readonly networks: Networks;
}

export interface DmarcView extends SenderRows {
  readonly days: Days;
  /** The current day, UTC. */
  readonly today: string;
  /** Days with reports, oldest first. */
  readonly timeline: readonly DmarcDay[];
  /** The days that senders are shown for: the window, or the end of a long one. */
  readonly senderDays: Days;
  /** All senders of these days, most messages first. */
  readonly senders: readonly Sender[];
  readonly page: number;
  /** Of the days of the senders: receivers that reported, and reports with and without proof of who sent them. */
  readonly reported: Reported;
}

export interface Reported {
  readonly receivers: number;
  readonly reports: number;
  readonly unauthenticated: number;
}

/** Who runs the networks of addresses, and by which files. */
export interface Networks extends Pick<IpData, 'sources'> {
  readonly owners: ReadonlyMap<string, AddressOwner>;
}

export function networksOf(
  details: Iterable<Pick<SenderDetails, 'addresses'>>,
  { sources, ownerOf }: IpData,
): Networks {
  const addresses = [...details].flatMap((one) => one.addresses.map(({ name }) => name));
  const owners = addresses.flatMap((address) => {
    const owner = ownerOf(address);
    return owner === undefined ? [] : [[address, owner] as const];
  });
  return { sources, owners: new Map(owners) };
}

/** Grouping the mail of a year by sender takes too long for a page. */
export const SENDER_DAYS = 92;

export interface DmarcViewDependencies extends Pick<SimulationDependencies, 'summaries' | 'decisions'> {
  readonly dmarcReports: Pick<DmarcReportStore, 'timeline'>;
  readonly ipData: IpData;
}

export async function dmarcOf(
  { id, domain }: Pick<Domain, 'id' | 'domain'>,
  query: DomainViewQuery,
  { summaries, decisions, dmarcReports, ipData }: DmarcViewDependencies,
  now: Date,
): Promise<DmarcView | Refused> {
  const days = daysOf(query, now);
  if (days instanceof Refused) return days;
  const senderDays = lastDaysOf(days, SENDER_DAYS);
  const [timeline, found, decided] = await Promise.all([
    dmarcReports.timeline(id, days, now),
    summaries.readSummaries(id, senderDays, now),
    decisions.list(id),
  ]);
  const senders = inSections(await sendersOf(domain, found, decided));
  const shown = sendersOnPage(senders, query.page);
  return {
    ...{ days, senderDays, today: dayAt(now), timeline, senders, page: query.page },
    reported: reportedOf(found),
    ...senderRows(domain, shown, { found, ipData, changed: query.changed }),
  };
}

/** An address of the last days says who runs the network; more days take longer. */
const ADDRESS_DAYS = 30;

/** What the table shows of these senders. @param found The days that they are shown for. */
export function senderRows(
  domain: string,
  shown: readonly Pick<Sender, 'id' | 'kind'>[],
  {
    found,
    ipData,
    changed,
  }: {
    readonly found: readonly DaySummary[];
    readonly ipData: IpData;
    readonly changed?: SenderRows['changed'];
  },
): SenderRows {
  const unnamed = shown.flatMap(({ id, kind }) => (kind === 'network' ? [id] : []));
  const details = senderDetails(domain, found.slice(-ADDRESS_DAYS), unnamed, 1);
  return { details, networks: networksOf(details.values(), ipData), changed };
}

/** In which order the senders are shown: those that need a decision first. */
export const senderSections = [null, 'approved', 'forwarder', 'unauthorized'] as const;

/** Most messages first within a section. */
const inSections = (senders: readonly Sender[]): readonly Sender[] =>
  senderSections.flatMap((section) => senders.filter(({ status }) => status === section));

function reportedOf(days: readonly DaySummary[]): Reported {
  const summaries = days.flatMap((day) => day.summaries);
  return {
    receivers: new Set(summaries.flatMap(({ reporter }) => reporter ?? [])).size,
    reports: summaries.reduce((sum, { reports }) => sum + reports, 0),
    unauthenticated: summaries.reduce((sum, one) => sum + (one.authenticated ? 0 : one.reports), 0),
  };
}
