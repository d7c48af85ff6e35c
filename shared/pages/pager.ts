/** The links of a list that has pages. */
import { html, type Markup } from './markup.ts';

interface Pager {
  readonly page: number;
  readonly hasMore: boolean;
  /** The address of a page. */
  readonly to: (page: number) => string;
  /** What the links to the pages before and after this one are called. */
  readonly names: readonly [before: string, after: string];
  /** What the pages are of, such as `of alerts`. */
  readonly of?: string;
  readonly isSmall?: boolean;
}

/** Empty if there is only one page. */
export function pager({ page, hasMore, to, names, of, isSmall = false }: Pager): Markup {
  if (page === 1 && !hasMore) return html``;
  const style = isSmall ? 'button small' : 'button';
  return html`<nav class="actions" aria-label="${of === undefined ? 'Pages' : `Pages ${of}`}">${page > 1 ? html`<a class="${style}" rel="prev" href="${to(page - 1)}">${names[0]}</a>` : ''}${hasMore ? html`<a class="${style}" rel="next" href="${to(page + 1)}">${names[1]}</a>` : ''}</nav>`;
}
