/** Renders answers and errors as HTML pages. */
import { type ErrorBody, type ErrorCode, errorTable } from '../api/error-table.ts';
import { pluralize } from '../protocol/quantity.ts';
import type { AfterError, Presentation } from '../runtime/http/presentation.ts';
import { document, type PageContent } from './document.ts';
import { pageHeaders } from './headers.ts';
import { html, type Markup } from './markup.ts';

/** Pages that have styles of their own; see `PageContent.styles`. */
export const pagesWith = (...styles: readonly string[]): Presentation =>
  presented(styles, { site: 'Domain check', home: '/', action: 'Check a domain' });

/** The same for another tool. @param scripts The scripts that its pages have in addition to that of every page. */
export function presented(
  styles: readonly string[],
  tool: Tool,
  scripts: readonly string[] = [],
): Presentation {
  const headers = pageHeaders(styles, scripts);
  return {
    answer: ({ data, content }) =>
      content === undefined
        ? { headers, body: String(data) }
        : { headers: { 'content-type': content.contentType }, body: content.body },
    error: (body, status, after) => ({ headers, body: errorPage(body, status, tool, after) }),
  };
}

/** The tool that a page of errors belongs to, and where it leads. */
interface Tool {
  readonly site: NonNullable<PageContent['site']>;
  readonly home: string;
  readonly action: string;
  /** The navigation of its pages, and the styles that this needs; by default that of the public tools. */
  readonly nav?: Markup;
  readonly styles?: string;
  /** What to do where something is not allowed. */
  readonly forbidden?: { readonly path: string; readonly action: string };
}

export const pages = pagesWith();

const titles: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'Page not found',
  rate_limited: 'Too many requests',
  invalid_request: 'Invalid request',
  forbidden: 'Not allowed',
  payload_too_large: 'Too large',
};

/** People know the fields of a page, but not the part of the request that has them. */
function saidOf({ message, details: [first] = [] }: ErrorBody['error']): string {
  if (first === undefined) return message;
  return `${first.path.replace(/^(?:query|form|headers)\./, '')}: ${first.message}`;
}

function errorPage(
  { error, requestId }: ErrorBody,
  status: number,
  { action, forbidden, ...tool }: Tool,
  { retryAfter, again }: AfterError = {},
): string {
  const title = titles[error.code] ?? 'Something went wrong';
  // The title of a page that does not exist says all that its general message would.
  const isSaid = error.code === 'not_found' && error.message === errorTable.not_found.message;
  return document({
    title: `${title} (${status})`,
    description: errorTable[error.code].message,
    ...tool,
    main: html`<section class="lone">
<p class="eyebrow">Error ${status}</p>
<h1>${title}</h1>
${isSaid ? '' : html`<p class="lead">${saidOf(error)}</p>`}
${retryAfter === undefined ? '' : html`<p>You can try again in <strong>${pluralize(Number(retryAfter), 'second')}</strong>.</p>`}
<p class="actions">${retryAfter === undefined || again === undefined ? '' : html`<a class="button" href="${again}">${again === '' ? 'Load this page again' : 'Back to the page'}</a>`}<a class="button" href="${tool.home}">${action}</a></p>
${error.code === 'forbidden' && forbidden !== undefined ? html`<p><a href="${forbidden.path}">${forbidden.action}</a></p>` : ''}
<p class="soft">Request ID: <code>${requestId}</code></p>
</section>`,
  });
}
