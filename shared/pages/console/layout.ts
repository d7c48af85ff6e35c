/** The frame of the pages of the console: their navigation, and how a session ends. */
import { document } from '../document.ts';
import { html, type Markup } from '../markup.ts';
import { presented } from '../presentation.ts';
import { domainStyle } from '../style.ts';

/** How the pages of the console and their errors are written. */
export const consolePages = presented([domainStyle], {
  ...{ site: 'Console', home: '/console', action: 'Go to your domains' },
  forbidden: { path: '/console/sign-in', action: 'Sign in with another token' },
});

/** In bytes, for what a page shows. With its frame, such as styles, it stays under 95 kB. */
export const CONSOLE_ROOM = 70_000;

interface ConsolePage {
  readonly title: string;
  readonly description: string;
  readonly main: Markup;
  /** What the forms of the session contain; undefined before signing in. */
  readonly formToken: string | undefined;
}

/** A page of the console. */
export function consoleDocument({ formToken, ...page }: ConsolePage): string {
  const nav =
    formToken === undefined
      ? html`<nav aria-label="Service"><a href="/docs">API</a></nav>`
      : html`<nav aria-label="Console" class="console"><a href="/console">Domains</a><a href="/console/senders">Senders</a><a href="/console/alerts">Alerts</a><a href="/console/mailboxes">Mailboxes</a><a href="/console/settings">Settings</a><a href="/docs">API</a>
<form method="post" action="/console/sign-out">${formTokenField(formToken)}<button class="small" data-busy="Signing out…">Sign out</button></form></nav>`;
  return document({ ...page, site: 'Console', home: '/console', styles: domainStyle, nav });
}

/** What a visitor whose token can only read needs to know. */
export function readOnlyNote(canWrite: boolean): Markup {
  return canWrite
    ? html``
    : html`<p class="soft">You signed in with a read-only token, so you can see everything here and change nothing. To change something, sign in with a token that has the scope <code>write</code>.</p>`;
}

/** The field that every form of a session contains, except those that only read. */
export function formTokenField(formToken: string): Markup {
  return html`<input type="hidden" name="formToken" value="${formToken}">`;
}
