/** The history of the checks of a domain as a diff: the records and findings of each check run that differed. */

import type { ShownChange } from '../../../alerts/shown-change.ts';
import { checkTitles } from '../../../checks/checks.ts';
import { catalogue, describeFor, saysHowItEnded } from '../../../protocol/findings/catalogue.ts';
import { endOf, type Finding, type FindingAudience } from '../../../protocol/findings/finding.ts';
import { pluralize } from '../../../protocol/quantity.ts';
import type { HistoryView } from '../../../views/domain/history.ts';
import { code, stateMark } from '../../check-results/text.ts';
import { eventTime, html, type Markup, visibleStart } from '../../markup.ts';
import { pager } from '../../pager.ts';
import { fitting, inTurn } from '../../room.ts';
import { domainFrame, domainPath, nothingYet, type ShownDomain } from './frame.ts';
import { standingPath } from './standing.ts';

export function historyPage(domain: ShownDomain, view: HistoryView, room: number): Markup {
  const { entries, page, hasMore, until } = view;
  const owner = { domain: domain.domain };
  const to = (n: number) =>
    `${domainPath(domain.id, 'history')}?${new URLSearchParams({ ...(until !== undefined && { until }), page: String(n) })}`;
  if (entries.length === 0) {
    const none = nothingYet(
      page === 1 ? 'No changes yet' : 'No earlier changes',
      html`Every check run that differs from the one before it appears here. <a href="${domainPath(domain.id)}">Go to the overview</a> to run the checks.`,
    );
    return domainFrame(domain, 'history', none);
  }
  return domainFrame(
    domain,
    'history',
    html`<section aria-labelledby="changes"><h2 id="changes">What changed</h2>
${until === undefined ? '' : html`<p class="soft">Up to ${eventTime(until)}. <a href="${domainPath(domain.id, 'history')}">Show the newest changes</a></p>`}
<ol class="history">${inTurn(
      room,
      entries.map(
        ({ at, changes }, index) =>
          (left: number) =>
            html`<li id="${at}"><h3>${eventTime(at)}</h3>
<p><a href="${standingPath(domain.id, at)}">How the domain stood then<span class="hush">, ${eventTime(at)}</span></a></p>
${!hasMore && index === entries.length - 1 ? html`<p class="soft">The first check run in this history.</p>` : ''}
${inTurn(
  left,
  changes.map((change) => (part: number) => changeDiff(change, owner, part, true)),
)}</li>`,
      ),
    )}</ol></section>
${pager({ page, hasMore, names: ['Newer', 'Older'], to })}`,
  );
}

/** The address of the history that begins with the change at a time (ISO 8601), however old it is. */
export const changePath = (id: string, at: string): string =>
  `${domainPath(id, 'history')}?${new URLSearchParams({ until: at })}#${at}`;

/** The change of one check. @param isBelowList Whether its heading is below one that is itself below that of the section. */
export function changeDiff(
  change: ShownChange,
  owner: FindingAudience,
  room: number,
  isBelowList = false,
): Markup {
  const { check, previousState, newState, recordsAdded, recordsRemoved, findingsAdded, findingsRemoved } =
    change;
  const describe = describeFor(owner);
  const message = (found: Finding) => visibleStart(describe(found).message, 600);
  const states = previousState === newState ? '' : html`${stateMark(previousState)} → `;
  const { shown, omitted } = fitting(
    [
      ...recordsRemoved.map((record) => () => line('removed', 'Record removed', code(record))),
      ...recordsAdded.map((record) => () => line('added', 'Record added', code(record))),
      ...findingsRemoved.map((found) => () => {
        const end = saysHowItEnded(found) ? endOf(found, catalogue, recordsAdded) : undefined;
        return end === undefined
          ? line('resolved', 'Resolved', message(found))
          : line('resolved', 'No longer a problem', visibleStart(end, 600));
      }),
      ...findingsAdded.map((found) => () => line('found', `New ${found.severity}`, message(found))),
    ],
    room,
    (one) => one(),
  );
  const left = omitted + change.omitted;
  const title = html`${checkTitles[check]} <span class="soft">${states}${stateMark(newState)}</span>`;
  return html`<div class="change">${isBelowList ? html`<h4>${title}</h4>` : html`<h3>${title}</h3>`}
<ul class="diff">${shown}</ul>
${left > 0 ? html`<p class="note">${pluralize(left, 'more change')}, available through the API.</p>` : ''}</div>`;
}

const signs = { removed: '−', added: '+', resolved: '✓', found: '!' } as const;

function line(kind: keyof typeof signs, name: string, content: Markup): Markup {
  return html`<li class="${kind}"><span class="q" aria-hidden="true">${signs[kind]}</span><span><span class="hush">${name}: </span>${content}</span></li>`;
}
