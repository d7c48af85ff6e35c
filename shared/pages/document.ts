/** The HTML frame of every page. */
import { colors } from '../design/tokens.ts';
import { html, type Markup, raw } from './markup.ts';
import { script } from './script.ts';
import { style } from './style.ts';

export interface PageContent {
  readonly title: string;
  /** The text of a link preview; previews show at most 200 characters. */
  readonly description: string;
  /** The canonical URL for sharing. */
  readonly url?: string;
  /** Whether search engines may index the page. Results about a domain are not indexed. */
  readonly indexed?: boolean;
  /** The tool that the page belongs to. */
  readonly site?: 'Domain check' | 'SPF checker' | 'Mail test' | 'API reference' | 'Console';
  /** The address that the name of the tool leads to. */
  readonly home?: string;
  /** What the top of the page has instead of the links to the public tools. */
  readonly nav?: Markup;
  /** The image of link previews. Its text says what it shows. */
  readonly image?: {
    readonly url: string;
    readonly type: string;
    readonly width: number;
    readonly height: number;
    readonly text: string;
  };
  /** Additional elements of `<head>`. */
  readonly head?: Markup;
  /** Styles that only this page needs; its headers must allow them (`pagesWith`). */
  readonly styles?: string;
  /** The same for a script. */
  readonly moreScript?: string;
  readonly main: Markup;
}

/** The public tools, and which of them a page belongs to. */
const tools = [
  ['/', 'Domain', 'Domain check'],
  ['/spf', 'SPF', 'SPF checker'],
  ['/docs', 'API', 'API reference'],
  ['/console', 'Sign in', 'Console'],
] as const;

/** The links at the top of a page that needs no session. @param hasDomainChecker Whether anybody can check any domain. */
export const publicLinks = (site: PageContent['site'], hasDomainChecker = true): Markup =>
  html`<nav aria-label="Service">${tools.filter(([path]) => hasDomainChecker || path !== '/').map(([path, name, its]) => linkTo(path, name, its === site))}</nav>`;

/** A link of the navigation, which marks the place that the page belongs to. @param key What leads there after `g`. */
export const linkTo = (path: string, name: Markup | string, isCurrent: boolean, key?: string): Markup =>
  html`<a href="${path}"${isCurrent ? html` aria-current="page"` : ''}${key === undefined ? '' : html` data-key="${key}"`}>${name}</a>`;

/** A complete, self-contained HTML document. */
export function document({
  title,
  description,
  url,
  indexed = false,
  site = 'Domain check',
  home = '/',
  image,
  nav = publicLinks(site),
  head = html``,
  styles,
  moreScript,
  main,
}: PageContent): string {
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
${indexed ? '' : html`<meta name="robots" content="noindex, nofollow">`}
<meta name="color-scheme" content="light dark">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${site}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${url === undefined ? '' : html`<meta property="og:url" content="${url}">`}
${image === undefined ? '' : preview(image)}
<meta name="twitter:card" content="${image === undefined ? 'summary' : 'summary_large_image'}">
<meta name="twitter:title" content="${title}">
<meta name="twitter:description" content="${description}">
<link rel="icon" href="${ICON}">
${head}${
  styles === undefined
    ? ''
    : html`<style>${raw(styles)}</style>
`
}<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="mark" href="${home}">${mark}${site}</a>
${nav}
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>
<p>Part of a service that checks, scores, and monitors the email security of domains: SPF, DKIM, DMARC, MTA-STS, TLS-RPT, BIMI, DNSSEC, CAA, and DANE. Everything here is also available through the <a href="/docs">API</a>.</p>
</footer>
<p id="said" class="hush" role="status"></p>
<script>${raw(script)}</script>${moreScript === undefined ? '' : html`<script>${raw(moreScript)}</script>`}
</body>
</html>
`}`;
}

const preview = ({
  url,
  type,
  width,
  height,
  text,
}: NonNullable<PageContent['image']>): Markup => html`<meta property="og:image" content="${url}">
<meta property="og:image:type" content="${type}">
<meta property="og:image:width" content="${width}">
<meta property="og:image:height" content="${height}">
<meta property="og:image:alt" content="${text}">`;

const mark = html`<svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true"><path d="M1.5 3.5h13v9h-13z M1.5 4l6.5 5 6.5-5" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round"/></svg>`;

const ICON = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='${encodeURIComponent(colors.pass.light)}'/%3E%3Cpath d='M3 5h10v7H3z M3 5l5 4 5-4' fill='none' stroke='%23fff' stroke-width='1.3' stroke-linejoin='round'/%3E%3C/svg%3E`;
