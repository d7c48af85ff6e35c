/** The mails that tell alerts: a subject, and the same in text and in HTML. */
import { html } from 'hono/html';
import { severities } from '../alerts/notification.ts';
import { legible } from '../protocol/legible.ts';
import type { Alert } from '../store/alerts.ts';
import type { Delivery } from '../store/deliveries.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Characters of an alert that a mail shows: its parts quote what strangers publish. */
const MAX_TITLE = 200;
const MAX_MESSAGE = 1_500;

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
      // RFC 3834 section 5: nobody answers by machine, so that no two machines write to each other.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'X-Domain-Monitor-Delivery': delivery.id,
    },
  };
}

interface Content {
  readonly subject: string;
  readonly alerts: readonly { readonly head: string; readonly message: string; readonly where: string }[];
  readonly notes: readonly string[];
}

function contentOf({ kind, further }: Delivery, alerts: readonly Alert[], hostUrl: string): Content {
  const shown = alerts.map(({ severity, title, message, domainName, createdAt }) => ({
    head: `[${severity}] ${legible(title, MAX_TITLE)}`,
    message: legible(message, MAX_MESSAGE),
    where: `${legible(domainName, MAX_TITLE)}, ${createdAt.slice(0, 16).replace('T', ' ')} UTC`,
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
      ...(kind === 'test' ? ['This is a test: alerts of your domains will come like this mail.'] : []),
      ...(counts.length > 0 ? [`More alerts than these: ${counts.join(', ')}.`] : []),
      `All alerts, with their details: GET ${hostUrl}/api/v1/alerts`,
      'This mail was sent by a machine that reads no answers. Who runs it for you can change or end these mails.',
    ],
  };
}

function subjectOf(kind: Delivery['kind'], total: number, first: string): string {
  if (kind === 'test') return 'Test of mails about alerts';
  if (kind === 'digest') return `Daily digest: ${total} ${total === 1 ? 'alert' : 'alerts'}`;
  return total === 1 ? first : `${first}, and ${total - 1} more`;
}

function textOf({ alerts, notes }: Content): string {
  const told = alerts.map(({ head, message, where }) => `${head}\n${message}\n${where}`);
  return `${[...told, ...notes].join('\n\n')}\n`;
}

async function htmlOf({ subject, alerts, notes }: Content): Promise<string> {
  const page = await html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body>
${alerts.map(({ head, message, where }) => html`<h3>${head}</h3>\n<p>${message}</p>\n<p><small>${where}</small></p>\n`)}
${notes.map((note) => html`<p>${note}</p>\n`)}
</body>
</html>
`;
  return page.toString();
}
