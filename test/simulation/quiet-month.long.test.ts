/**
 * 30 days of four domains: a spoofed brand, a quiet small domain, one whose sending service loses its DKIM signature, and one
 * whose DMARC record stops to name the report mailbox. Each incident is alerted once within a day of its reports, and little
 * else is. Report mails and check runs go through the handlers of the service, with its stores and a simulated clock.
 */
import { expect, test } from '@jest/globals';
import type { DomainKind } from '../../shared/alerts/attention-kind.ts';
import { rsaKey } from '../kit/dkim-signer.ts';
import { at, DAY, FIRST, FIRST_HOUR, startMonth } from './month.ts';
import { ESP_BREAKS, MONTH_DAYS, REPAIRED, RUA_BREAKS } from './reported-domains.ts';

process.env.LOG_LEVEL = 'silent';

/** After this many further days, what the owners repaired is known to be in order. */
const DAYS_AFTER = 11;
/** Of all four domains. */
const MOST_NEEDLESS = 3;
/** Enough for a busy machine: the whole takes a minute of CPU time. */
const TIMEOUT_MILLISECONDS = 900_000;

/** What happened, and what says so. */
interface Incident {
  readonly domain: string;
  readonly what: string;
  /** The day on which the first report, or the first check, can show it. */
  readonly shownOn: number;
  readonly alert: string;
  readonly item?: DomainKind;
  /** The days from `shownOn` until the item opens: it opens as readiness is assessed, without the newest three days. */
  readonly itemDays?: number;
  /** Days after the repair until the item is closed. */
  readonly closesAfter?: number;
}

const incidents: readonly Incident[] = [
  {
    ...{ domain: 'brand.example', what: 'most mail is forged, from the first day on' },
    ...{ shownOn: 1, alert: 'More mail fails: brand.example' },
  },
  {
    ...{ domain: 'shop.example', what: 'the service does not sign from day 12 on' },
    ...{ shownOn: ESP_BREAKS + 1, alert: 'Approved sender fails: shop.example' },
    ...{ item: 'sender-failing', itemDays: 4, closesAfter: 11 },
  },
  {
    ...{ domain: 'news.example', what: 'the record names another mailbox from the evening of day 20 on' },
    ...{ shownOn: RUA_BREAKS + 1, alert: 'DMARC changed: news.example' },
  },
  {
    ...{ domain: 'news.example', what: 'the third day without reports is overdue' },
    ...{ shownOn: RUA_BREAKS + 4, alert: 'DMARC reports stopped: news.example' },
    ...{ item: 'reports-stopped', itemDays: 1, closesAfter: 3 },
  },
];

interface Seen {
  readonly domain: string;
  readonly title: string;
  readonly at: Date;
}

/** Returns what was raised and opened in the month, and which reporters were announced. */
async function simulatedMonth() {
  const month = await startMonth({
    size: { networks: 40, brandReporters: 5, shopReporters: 3, newsReporters: 3 },
    ...{ days: MONTH_DAYS + DAYS_AFTER, dkimKey: rsaKey().record },
  });
  try {
    await month.runUntil(at(MONTH_DAYS + DAYS_AFTER));
    const raised = (await month.alerts(at(0)))
      .map(({ type, title, domainName, createdAt }) => ({
        ...{ type, title, domain: domainName, at: new Date(createdAt) },
      }))
      .filter((alert) => alert.at < at(MONTH_DAYS));
    return {
      alerts: raised.filter(({ type }) => type !== 'new_report'),
      reported: month.reported,
      newReporters: raised.filter(({ type }) => type === 'new_report'),
      items: month.items().filter(({ openedAt }) => openedAt >= at(0) && openedAt < at(MONTH_DAYS)),
    };
  } finally {
    await month.stop();
  }
}

test(
  'a month of new domains alerts each incident once within a day, and little else',
  async () => {
    const { reported, alerts, newReporters, items } = await simulatedMonth();
    const [needlessAlerts, needlessItems] = [new Set<Seen>(alerts), new Set(items)];
    for (const { domain, what, shownOn, alert, item, itemDays = 0, closesAfter = 0 } of incidents) {
      const raised = alerts.filter((one) => one.domain === domain && one.title === alert);
      expect({ what, raised: raised.map((one) => isWithin(one.at, shownOn, 1)) }).toEqual({
        ...{ what, raised: [true] },
      });
      for (const one of raised) needlessAlerts.delete(one);
      if (item === undefined) continue;
      const opened = items.filter((one) => one.domain === domain && one.kind === item);
      const closed = opened.map(({ closedAt }) => closedAt ?? at(Number.POSITIVE_INFINITY));
      expect({
        ...{ what, opened: opened.map(({ openedAt }) => isWithin(openedAt, shownOn, itemDays)) },
        closed: closed.map((time) => isWithin(time, REPAIRED, closesAfter)),
      }).toEqual({ what, opened: [true], closed: [true] });
      for (const one of opened) needlessItems.delete(one);
    }
    const reporters = reported.flatMap(({ name, reporters: all }) => all.map(() => name));
    expect(newReporters.map(({ domain }) => domain).toSorted()).toEqual(reporters.toSorted());
    const needless = [
      ...[...needlessAlerts].map(({ title, at: time }) => `day ${dayOf(time)}: ${title}`),
      ...[...needlessItems].map(({ kind, domain, openedAt }) => `day ${dayOf(openedAt)}: ${kind} ${domain}`),
    ];
    expect({ needless, isQuiet: needless.length <= MOST_NEEDLESS }).toMatchObject({ isQuiet: true });
  },
  TIMEOUT_MILLISECONDS,
);

const dayOf = (time: Date): number => Math.floor((time.getTime() - FIRST) / DAY);

/** Within so many days of the first report that came on a day. */
const isWithin = (time: Date, day: number, days: number): boolean =>
  time >= at(day) && time < at(day + days, FIRST_HOUR);
