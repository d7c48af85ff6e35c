/**
 * Alerts and events for systems that collect them: the HTTP Event Collector of Splunk, the Elastic Common Schema, and the Open
 * Cybersecurity Schema Framework. What is unknown has the value that each of them has for that, and is neither success nor failure.
 */
import { type Alert, typeOf } from '../alerts/alert.ts';
import type { Event } from '../alerts/event.ts';
import type { SiemFormat } from '../alerts/notification.ts';
import { printable } from '../protocol/printable.ts';
import type { Delivery } from '../store/alerts/delivery.ts';

const PRODUCT = 'Email domain security monitor';
const SOURCE = 'email-domain-security-monitor';
const MAX_TITLE = 400;
const MAX_DETAIL = 2_000;

type Outcome = 'success' | 'failure' | 'unknown';

/** What all formats say of an alert or an event. */
interface SiemRecord {
  readonly id: string;
  readonly organization: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** `dns_change`, `checks.completed`, and so on. */
  readonly type: string;
  readonly isAlert: boolean;
  /** Whether it says that something is over. */
  readonly isEnd: boolean;
  /** Null if an event has none. */
  readonly severity: Alert['severity'] | null;
  readonly outcome: Outcome;
  readonly title: string;
  readonly detail: string;
  readonly domain: string | null;
  /** In the format of this service, with everything that is known. */
  readonly original: object;
}

interface Receiver {
  readonly hostUrl: string;
}

/** The alerts and events of a delivery in a format, as the body of one request. */
export function siemBody(
  { id, organization, kind, createdAt, events }: Delivery,
  alerts: readonly Alert[],
  format: SiemFormat,
  receiver: Receiver,
): string {
  const test = {
    id,
    organization,
    at: createdAt,
    type: 'test',
    isAlert: false,
    isEnd: false,
    severity: null,
  };
  const records: readonly SiemRecord[] = [
    ...(kind === 'test'
      ? [
          {
            ...{ ...test, outcome: 'success' as const, title: 'Test notification', domain: null },
            ...{ detail: 'Alerts and events about your domains look like this one.', original: { kind } },
          },
        ]
      : []),
    ...alerts.map((alert) => recordOfAlert(alert, organization)),
    ...events.map((event) => recordOfEvent(event, organization)),
  ];
  return writers[format](records, receiver);
}

function recordOfAlert(alert: Alert, organization: string): SiemRecord {
  const { id, createdAt: at, type, severity, title, message, domainName: domain } = alert;
  const isEnd = typeOf(alert).isEnd?.(alert) ?? false;
  return {
    ...{ id, organization, at, type, severity, isEnd, isAlert: true, domain },
    // What may need no action, such as a new reporter, is neither.
    outcome: isEnd ? 'success' : severity === 'info' ? 'unknown' : 'failure',
    title: printable(title, MAX_TITLE),
    detail: printable(message, MAX_DETAIL),
    original: { ...alert, read: false },
  };
}

function recordOfEvent(event: Event, organization: string): SiemRecord {
  const { id, createdAt: at, type } = event;
  const isItem = 'attentionId' in event;
  const domain = 'domainName' in event ? event.domainName : null;
  return {
    ...{ id, organization, at, type, domain, isAlert: false },
    isEnd: type === 'attention.closed',
    severity: isItem ? event.severity : null,
    outcome: outcomeOf(event),
    title: isItem ? printable(event.title, MAX_TITLE) : domain === null ? type : `${type}: ${domain}`,
    detail: isItem ? printable(event.detail, MAX_DETAIL) : '',
    original: event,
  };
}

function outcomeOf(event: Event): Outcome {
  switch (event.type) {
    case 'checks.completed':
      // Without a score, no lookup got an answer.
      return event.score === null ? 'unknown' : 'success';
    case 'report.received':
      return event.failed > 0 ? 'failure' : 'success';
    case 'domain.unproven':
    case 'attention.opened':
      return 'failure';
    default:
      return 'success';
  }
}

const json = (value: unknown): string => JSON.stringify(value);

const writers: Readonly<Record<SiemFormat, (records: readonly SiemRecord[], receiver: Receiver) => string>> =
  {
    splunk: (records, receiver) => records.map((record) => json(hecEvent(record, receiver))).join('\n'),
    ecs: (records, receiver) => json(records.map((record) => ecsDocument(record, receiver))),
    ocsf: (records, receiver) => json(records.map((record) => ocsfEvent(record, receiver))),
  };

/** https://docs.splunk.com/Documentation/Splunk/latest/Data/FormateventsforHTTPEventCollector */
const hecEvent = ({ at, type, outcome, severity, original }: SiemRecord, { hostUrl }: Receiver) => ({
  time: Date.parse(at) / 1000,
  host: new URL(hostUrl).hostname,
  source: SOURCE,
  sourcetype: 'email_domain_security',
  event: original,
  // Indexed, so that a search need not read the events.
  fields: { event_type: type, outcome, severity: severity ?? 'unknown' },
});

/** https://www.elastic.co/docs/reference/ecs: event.severity is a number of the source, here 0 for what has none. */
const ecsSeverity = { critical: 3, warning: 2, info: 1, unknown: 0 } as const;

function ecsDocument(
  { id, organization, at, type, isAlert, severity, outcome, title, detail, domain }: SiemRecord,
  { hostUrl }: Receiver,
) {
  return {
    '@timestamp': at,
    message: title,
    ecs: { version: '9.4.0' },
    event: {
      ...{ id, outcome, created: at, action: type, module: SOURCE, dataset: `${SOURCE}.events` },
      kind: isAlert ? 'alert' : 'event',
      category: ['email'],
      type: ['info'],
      severity: ecsSeverity[severity ?? 'unknown'],
      ...(detail !== '' && { reason: detail }),
      url: hostUrl,
    },
    organization: { id: organization },
    observer: { product: PRODUCT, vendor: SOURCE, type: 'monitor', hostname: new URL(hostUrl).hostname },
    ...(domain !== null && { related: { hosts: [domain] } }),
  };
}

/** https://schema.ocsf.io/1.4.0/classes/detection_finding */
const OCSF = { version: '1.4.0', findings: 2, detectionFinding: 2004, create: 1, close: 3 } as const;
const ocsfSeverity = {
  critical: [5, 'Critical'],
  warning: [3, 'Medium'],
  info: [1, 'Informational'],
} as const;

function ocsfEvent(
  { id, organization, at, type, isAlert, isEnd, severity, outcome, title, detail, domain }: SiemRecord,
  { hostUrl }: Receiver,
) {
  const activity = isEnd ? OCSF.close : OCSF.create;
  const [severityId, severityName] = severity === null ? [0, 'Unknown'] : ocsfSeverity[severity];
  return {
    ...{ category_uid: OCSF.findings, category_name: 'Findings' },
    ...{ class_uid: OCSF.detectionFinding, class_name: 'Detection Finding' },
    ...{ activity_id: activity, activity_name: isEnd ? 'Close' : 'Create' },
    type_uid: OCSF.detectionFinding * 100 + activity,
    ...{ severity_id: severityId, severity: severityName },
    // Of the life of a finding, not of what it found: without an outcome, it is unknown.
    ...(outcome === 'unknown'
      ? { status_id: 0, status: 'Unknown' }
      : isEnd
        ? { status_id: 4, status: 'Resolved' }
        : { status_id: 1, status: 'New' }),
    time: Date.parse(at),
    message: title,
    is_alert: isAlert,
    metadata: {
      version: OCSF.version,
      product: { name: PRODUCT, vendor_name: SOURCE, url_string: hostUrl },
      uid: id,
      tenant_uid: organization,
    },
    finding_info: {
      ...{ uid: id, title, types: [type], created_time: Date.parse(at) },
      ...(detail !== '' && { desc: detail }),
    },
    ...(domain !== null && { resources: [{ name: domain, type: 'Domain' }] }),
  };
}

/** The token of an HTTP Event Collector: a GUID. */
const HEC_TOKEN = /^[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}$/;

/** What is wrong with the URL of a receiver; undefined if it has the token that requests need. */
export function problemWithSiem(url: string, format: SiemFormat): string | undefined {
  if (format !== 'splunk' || HEC_TOKEN.test(new URL(url).searchParams.get('token') ?? '')) return undefined;
  return 'must have the token of the collector, such as https://splunk.example.org:8088/services/collector/event?token=<GUID>';
}

/** Where a request goes, and the headers that a receiver needs: the token of Splunk is not sent in the URL. */
export function siemTarget(
  url: string,
  format: SiemFormat,
): { url: string; headers: Record<string, string> } {
  if (format !== 'splunk') return { url, headers: {} };
  const target = new URL(url);
  const token = target.searchParams.get('token') ?? '';
  target.searchParams.delete('token');
  return { url: target.href, headers: { Authorization: `Splunk ${token}` } };
}
