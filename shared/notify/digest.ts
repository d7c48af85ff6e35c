/** What a digest says, as text without markup. */

import type { Alert } from '../alerts/alert.ts';
import { groupByCause } from '../alerts/cause.ts';
import { mostSevereFirst } from '../alerts/notification.ts';
import { textOf } from '../attention/kinds.ts';
import { printable } from '../protocol/printable.ts';
import { formatNumber, pluralize } from '../protocol/quantity.ts';
import { dayInWords } from '../protocol/time.ts';
import type { AttentionItem } from '../store/attention-items.ts';
import type { DigestFacts, WeekOfMail } from './digest-facts.ts';

/** The maximum number of characters of untrusted text. */
const MAX_TITLE = 200;
const MAX_DETAIL = 1_500;
const MAX_REPORTER = 80;

/** How many causes and reporters a digest names. */
const MOST_CAUSES = 20;
const MOST_REPORTERS = 10;

interface Link {
  readonly label: string;
  readonly url: string;
}

interface Block {
  readonly head: string;
  readonly paragraphs: readonly string[];
  readonly link?: Link;
}

interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly link?: Link;
}

export interface Digest {
  readonly subject: string;
  /** Whether something needs a person, in a sentence. */
  readonly headline: string;
  readonly sections: readonly Section[];
  readonly notes: readonly string[];
  readonly links: readonly Link[];
}

/** Where a digest leads, and how often it is sent. */
export interface DigestSetting {
  readonly often: 'daily' | 'weekly';
  readonly hostUrl: string;
  readonly unsubscribeUrl: string;
}

export function digestOf(facts: DigestFacts, { often, hostUrl, unsubscribeUrl }: DigestSetting): Digest {
  const { attention, alerts, week, weekBefore } = facts;
  const { subject, headline } = verdictOf(facts);
  const causes = causesOf(alerts.alerts);
  return {
    subject: `${often === 'daily' ? 'Daily' : 'Weekly'} digest: ${subject}`,
    headline,
    sections: [
      {
        title: 'What needs you',
        blocks: attention.items.map((item) => blockOfItem(item, hostUrl)),
        ...(attention.hasMore && { link: { label: 'See all', url: `${hostUrl}/console` } }),
      },
      {
        title: `What changed since ${dayInWords(facts.period.since)}`,
        blocks: causes.slice(0, MOST_CAUSES).map((head) => ({ head, paragraphs: [] })),
        ...(causes.length > 0 && {
          link: {
            label:
              causes.length > MOST_CAUSES || alerts.hasMore ? 'All alerts, with more changes' : 'All alerts',
            url: `${hostUrl}/console/alerts`,
          },
        }),
      },
      {
        title: `Mail in DMARC reports, ${dayInWords(week.from)} to ${dayInWords(week.to)}`,
        blocks: [volumeOf(week, weekBefore), ...reportersOf(facts)],
      },
    ].filter(({ blocks }) => blocks.length > 0),
    notes: [
      `You get this mail ${often === 'daily' ? 'every day' : 'every week'}, even if nothing happened. If it does not arrive, ask the operator of the service. This is an automated message of the Email domain security monitor; replies are not read.`,
    ],
    links: [
      { label: 'Change when it is sent', url: `${hostUrl}/console/settings#notifications` },
      { label: 'Stop it', url: unsubscribeUrl },
    ],
  };
}

function verdictOf({ attention, alerts, week, weekBefore }: DigestFacts): {
  subject: string;
  headline: string;
} {
  const { items, hasMore } = attention;
  if (items.length > 0) {
    const some = pluralize(items.length, 'item needs you', 'items need you');
    const said = hasMore ? `more than ${some}` : some;
    return { subject: said, headline: `${said[0]?.toUpperCase()}${said.slice(1)}.` };
  }
  const warnings = alerts.alerts.filter(({ severity }) => severity !== 'info');
  const grave = warnings.filter((alert) => !isUnproven(alert));
  if (grave.length > 0) {
    const causes = pluralize(causesOf(grave).length, 'change');
    return {
      subject: `${causes} to look at`,
      headline: `Nothing is on your list. Look at ${causes} below.`,
    };
  }
  if (week.messages === 0 && weekBefore.messages > 0)
    return {
      subject: 'no reports about the last week',
      headline: 'Nothing is on your list, but no DMARC report covers the last week.',
    };
  const happened = alerts.alerts.length > 0 ? '' : ', and nothing changed';
  const unproven = warnings.length === 0 ? '' : ` ${UNPROVEN}`;
  return { subject: 'all is well', headline: `All is well: nothing needs you${happened}.${unproven}` };
}

const UNPROVEN = 'The warnings below come from reports that anybody can have sent, and decide nothing.';

/** Whether an alert is about a report that anybody can have sent: it is shown, and decides nothing. */
const isUnproven = ({ metadata }: Alert): boolean =>
  'reportId' in metadata && metadata.authenticated !== true;

function blockOfItem(item: AttentionItem, hostUrl: string): Block {
  const { title, detail, action } = textOf(item);
  return {
    head: `[${item.severity}] ${printable(title, MAX_TITLE)}`,
    paragraphs: [printable(detail, MAX_DETAIL), `Since ${dayInWords(item.since)}`],
    link: { label: action.label, url: `${hostUrl}${action.path}` },
  };
}

/** A line for each cause of alerts, the most severe ones first, then the latest. */
function causesOf(alerts: readonly Alert[]): string[] {
  return groupByCause(alerts)
    .toSorted((a, b) => mostSevereFirst(a.newest, b.newest) || (a.newest.id < b.newest.id ? 1 : -1))
    .map(({ newest, count }) => {
      const day = dayInWords(newest.createdAt);
      const when = count === 1 ? day : `${formatNumber(count)} times, last on ${day}`;
      return `[${newest.severity}] ${printable(newest.title, MAX_TITLE)} (${when})`;
    });
}

function volumeOf(week: WeekOfMail, before: WeekOfMail): Block {
  const than = `In the 7 days before: ${messagesOf(before)}`;
  return { head: messagesOf(week), paragraphs: [than] };
}

const messagesOf = ({ messages, passRate }: WeekOfMail): string =>
  passRate === null
    ? 'no messages reported'
    : `${pluralize(messages, 'message')}, ${passRate} % passed DMARC`;

function reportersOf({ newReporters, silentReporters }: DigestFacts): Block[] {
  return [
    { head: 'New reporters', names: newReporters },
    { head: 'Reporters without a report', names: silentReporters },
  ]
    .filter(({ names }) => names.length > 0)
    .map(({ head, names }) => ({ head, paragraphs: [named(names)] }));
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_REPORTERS).map((name) => printable(name, MAX_REPORTER));
  const more = names.length - shown.length;
  return [...shown, ...(more > 0 ? [`${formatNumber(more)} more`] : [])].join(', ');
}
