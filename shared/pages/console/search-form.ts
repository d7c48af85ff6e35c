/** The field that searches the console, on each of its pages, and the keys that work there. */
import { html, type Markup } from '../markup.ts';

export const SEARCH_PATH = '/console/search';

/** @param text What was searched for. */
export const searchForm = (text = ''): Markup =>
  html`<form role="search" aria-label="Console" method="get" action="${SEARCH_PATH}" class="find"><label class="hush" for="find">Search</label><input id="find" class="find-text" type="search" name="q" value="${text}" maxlength="1000" placeholder="Search" autocomplete="off" autocapitalize="none" spellcheck="false"><button class="small" data-busy="Searching…">Search</button></form>`;

/** What a key does, in words. */
type Key = readonly [keys: string, does: string];

/** Hidden until the script runs, because it needs that. @param places What `g` and another key lead to. */
export function keyHelp(places: readonly Key[]): Markup {
  const keys: readonly Key[] = [
    ['/', 'Search'],
    ['j', 'Next row or card'],
    ['k', 'Previous row or card'],
    ['Enter', 'Open it'],
    ...places.map(([key, name]): Key => [`g ${key}`, `Go to ${name}`]),
    ['?', 'Show these keys'],
  ];
  return html`<p class="actions"><button type="button" class="small" data-keys hidden>Keys</button></p>
<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
<dl class="fields">${keys.map(([key, does]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${does}</dd></div>`)}</dl>
<p class="actions"><button type="button" class="small" data-keys-switch>Turn the keys off</button><button type="button" class="small" data-keys-close>Close</button></p></dialog>`;
}
