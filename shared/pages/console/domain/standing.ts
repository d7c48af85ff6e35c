/** How a domain stood at a time: its grade, its checks and what was to be fixed then. */
import type { StandingView } from '../../../views/domain/standing.ts';
import { fixNext } from '../../check-results/changes.ts';
import { gradeSection } from '../../check-results/grade.ts';
import { checkSections } from '../../check-results/sections.ts';
import { eventTime, html, type Markup } from '../../markup.ts';
import { inTurn } from '../../room.ts';
import { domainFrame, domainPath, nothingYet, type ShownDomain } from './frame.ts';

export function standingPage(
  domain: ShownDomain,
  { owner, at, checked }: StandingView,
  room: number,
): Markup {
  const today = html`<a href="${domainPath(domain.id)}">Show today</a>`;
  if (checked === undefined) {
    const none = nothingYet(
      'Nothing is kept of that time',
      html`No check run had changed anything yet, or what it found has expired. ${today}`,
    );
    return domainFrame(domain, 'history', none);
  }
  const { checkedAt, results, score, plan } = checked;
  const about = html`<p>The domain as it stood on ${eventTime(at)}. ${today}</p>
<p>${evidenceLink(domain.id, checkedAt)}</p>`;
  return domainFrame(
    domain,
    'history',
    html`${gradeSection({ checkedAt, score }, about)}${inTurn(room, [
      (left) => html`<div class="desk"><div>${fixNext(plan, left)}</div></div>`,
      (left) => checkSections(results, score, owner, left),
    ])}`,
  );
}

/** The address of the page about a time (ISO 8601). */
export const standingPath = (id: string, at: string): string =>
  `${domainPath(id)}?${new URLSearchParams({ at })}`;

/** @param at A time (ISO 8601); by default, now. */
export const evidenceLink = (id: string, at?: string): Markup =>
  html`<a href="${domainPath(id)}?${new URLSearchParams({ as: 'evidence', ...(at !== undefined && { at }) })}" download="evidence.json">Download the signed evidence</a>`;
