/** Mails to people: an invitation, and a notice of a sign-in. */
import { html } from 'hono/html';
import { printable } from '../protocol/printable.ts';
import { roleOf } from '../protocol/scope.ts';
import { timeInWords } from '../protocol/time.ts';
import type { Member } from '../store/api-tokens.ts';
import type { Invitation } from '../store/invitations.ts';
import { automaticHeaders, type Mail } from './mail.ts';
import { mailPage } from './mail-style.ts';

/** In characters, of what others chose. */
const MAX_NAME = 100;

/** The mail that invites a person; its link works once. */
export function invitationMail(
  { id, mail, scope, by, until }: Pick<Invitation, 'id' | 'mail' | 'scope' | 'by' | 'until'>,
  { organization, link }: { readonly organization: string; readonly link: string },
): Promise<Mail> {
  const name = printable(organization, MAX_NAME);
  const who = by === null ? 'The operator of the service' : printable(by.name, MAX_NAME);
  return personMail(mail, id, {
    subject: `Invitation to ${name}`,
    paragraphs: [
      `${who} invites you as ${roleOf(scope)} to ${name}, which monitors the email security of its domains.`,
      `The link works once, until ${timeInWords(until)}, for the person who signs in with the address ${mail}.`,
    ],
    link,
    note: 'If you do not know what this is about, ignore this mail.',
  });
}

/** The mail that tells a person of a sign-in with a browser that was not used before. */
export function signInMail(
  { id, name }: Pick<Member, 'id' | 'name'>,
  given: {
    readonly userAgent: string;
    readonly clientAddress: string;
    readonly hostUrl: string;
    readonly now: Date;
  },
): Promise<Mail> {
  const browser = printable(given.userAgent, MAX_NAME);
  return personMail(name, id, {
    subject: 'Sign-in with a new browser',
    paragraphs: [
      `Somebody signed in to the console as ${name} with a browser that was not used before.`,
      `When: ${timeInWords(given.now.toISOString())}. From: ${given.clientAddress}. Browser: ${browser === '' ? 'unknown' : browser}.`,
      'If this was you, there is nothing to do. If not, end the session in the settings, and secure your account at the identity provider.',
    ],
    link: `${given.hostUrl}/console/settings`,
    note: 'You can turn these mails off in the settings.',
  });
}

interface Letter {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly link: string;
  readonly note: string;
}

/** @param id Identifies the mail. */
async function personMail(
  to: string,
  id: string,
  { subject, paragraphs, link, note }: Letter,
): Promise<Mail> {
  const page = await mailPage(
    subject,
    html`${paragraphs.map((one) => html`<p>${one}</p>\n`)}<p><a href="${link}">${link}</a></p>
<p><small>${note}</small></p>
`,
  );
  const text = `${[...paragraphs, link, note].join('\n\n')}\n`;
  return { to, subject, text, html: page, headers: automaticHeaders({ id }) };
}
