/** The frame of the pages of the console: their navigation, what the last form did, and how a session ends. */
import type { Flash } from '../../store/flashes.ts';
import { copyButton } from '../components/actions.ts';
import { document } from '../document.ts';
import { html, type Markup, visibleStart } from '../markup.ts';
import { presented } from '../presentation.ts';
import { domainStyle, workplaceStyle } from '../style.ts';
import { problemLinks } from './form-fields.ts';

/** How the pages of the console and their errors are written. */
export const consolePages = presented([domainStyle, workplaceStyle], {
  ...{ site: 'Console', home: '/console', action: 'Go to Today' },
  forbidden: { path: '/console/sign-in', action: 'Sign in with another token' },
});

/** In bytes, for what a page shows. With its frame, such as styles, it stays under 95 kB. */
export const CONSOLE_ROOM = 70_000;

/** Who looks at a page. */
export interface Visit {
  /** What the forms of the session contain; undefined before signing in. */
  readonly formToken: string | undefined;
  /** What a form did that led to the page. */
  readonly flash?: Flash | undefined;
}

interface ConsolePage extends Visit {
  readonly title: string;
  readonly description: string;
  readonly main: Markup;
  /** The address of the page in the navigation that it belongs to. */
  readonly current?: string;
  /** Whether the page is about all domains: a wide one, with styles of its own. */
  readonly isAboutAll?: boolean;
  /** Unread alerts, on the pages that read them: how many, or that there are more than that. */
  readonly unread?: { readonly count: number; readonly hasMore: boolean };
}

const places = [
  ['/console', 'Today'],
  ['/console/domains', 'Domains'],
  ['/console/senders', 'Senders'],
  ['/console/changes', 'Changes'],
  ['/console/alerts', 'Alerts'],
  ['/console/settings', 'Settings'],
] as const;

/** A page of the console. */
export function consoleDocument({
  formToken,
  flash,
  current,
  main,
  title,
  unread,
  isAboutAll = false,
  ...page
}: ConsolePage): string {
  const links = places.map(
    ([path, name]) =>
      html`<a href="${path}"${path === current ? html` aria-current="page"` : ''}>${name}${path === '/console/alerts' && unread !== undefined && unread.count > 0 ? html` <span class="n">(${inMenu(unread)}<span class="hush"> unread</span>)</span>` : ''}</a>`,
  );
  const nav =
    formToken === undefined
      ? html`<nav aria-label="Service"><a href="/docs">API</a></nav>`
      : html`<nav aria-label="Console" class="console">${links}
<form method="post" action="/console/sign-out">${formTokenField(formToken)}<button class="small" data-busy="Signing out…">Sign out</button></form></nav>`;
  const isShown = flash !== undefined && flash.says !== '';
  return document({
    ...page,
    title: `${isShown && flash.kind === 'refused' ? 'Error: ' : ''}${title} – Console`,
    site: 'Console',
    home: '/console',
    styles: isAboutAll ? workplaceStyle : domainStyle,
    nav,
    main: isShown ? html`${flashSection(flash)}${main}` : main,
  });
}

/** A digit says as much as a person needs to know. */
const MOST_IN_MENU = 9;

const inMenu = ({ count, hasMore }: NonNullable<ConsolePage['unread']>): string =>
  hasMore || count > MOST_IN_MENU ? `${Math.min(count, MOST_IN_MENU)}+` : String(count);

/** What the last form did, or why it did nothing, where the reader is: it has the focus. */
function flashSection(flash: Flash): Markup {
  const { kind, says, secret, problems } = flash;
  const role = kind === 'refused' ? 'alert' : 'status';
  const sentence = html`<p><strong>${visibleStart(says, 400)}</strong></p>`;
  const list = problemLinks(flash);
  return html`<section class="notice told" id="told" role="${role}" tabindex="-1" autofocus>${sentence}
${problems.length === 0 ? '' : html`<ul>${list.map((one) => html`<li>${one}</li>`)}</ul>`}${
  secret === undefined
    ? ''
    : html`<p>Copy it now: it is not shown again.</p><div class="record" id="secret"><code>${secret}</code></div><div class="actions">${copyButton('secret', 'secret')}</div>`
}</section>`;
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
