/** Answers and errors as pages for people. */
import { type ErrorBody, type ErrorCode, errorTable } from '../runtime/errors.ts';
import type { Presentation } from '../runtime/presentation.ts';
import { document } from './document.ts';
import { pageHeaders } from './headers.ts';
import { html } from './markup.ts';

export const pages: Presentation = {
  answer: ({ data }) => ({ headers: pageHeaders, body: String(data) }),
  error: (body, status) => ({ headers: pageHeaders, body: errorPage(body, status) }),
};

const titles: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'There is nothing here',
  rate_limited: 'One moment, please',
  invalid_request: 'That did not work',
  payload_too_large: 'That is too large',
};

function errorPage({ error, requestId }: ErrorBody, status: number): string {
  const title = titles[error.code] ?? 'Something went wrong';
  return document({
    title: `${title} (${status})`,
    description: errorTable[error.code].message,
    main: html`<section class="lone">
<p class="eyebrow">Error ${status}</p>
<h1>${title}</h1>
<p class="lead">${error.message}</p>
<p><a class="button" href="/">Check a domain</a></p>
<p class="soft">Request <code>${requestId}</code></p>
</section>`,
  });
}
