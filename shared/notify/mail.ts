/** Alert mails: a subject, and the same content as text and as HTML. */
import { html } from 'hono/html';
import type { Alert } from '../alerts/alert.ts';
import { severities } from '../alerts/notification.ts';
import { catalogue, describeFor } from '../protocol/findings/catalogue.ts';
import { printable } from '../protocol/printable.ts';
import { counted } from '../protocol/quantity.ts';
import type { Delivery } from '../store/alerts/delivery.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The maximum number of characters of an alert in a mail: alerts quote untrusted text. */
const MAX_TITLE = 200;
const MAX_MESSAGE = 1_500;

/** How many fixes a mail shows with an alert. */
const MAX_FIXES = 3;

export async function alertMail(
  delivery: Delivery,
  alerts: readonly Alert[],
  { to, hostUrl }: { to: string; hostUrl: string },
): Promise<Mail> {
  const content = contentOf(delivery, alerts, hostUrl);
  return {
    to,
    subject: content.subject,
    text: textOf(content),
    html: await htmlOf(content),
    headers: {
      // RFC 3834 section 5: suppresses automatic replies, which could loop.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'X-Domain-Monitor-Delivery': delivery.id,
    },
  };
}

interface Content {
  readonly subject: string;
  readonly alerts: readonly {
    readonly head: string;
    readonly paragraphs: readonly string[];
    readonly where: string;
    /** The URL in the API of what the alert is about. */
    readonly link: string;
  }[];
  readonly notes: readonly string[];
}

function contentOf({ kind, further }: Delivery, alerts: readonly Alert[], hostUrl: string): Content {
  const shown = alerts.map(({ severity, title, message, metadata, domainId, domainName, createdAt }) => ({
    head: `[${severity}] ${printable(title, MAX_TITLE)}`,
    paragraphs: [printable(message, MAX_MESSAGE), ...adviceOn(metadata, domainName)],
    where: `${printable(domainName, MAX_TITLE)}, ${createdAt.slice(0, 16).replace('T', ' ')} UTC`,
    link: linkTo(domainId, metadata, hostUrl),
  }));
  const counts = severities
    .toReversed()
    .filter((severity) => further[severity] > 0)
    .map((severity) => `${further[severity]} ${severity}`);
  const total = alerts.length + severities.reduce((sum, severity) => sum + further[severity], 0);
  return {
    subject: subjectOf(kind, total, shown[0]?.head ?? ''),
    alerts: shown,
    notes: [
      ...(kind === 'test' ? ['This is a test. Alerts for your domains look like this message.'] : []),
      ...(counts.length > 0 ? [`Additional alerts not shown here: ${counts.join(', ')}.`] : []),
      `The links need an API token. To list all alerts with details, use the API of ${new URL(hostUrl).host}: GET /api/v1/alerts`,
      'This is an automated message of the Email domain security monitor; replies are not read. Ask your administrator to change or stop these notifications.',
    ],
  };
}

function subjectOf(kind: Delivery['kind'], total: number, first: string): string {
  if (kind === 'test') return 'Test alert';
  if (kind === 'digest') return `Daily digest: ${counted(total, 'alert')}`;
  return total === 1 ? first : `${first} (and ${total - 1} more)`;
}

/** The reports of the period that an alert is about, or else its domain. */
function linkTo(domainId: string, metadata: Alert['metadata'], hostUrl: string): string {
  const domain = `${hostUrl}/api/v1/domains/${domainId}`;
  if (!('reportType' in metadata)) return domain;
  const { reportType, dateRangeBegin } = metadata;
  const window = new URLSearchParams({ startDate: dateRangeBegin, endDate: dateRangeBegin });
  return `${domain}/reports/${reportType}?${window}`;
}

/** The fixes for the new findings of an alert, each once, in one paragraph. */
function adviceOn(metadata: Alert['metadata'], domain: string): readonly string[] {
  const added = 'findingsAdded' in metadata ? metadata.findingsAdded : [];
  const found = added.flatMap(({ arguments: given, ...finding }) =>
    given === undefined || !(finding.id in catalogue)
      ? []
      : [describeFor({ domain })({ ...finding, arguments: given })],
  );
  const fixes = [...new Set(found.map(({ fix }) => fix))].slice(0, MAX_FIXES);
  return fixes.length > 0 ? [`What to do: ${fixes.join(' ')}`] : [];
}

function textOf({ alerts, notes }: Content): string {
  const texts = alerts.map(({ head, paragraphs, where, link }) =>
    [head, ...paragraphs, where, link].join('\n'),
  );
  return `${[...texts, ...notes].join('\n\n')}\n`;
}

async function htmlOf({ subject, alerts, notes }: Content): Promise<string> {
  const page = await html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body>
${alerts.map(
  ({ head, paragraphs, where, link }) =>
    html`<h3>${head}</h3>\n${paragraphs.map((one) => html`<p>${one}</p>\n`)}<p><small>${where}<br><a href="${link}">${link}</a></small></p>\n`,
)}
${notes.map((note) => html`<p>${note}</p>\n`)}
</body>
</html>
`;
  return page.toString();
}
