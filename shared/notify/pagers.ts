/**
 * Requests to services that page people. Each alert is an incident, which its key identifies: what happens again belongs to the
 * same incident, and what ends resolves it. Attention items that open and close are incidents, too. The key of the receiver is in
 * the URL that the owner sets, and in the place of the request that the API asks for.
 */
import { createHash } from 'node:crypto';
import { type Alert, typeOf } from '../alerts/alert.ts';
import { groupOfOne } from '../alerts/cause.ts';
import type { AttentionEvent } from '../alerts/event.ts';
import type { PagerFormat } from '../alerts/notification.ts';
import { printable } from '../protocol/printable.ts';
import type { Delivery } from '../store/alerts/delivery.ts';
import { type Entry, entryOfAlerts, entryOfAttention } from './content.ts';

export interface PagerRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Pager {
  readonly url: string;
  readonly format: PagerFormat;
  readonly hostUrl: string;
}

/** What is known about an incident by the latest alert or event about it. */
interface Incident {
  readonly key: string;
  readonly isOver: boolean;
  readonly severity: Alert['severity'];
  readonly title: string;
  readonly about: string;
  readonly kind: string;
  readonly at: string;
  readonly entry: Pick<Entry, 'paragraphs' | 'link'>;
}

const CLIENT = 'Email domain security monitor';

/** The requests of a delivery: one for each incident, by the latest that is known of it; they can be sent in any order. */
export function pagerRequests(
  { id, kind, createdAt, events }: Delivery,
  alerts: readonly Alert[],
  { url, format, hostUrl }: Pager,
): readonly PagerRequest[] {
  const write = pagers[format];
  const known = [
    ...(kind === 'test' ? [testOf(id, createdAt, hostUrl)] : []),
    ...alerts.map((alert) => incidentOfAlert(alert, hostUrl)),
    ...events.flatMap((event) => ('attentionId' in event ? [incidentOfItem(event, hostUrl)] : [])),
  ];
  const oldestFirst = known.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const latest = new Map(oldestFirst.map((incident) => [incident.key, incident]));
  return [...latest.values()].map((incident) => write.request(incident, new URL(url), hostUrl));
}

/** What is wrong with the URL of a receiver; undefined if it has the key that requests need. */
export function problemWithPager(url: string, format: PagerFormat): string | undefined {
  const { parameter, keyForm, example } = pagers[format];
  return keyForm.test(new URL(url).searchParams.get(parameter) ?? '')
    ? undefined
    : `must have the key of the integration, such as ${example}`;
}

function incidentOfAlert(alert: Alert, hostUrl: string): Incident {
  const { domainId, type, severity, title, metadata, domainName, createdAt } = alert;
  const row = typeOf(alert);
  return {
    key: keyOf(domainId, type, row.cause?.(metadata) ?? ''),
    isOver: row.isEnd?.(alert) ?? false,
    ...{ severity, title, about: domainName, kind: type, at: createdAt },
    entry: entryOfAlerts(groupOfOne(alert), hostUrl),
  };
}

function incidentOfItem(event: AttentionEvent, hostUrl: string): Incident {
  const { type, attentionId, severity, title, domainName, kind, createdAt } = event;
  return {
    key: keyOf('attention', attentionId),
    isOver: type === 'attention.closed',
    ...{ severity, title, about: domainName ?? 'Notifications', kind, at: createdAt },
    entry: entryOfAttention(event, hostUrl),
  };
}

const testOf = (id: string, at: string, hostUrl: string): Incident => ({
  ...{ key: keyOf('test', id), isOver: false, severity: 'info', title: 'Test notification', about: CLIENT },
  ...{ kind: 'test', at },
  entry: {
    paragraphs: ['This is a test. Incidents about your domains look like this one. Close it by hand.'],
    link: `${hostUrl}/console/settings`,
  },
});

/** Causes can name hosts, which are long: PagerDuty allows 255 characters. */
const MAX_KEY = 255;

function keyOf(...parts: readonly string[]): string {
  const key = parts.join('/');
  return key.length <= MAX_KEY && /^[ -~]*$/.test(key)
    ? key
    : `${parts[0]}/${createHash('sha256').update(key).digest('base64url')}`;
}

/** At most so many characters, of which none misleads. */
const shown = (text: string, most: number): string => printable(text, most).slice(0, most);

interface PagerRow {
  /** The parameter of the URL that is the key, and its form. */
  readonly parameter: string;
  readonly keyForm: RegExp;
  readonly example: string;
  request(incident: Incident, url: URL, hostUrl: string): PagerRequest;
}

/** The key of a receiver, and its URL without it. */
function takeKey(url: URL, parameter: string): { key: string; target: URL } {
  const target = new URL(url);
  const key = target.searchParams.get(parameter) ?? '';
  target.searchParams.delete(parameter);
  return { key, target };
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };

const pagers: Readonly<Record<PagerFormat, PagerRow>> = {
  // https://developer.pagerduty.com/docs/events-api-v2/trigger-events/
  pagerduty: {
    parameter: 'routing_key',
    keyForm: /^[A-Za-z0-9]{32}$/,
    example: 'https://events.pagerduty.com/v2/enqueue?routing_key=<32 characters>',
    request({ key: dedup_key, isOver, severity, title, about, kind, at, entry }, url, hostUrl) {
      const { key: routing_key, target } = takeKey(url, 'routing_key');
      const event = { routing_key, dedup_key, event_action: isOver ? 'resolve' : 'trigger' };
      const incident = {
        payload: {
          summary: shown(title, 1024),
          source: shown(about, 1024),
          severity,
          timestamp: at,
          class: kind,
          custom_details: { details: entry.paragraphs },
        },
        links: [{ href: entry.link, text: 'In the console' }],
        ...{ client: CLIENT, client_url: hostUrl },
      };
      return {
        url: target.href,
        headers: JSON_HEADERS,
        body: JSON.stringify(isOver ? event : { ...event, ...incident }),
      };
    },
  },
  // https://docs.opsgenie.com/docs/alert-api
  opsgenie: {
    parameter: 'apiKey',
    keyForm: /^[A-Za-z0-9-]{16,100}$/,
    example: 'https://api.opsgenie.com/v2/alerts?apiKey=<key>',
    request({ key: alias, isOver, severity, title, about, kind, at, entry }, url) {
      const { key, target } = takeKey(url, 'apiKey');
      const headers = { ...JSON_HEADERS, Authorization: `GenieKey ${key}` };
      if (isOver) {
        target.pathname = `${target.pathname.replace(/\/$/, '')}/${encodeURIComponent(alias)}/close`;
        target.searchParams.set('identifierType', 'alias');
        const note = shown(title, 1000);
        return { url: target.href, headers, body: JSON.stringify({ source: CLIENT, note }) };
      }
      const body = {
        message: shown(title, 130),
        alias,
        description: shown([...entry.paragraphs, entry.link].join(' '), 15_000),
        entity: shown(about, 512),
        source: CLIENT,
        tags: [kind],
        details: { link: entry.link, raisedAt: at },
        priority: priorities[severity],
      };
      return { url: target.href, headers, body: JSON.stringify(body) };
    },
  },
};

/** P3 is what Opsgenie takes by default. */
const priorities: Readonly<Record<Alert['severity'], string>> = { critical: 'P1', warning: 'P3', info: 'P5' };
