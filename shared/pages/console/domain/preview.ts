/** What a recommended change would do, from a check run with the change laid over DNS. */
import { checkTitles, findingsOf } from '../../../checks/checks.ts';
import type { CheckResults } from '../../../checks/results.ts';
import { checkNames } from '../../../checks/state.ts';
import type { Change } from '../../../fixes/plan.ts';
import { describeFor } from '../../../protocol/findings/catalogue.ts';
import { type DescribedFinding, type FindingAudience, isSame } from '../../../protocol/findings/finding.ts';
import { code, stateMark } from '../../check-results/text.ts';
import { findingList } from '../../components/findings.ts';
import { html, type Markup, timeElement } from '../../markup.ts';
import { inTurn } from '../../room.ts';
import { domainFrame, domainPath, type ShownDomain } from './frame.ts';

interface PreviewView {
  readonly owner: FindingAudience;
  readonly change: Change;
  /** ISO 8601. */
  readonly checkedAt: string;
  readonly before: CheckResults;
  readonly after: CheckResults;
  /** The scores of both. */
  readonly scores: { readonly before: number | null; readonly after: number | null };
}

export function previewPage(domain: ShownDomain, view: PreviewView, room: number): Markup {
  const { owner, change, checkedAt, before, after, scores } = view;
  const [then, now] = [describedFindings(before, owner), describedFindings(after, owner)];
  const resolved = then.filter((found) => !now.some((other) => isSame(found, other)));
  const introduced = now.filter((found) => !then.some((other) => isSame(found, other)));
  const changed = checkNames.filter((name) => before[name].state !== after[name].state);
  return domainFrame(
    domain,
    '',
    html`<section class="verdict ${introduced.some(({ severity }) => severity === 'error') ? 'warn' : ''}" aria-labelledby="effect"><h2 id="effect" class="word">Score ${scores.before ?? 'unknown'} → ${scores.after ?? 'unknown'}</h2>
<p>All checks ran ${timeElement(checkedAt)}, as if this change were published. Nothing was changed or stored.</p></section>
<section aria-labelledby="change"><h2 id="change">The change</h2>
<h3>${change.type} ${code(change.name)}</h3>
${change.after.length === 0 ? html`<p>No records.</p>` : html`<div class="record">${change.after.map((text) => html`<div>${code(text, 4000)}</div>`)}</div>`}</section>
${changed.length === 0 ? '' : html`<section aria-labelledby="states"><h2 id="states">Checks</h2><ul>${changed.map((name) => html`<li>${checkTitles[name]}: ${stateMark(before[name].state)} → ${stateMark(after[name].state)}</li>`)}</ul></section>`}
${inTurn(room, [
  (left) => findings('resolved', 'What it resolves', 'Nothing.', resolved, left),
  (left) => findings('introduced', 'What it introduces', 'No new findings.', introduced, left),
])}
<p><a class="button" href="${domainPath(domain.id)}">Back to the overview</a></p>`,
  );
}

function describedFindings(results: CheckResults, owner: FindingAudience): readonly DescribedFinding[] {
  return checkNames.flatMap((name) => findingsOf(name, results)).map(describeFor(owner));
}

function findings(
  id: string,
  title: string,
  none: string,
  found: readonly DescribedFinding[],
  room: number,
): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${found.length === 0 ? html`<p>${none}</p>` : findingList(found, room)}</section>`;
}
