/** The style of a term: a color and a sign that depend on its qualifier. */
import type { ExpandedTerm } from '../../protocol/spf/expansion.ts';
import { html, type Markup } from '../markup.ts';

/** The CSS class of a term, for its color and underline. */
export function classesOf({ kind, result, ignored }: ExpandedTerm): string {
  const look = kind === 'invalid' ? 'broken' : (result ?? 'modifier');
  return ignored === undefined ? look : `${look} ignored`;
}

/** The qualifier as a badge, with a text alternative for screen readers. */
export function badge({ kind, qualifier, result }: ExpandedTerm): Markup {
  if (kind === 'invalid') return html`<b class="q broken" title="syntax error">✕</b>`;
  if (qualifier === null || result === null) return html`<b class="q modifier" title="modifier">=</b>`;
  return html`<b class="q ${result}" title="${result}"><span aria-hidden="true">${qualifier === '-' ? '−' : qualifier}</span><span class="hush">${result}: </span></b>`;
}
