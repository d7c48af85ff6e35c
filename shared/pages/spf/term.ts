/** How one term looks: by its qualifier, in colour and in sign. */
import type { ExpandedTerm } from '../../protocol/spf/tree.ts';
import { html, type Markup } from '../markup.ts';

/** The class that gives a term its colour and its underline. */
export function looksOf({ kind, result, ignored }: ExpandedTerm): string {
  const look = kind === 'invalid' ? 'broken' : (result ?? 'modifier');
  return ignored === undefined ? look : `${look} ignored`;
}

/** The qualifier as a badge, its meaning for those who do not see it. */
export function badge({ kind, qualifier, result }: ExpandedTerm): Markup {
  if (kind === 'invalid') return html`<b class="q broken" title="cannot be read">✕</b>`;
  if (qualifier === null || result === null) return html`<b class="q modifier" title="modifier">=</b>`;
  return html`<b class="q ${result}" title="${result}"><span aria-hidden="true">${qualifier === '-' ? '−' : qualifier}</span><span class="hush">${result}: </span></b>`;
}
