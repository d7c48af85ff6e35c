/** The include tree: every record with its terms, and the DNS lookups of each branch. */

import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import type { ExpandedTerm, Expansion, ResolvedRecord } from '../../protocol/spf/expansion.ts';
import { records, rootOf, termsOf } from '../../protocol/spf/tree.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { first } from '../room.ts';
import { badge, classesOf } from './term.ts';

/** A tree with more records than this shows only its first level at first. */
const MAX_OPEN = 15;

/** How many addresses of one term the tree shows; the list of addresses has all of them. */
const MAX_MATCHES = 6;

type Branch = ReturnType<typeof termsOf>[number];

export function tree(expansion: Expansion, room: number): Markup {
  const root = rootOf(expansion);
  if (root.terms.length === 0) return html``;
  const size = [...records(root)].length;
  return html`<section aria-labelledby="tree">
<h2 id="tree">Include tree</h2>
<p class="soft">${pluralize(size, 'record')}, ${pluralize(root.totalLookups, 'lookup')}. Each branch shows the lookups of its whole subtree.</p>
<div class="tree">${terms(root, { open: size <= MAX_OPEN, room, depth: 0 })}</div>
</section>`;
}

/** Display options for the branches at one level of the tree. */
interface Place {
  readonly open: boolean;
  /** For the branches of a record, in bytes. */
  readonly room: number;
  readonly depth: number;
}

function terms(node: ResolvedRecord, place: Place): Markup {
  const branches = termsOf(node);
  if (branches.length === 0) return html``;
  return html`<ul>${first(inRuns(branches), place.room, (run, room) => {
    const [only] = run;
    if (only?.child !== undefined)
      return html`<li>${branch(node, only.term, only.child, { ...place, room })}</li>`;
    return html`<li>${run.length > 1 ? networks(run) : only && leaf(node, only.term)}</li>`;
  })}</ul>`;
}

/** Groups adjacent ip4 and ip6 terms with the same result into one entry. */
function inRuns(branches: readonly Branch[]): Branch[][] {
  const runs: Branch[][] = [];
  for (const branch of branches) {
    const last = runs.at(-1);
    if (last?.[0] && isPlainNetwork(last[0]) && isPlainNetwork(branch) && sameClasses(last[0], branch))
      last.push(branch);
    else runs.push([branch]);
  }
  return runs;
}

function isPlainNetwork({ term: { kind } }: Branch): boolean {
  return kind === 'ip4' || kind === 'ip6';
}

function sameClasses(one: Branch, other: Branch): boolean {
  return classesOf(one.term) === classesOf(other.term);
}

function networks(run: readonly Branch[]): Markup {
  const shown = run.slice(0, 2 * MAX_MATCHES);
  const [one] = run;
  return html`<div class="line">${one && badge(one.term)}<span class="what nets">${shown.map(
    ({ term }) => html`<code class="t ${classesOf(term)}">${visibleStart(term.text, 80)}</code> `,
  )}${run.length > shown.length ? html`<span class="note">and ${formatNumber(run.length - shown.length)} more</span>` : ''}</span></div>`;
}

function leaf(node: ResolvedRecord, term: ExpandedTerm): Markup {
  const { matches, kind } = term;
  const shown = kind === 'ip4' || kind === 'ip6' ? [] : matches.slice(0, MAX_MATCHES);
  const rest = shown.length === 0 ? 0 : matches.length - shown.length;
  return html`<div class="line">${badge(term)}<span class="what"><code class="t ${classesOf(term)}">${visibleStart(term.text)}</code>${tags(node, term)}${
    shown.length === 0
      ? ''
      : html` <span class="note">→ ${shown.join(', ')}${rest > 0 ? ` and ${formatNumber(rest)} more` : ''}</span>`
  }</span>${cost(term.totalLookups)}</div>`;
}

function branch(
  node: ResolvedRecord,
  term: ExpandedTerm,
  child: ResolvedRecord,
  { open, room, depth }: Place,
): Markup {
  const head = html`${badge(term)}<span class="what"><code class="t ${classesOf(term)}">${visibleStart(term.text)}</code>${tags(node, term, child)}${
    child.domain === term.value?.toLowerCase()
      ? ''
      : html` <span class="note">→ ${untrustedText(child.domain)}</span>`
  }</span>${cost(term.totalLookups)}`;
  // The branches that follow get the other half.
  const below = terms(child, { open, room: room / 2, depth: depth + 1 });
  if (child.terms.length === 0) return html`<div class="line">${head}</div>`;
  return html`<details${open || depth === 0 ? html` open` : ''}><summary class="line">${head}</summary>${below}</details>`;
}

function cost(lookups: number): Markup {
  return lookups === 0 ? html`` : html`<span class="n">${pluralize(lookups, 'lookup')}</span>`;
}

const problems: Readonly<Record<NonNullable<ResolvedRecord['problem']>, string>> = {
  'no-record': 'no SPF record',
  'multiple-records': 'multiple SPF records',
  syntax: 'syntax error',
  loop: 'loop',
  cut: 'not expanded',
};

/** Labels for the problems and special cases of a term. */
function tags(node: ResolvedRecord, term: ExpandedTerm, child?: ResolvedRecord): Markup {
  const bad = [
    ...(child?.problem === undefined ? [] : [problems[child.problem]]),
    ...(term.fault === undefined ? [] : ['syntax error']),
    ...(term.tooManyNames === undefined ? [] : [`${term.tooManyNames} MX names`]),
    ...(term.state === 'absent' && child === undefined ? ['void lookup'] : []),
  ];
  const open = [
    ...(term.state === 'unavailable' || term.unavailable !== undefined ? ['lookup failed'] : []),
    ...(term.dependsOnMessage ? ['depends on the message'] : []),
    ...(term.ignored === undefined
      ? []
      : [term.ignored === 'after-all' ? 'ignored: after “all”' : 'ignored: record has “all”']),
  ];
  return html`${term.provider === undefined || term.provider === node.provider ? '' : html` <span class="tag">${term.provider}</span>`}${bad.map(
    (text) => html` <span class="tag bad">${text}</span>`,
  )}${open.map((text) => html` <span class="tag open">${text}</span>`)}`;
}
