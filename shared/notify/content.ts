/** What a notification says, for mails and chat messages alike. */

import type { Alert } from '../alerts/alert.ts';
import { type AlertGroup, groupByCause } from '../alerts/cause.ts';
import type { AttentionEvent, DomainEvent, Event, TokenEvent } from '../alerts/event.ts';
import { mostSevereFirst, severities } from '../alerts/notification.ts';
import { domainPage, pageOfAlert } from '../alerts/page.ts';
import { aboutNothing, kinds } from '../attention/kinds.ts';
import { catalogue, describeFor } from '../protocol/findings/catalogue.ts';
import { printable } from '../protocol/printable.ts';
import { timeInWords } from '../protocol/time.ts';
import type { Delivery } from '../store/alerts/delivery.ts';

/** The maximum number of characters of an alert in a notification: alerts quote untrusted text. */
const MAX_TITLE = 200;
const MAX_MESSAGE = 1_500;

/** How many fixes a notification shows with an alert. */
const MAX_FIXES = 3;

/** An alert or an event. */
export interface Entry {
  readonly head: string;
  readonly paragraphs: readonly string[];
  readonly where: string;
  /** The URL of the page of the console about it. */
  readonly link: string;
}

export interface Content {
  readonly subject: string;
  readonly entries: readonly Entry[];
  readonly notes: readonly Note[];
  /** The URL of the page of the console that lists all alerts. */
  readonly allAlerts: string;
}

/** A paragraph below the entries, which can end with a URL. */
export interface Note {
  readonly text: string;
  readonly link?: string;
}

/** The content of a delivery, on one line each, without characters that could mislead. */
export function contentOf(
  { kind, further, events }: Delivery,
  alerts: readonly Alert[],
  hostUrl: string,
): Content {
  const causes = groupByCause(alerts).toSorted((a, b) => mostSevereFirst(a.newest, b.newest));
  const entries = [
    ...causes.map((group) => entryOfAlerts(group, hostUrl)),
    ...events.map((event) => entryOfEvent(event, hostUrl)),
  ];
  const counts = severities
    .toReversed()
    .filter((severity) => further[severity] > 0)
    .map((severity) => `${further[severity]} ${severity}`);
  const allAlerts = `${hostUrl}/console/alerts`;
  const total =
    alerts.length + events.length + severities.reduce((sum, severity) => sum + further[severity], 0);
  return {
    subject: subjectOf(kind, total, entries[0]?.head ?? ''),
    entries,
    notes: [
      ...(kind === 'test'
        ? [{ text: 'This is a test. Alerts for your domains look like this message.' }]
        : []),
      ...(counts.length > 0 ? [{ text: `Additional alerts not shown here: ${counts.join(', ')}.` }] : []),
      {
        text: `${entries.length > 0 ? 'The links lead to the console, where you sign in. ' : ''}All alerts: `,
        link: allAlerts,
      },
      {
        text: 'This is an automated message of the Email domain security monitor; replies are not read. Ask your administrator to change or stop these notifications.',
      },
    ],
    allAlerts,
  };
}

/** Alerts about one cause, by the newest one. */
export function entryOfAlerts({ newest, count, since }: AlertGroup, hostUrl: string): Entry {
  const { severity, title, message, metadata, domainName, createdAt } = newest;
  const others =
    count === 1
      ? []
      : [`This is the newest of ${count} alerts about this cause since ${timeInWords(since)}.`];
  return {
    head: `[${severity}] ${printable(title, MAX_TITLE)}`,
    paragraphs: [printable(message, MAX_MESSAGE), ...others, ...adviceOn(metadata, domainName)],
    where: whereOf(domainName, createdAt),
    link: `${hostUrl}${pageOfAlert(newest).path}`,
  };
}

function entryOfEvent(event: Event, hostUrl: string): Entry {
  if (event.type === 'token.created') return entryOfToken(event, hostUrl);
  if ('attentionId' in event) return entryOfAttention(event, hostUrl);
  const { domainId, domainName, createdAt } = event;
  const where = whereOf(domainName, createdAt);
  if (event.type === 'domain.unproven') {
    const { title, detail, action } = kinds['ownership-unproven'];
    const subject = {
      ...({ kind: 'ownership-unproven', domainId, domain: domainName } as const),
      ...{ since: event.missingSince, about: aboutNothing },
    };
    const link = `${hostUrl}${action.path(subject)}`;
    return { head: title(subject), paragraphs: [detail(subject)], where, link };
  }
  return { head: headOfEvent(event), paragraphs: [], where, link: `${hostUrl}${pageOfEvent(event)}` };
}

/** The page of the console lists what is open, and leads to where a person can act. */
export function entryOfAttention(
  { type, title, detail, domainId, domainName, severity, createdAt }: AttentionEvent,
  hostUrl: string,
): Entry {
  const isOpen = type === 'attention.opened';
  const page = domainId === null ? '/console' : domainPage(domainId);
  return {
    head: `${isOpen ? `[${severity}] Needs attention` : 'No longer needs attention'}: ${printable(title, MAX_TITLE)}`,
    paragraphs: isOpen ? [printable(detail, MAX_MESSAGE)] : [],
    where: whereOf(domainName ?? 'Notifications', createdAt),
    link: `${hostUrl}${page}${isOpen ? '#attention' : ''}`,
  };
}

function entryOfToken(
  { tokenId, tokenName, scope, createdBy, createdAt }: TokenEvent,
  hostUrl: string,
): Entry {
  const by =
    createdBy === null
      ? 'An operator of the service created it.'
      : `It was created with the token ${printable(createdBy.name, MAX_TITLE)} (${createdBy.id}).`;
  return {
    head: `New API token with the scope ${scope}: ${printable(tokenName, MAX_TITLE)}`,
    paragraphs: [
      by,
      `If none of you did this, revoke it, and what it created: in the console under Settings, or with DELETE ${hostUrl}/api/v1/tokens/${tokenId}?created=revoke`,
    ],
    where: whereOf('API tokens', createdAt),
    link: `${hostUrl}/console/settings#tokens`,
  };
}

function headOfEvent(event: Exclude<DomainEvent, { type: 'domain.unproven' }>): string {
  switch (event.type) {
    case 'domain.verified':
      return 'The domain was verified';
    case 'checks.completed':
      return event.grade === null
        ? 'The checks are complete'
        : `The checks are complete: score ${event.score}, grade ${event.grade}`;
    case 'report.received': {
      const kind = event.reportType === 'dmarc' ? 'DMARC' : 'TLS';
      return `${kind} report from ${printable(event.reporter, MAX_TITLE)}: ${event.passed} passed, ${event.failed} failed`;
    }
  }
}

const whereOf = (what: string, at: string): string => `${printable(what, MAX_TITLE)}, ${timeInWords(at)}`;

function subjectOf(kind: Delivery['kind'], total: number, first: string): string {
  if (kind === 'test') return 'Test alert';
  return total === 1 ? first : `${first} (and ${total - 1} more)`;
}

/** The reports of the kind that an event is about, or else its domain. */
const pageOfEvent = (event: DomainEvent): string =>
  domainPage(event.domainId, 'reportType' in event ? event.reportType : '');

/** The fixes for the new findings of an alert, each once, in one paragraph. */
function adviceOn(metadata: Alert['metadata'], domain: string): readonly string[] {
  const added = 'findingsAdded' in metadata ? metadata.findingsAdded : [];
  const found = added.flatMap(({ arguments: given, ...finding }) =>
    finding.id in catalogue ? [describeFor({ domain })({ ...finding, arguments: given })] : [],
  );
  const fixes = [...new Set(found.map(({ fix }) => fix))].slice(0, MAX_FIXES);
  return fixes.length > 0 ? [`What to do: ${fixes.join(' ')}`] : [];
}
