/** The findings of a record and how to fix them, most severe first. */

import { type DescribedFinding, describe, type Severity } from '../../protocol/findings/finding.ts';
import { spfRules } from '../../protocol/findings/spf.ts';
import { pluralize } from '../../protocol/quantity.ts';
import type { Expansion } from '../../protocol/spf/expansion.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { first, inTurn } from '../room.ts';

const names: Readonly<Record<Severity, string>> = { error: 'Error', warning: 'Warning', notice: 'Note' };

export function findings({ findings: found, status, domain }: Expansion, room: number): Markup {
  const all = found.map((finding) => describe(finding, spfRules, { domain }));
  const of = (severity: Severity) => all.filter((finding) => finding.severity === severity);
  const [errors, warnings, notes] = [of('error'), of('warning'), of('notice')];
  const grave = [...errors, ...warnings];
  if (all.length === 0 && status !== 'valid') return html``;
  return html`<section aria-labelledby="fix">
<h2 id="fix">${grave.length > 0 ? 'What to fix' : status === 'valid' ? 'Nothing to fix' : 'Findings'}</h2>
${grave.length > 0 ? html`<p class="soft">${tally(errors, warnings)}</p>` : ''}
${inTurn(room, [
  (left) => findingList(grave, left),
  (left) => (status === 'unknown' ? findingList(notes, left) : folded(notes, left)),
])}
</section>`;
}

function tally(errors: readonly DescribedFinding[], warnings: readonly DescribedFinding[]): string {
  return [
    ...(errors.length > 0 ? [pluralize(errors.length, 'error')] : []),
    ...(warnings.length > 0 ? [pluralize(warnings.length, 'warning')] : []),
  ].join(', ');
}

function folded(notes: readonly DescribedFinding[], room: number): Markup {
  if (notes.length === 0) return html``;
  return html`<details class="fold"><summary>${pluralize(notes.length, 'note')}</summary>${findingList(notes, room)}</details>`;
}

/** Findings with how to fix them and what they are based on, as many as fit. */
export function findingList(all: readonly DescribedFinding[], room: number): Markup {
  if (all.length === 0) return html``;
  return html`<ul class="findings">${first(
    all,
    room,
    ({ severity, message, fix, cites }) => html`<li class="${severity}">
<p><strong>${names[severity]}:</strong> ${visibleStart(message, 600)}</p>
<p class="fix">${visibleStart(fix, 600)} <span class="cite">${citation(cites)}</span></p>
</li>`,
  )}</ul>`;
}

/** A link to the cited RFC section. */
function citation(cites: string): Markup {
  const [, rfc, section] = /^RFC (\d+) sections? ([\d.]*\d)/.exec(cites) ?? [];
  if (rfc === undefined) return untrustedText(cites);
  return html`<a rel="external noreferrer" href="https://www.rfc-editor.org/rfc/rfc${rfc}#section-${section}">${cites}</a>`;
}
