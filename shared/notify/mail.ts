/** Alert mails: a subject, and the same content as text and as HTML. */
import { html } from 'hono/html';
import type { Alert } from '../alerts/alert.ts';
import type { Delivery } from '../store/alerts/delivery.ts';
import { type Content, contentOf } from './content.ts';
import { mailPage } from './mail-style.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A mail cannot be sent. The message says why, for the organization that expects it. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  /** Whether another attempt is of no use. */
  readonly isPermanent: boolean;

  constructor(reason: string, isPermanent: boolean) {
    super(reason);
    this.isPermanent = isPermanent;
  }
}

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
    headers: automaticHeaders(delivery),
  };
}

export const automaticHeaders = ({ id }: Pick<Delivery, 'id'>) => ({
  // RFC 3834 section 5: suppresses automatic replies, which could loop.
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'All',
  'X-Domain-Monitor-Delivery': id,
});

function textOf({ entries, notes }: Content): string {
  const texts = entries.map(({ head, paragraphs, where, link }) =>
    [head, ...paragraphs, where, link].join('\n'),
  );
  return `${[...texts, ...notes.map(({ text, link = '' }) => text + link)].join('\n\n')}\n`;
}

const htmlOf = ({ subject, entries, notes }: Content): Promise<string> =>
  mailPage(
    subject,
    html`${entries.map(
      ({ head, paragraphs, where, link }) =>
        html`<h3>${head}</h3>\n${paragraphs.map((one) => html`<p>${one}</p>\n`)}<p><small>${where}<br><a href="${link}">${link}</a></small></p>\n`,
    )}
${notes.map(({ text, link }) => html`<p>${text}${link === undefined ? '' : html`<a href="${link}">${link}</a>`}</p>\n`)}
`,
  );
