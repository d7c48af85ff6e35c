/** The frame of the pages of the console: their navigation, what the last form did, and how a session ends. */
import type { Flash } from '../../store/flashes.ts';
import type { UnreadAlerts } from '../../views/today.ts';
import { copyButton } from '../components/actions.ts';
import { document, linkTo } from '../document.ts';
import { keyboard } from '../keyboard.ts';
import { html, type Markup, visibleStart } from '../markup.ts';
import { presented } from '../presentation.ts';
import { readerDays } from '../reader-days.ts';
import { domainStyle, workplaceStyle } from '../style.ts';
import { problemLinks } from './form-fields.ts';
import { keyHelp, searchForm } from './search-form.ts';

/** In bytes, for what a page shows. With its frame, such as styles, it stays under 95 kB. */
export const CONSOLE_ROOM = 56_000;

/** Who looks at a page of a session. */
export interface Visit {
  /** What the forms of the session contain. */
  readonly formToken: string;
  /** What a form did that led to the page. */
  readonly flash?: Flash | undefined;
}

/** The same where those who may write see forms. */
export interface Visitor extends Visit {
  readonly canWrite: boolean;
}

interface ConsolePage extends Pick<Visit, 'flash'> {
  /** Undefined before signing in. */
  readonly formToken: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly main: Markup;
  /** Additional elements of `<head>`. */
  readonly head?: Markup;
  /** The address of the page in the navigation that it belongs to. */
  readonly current?: string;
  /** Whether it has a list by day. */
  readonly isByDay?: boolean;
  /** What was searched for. */
  readonly searched?: string;
  /** Unread alerts, on the pages that read them: how many, or that there are more than that. */
  readonly unread?: UnreadAlerts;
}

/** With the key that leads there after `g`. */
export const places = [
  ['/console', 'Today', 't'],
  ['/console/domains', 'Domains', 'd'],
  ['/console/senders', 'Senders', 's'],
  ['/console/changes', 'Changes', 'c'],
  ['/console/alerts', 'Alerts', 'a'],
  ['/console/mailboxes', 'Mailboxes', 'm'],
  ['/console/settings', 'Settings', 'e'],
  ['/docs', 'API', 'i'],
] as const;

/** The navigation of the console. @param more What follows the links. */
function placeLinks(
  current: string | undefined,
  unread: UnreadAlerts | undefined,
  more: Markup | string = '',
): Markup {
  const count = unread === undefined || unread.count === 0 ? undefined : unread;
  const links = places.map(([path, name, key]) => {
    const said = path === '/console/alerts' && count !== undefined ? html`${name} ${countOf(count)}` : name;
    return linkTo(path, said, path === current, key);
  });
  return html`<nav aria-label="Console" class="console">${links}${more}</nav>`;
}

const countOf = (unread: UnreadAlerts): Markup =>
  html`<span class="n">(${inMenu(unread)}<span class="hush"> unread</span>)</span>`;

/** The script of pages with a list by day. */
const byDayScript = `${keyboard}${readerDays}`;

/** How the pages of the console and their errors are written. */
export const consolePages = presented(
  [domainStyle, workplaceStyle],
  {
    ...{ site: 'Console', home: '/console', action: 'Go to Today' },
    ...{ nav: placeLinks(undefined, undefined), styles: domainStyle },
    forbidden: { path: '/console/sign-in', action: 'Sign in with another token' },
  },
  [keyboard, byDayScript],
);

const keys = keyHelp(places.map(([, name, key]) => [key, name]));

/** A page of the console. */
export function consoleDocument({
  formToken,
  flash,
  current,
  main,
  title,
  searched,
  isByDay = false,
  unread,
  ...page
}: ConsolePage): string {
  const nav =
    formToken === undefined
      ? undefined
      : placeLinks(
          current,
          unread,
          html`
${searchForm(searched)}
<form method="post" action="/console/sign-out">${formTokenField(formToken)}<button class="small" data-busy="Signing out…">Sign out</button></form>`,
        );
  const isShown = flash !== undefined && flash.says !== '';
  return document({
    ...page,
    title: `${isShown && flash.kind === 'refused' ? 'Error: ' : ''}${title} – Console`,
    site: 'Console',
    home: '/console',
    styles: formToken === undefined ? domainStyle : workplaceStyle,
    ...(formToken !== undefined && { moreScript: isByDay ? byDayScript : keyboard }),
    ...(nav !== undefined && { nav }),
    main: html`${isShown ? flashSection(flash) : ''}${main}${formToken === undefined ? '' : keys}`,
  });
}

/** A digit says as much as a person needs to know. */
const MOST_IN_MENU = 9;

const inMenu = ({ count, hasMore }: UnreadAlerts): string =>
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
