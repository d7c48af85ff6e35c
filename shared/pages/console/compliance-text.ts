/** Words and parts that the pages about compliance have in common. */
import type { Profile } from '../../compliance/profile.ts';
import type { RequirementCounts, RequirementStatus } from '../../compliance/shapes.ts';
import { pluralize } from '../../protocol/quantity.ts';
import type { ProfileChoice } from '../../views/compliance.ts';
import { type Mark, mark } from '../check-results/text.ts';
import { html, type Markup, untrustedText } from '../markup.ts';
import { options } from '../select.ts';

export const COMPLIANCE_PATH = '/console/compliance';

const statuses: Readonly<Record<RequirementStatus, Mark>> = {
  fulfilled: { sign: '✓', word: 'fulfilled', tone: 'good' },
  violated: { sign: '✗', word: 'violated', tone: 'bad' },
  unknown: { sign: '?', word: 'unknown', tone: 'neutral' },
  'not-applicable': { sign: '–', word: 'not applicable', tone: 'neutral' },
  'not-testable': { sign: '○', word: 'not testable', tone: 'neutral' },
};

/** A status with its sign. */
export const statusMark = (status: RequirementStatus): Markup => mark(statuses[status]);

/** Chooses a profile. @param path Of the page, which the form leads to. */
export const profileForm = (path: string, profiles: readonly ProfileChoice[], chosen: string): Markup =>
  html`<form class="window of-profile" method="get" action="${path}"><label>Profile <select name="profile">${options(
    profiles.map(({ id, name, isFollowed }) => [id, isFollowed ? `${name} (followed)` : name]),
    chosen,
  )}</select></label> <button class="small" data-busy="Loading…">Show</button></form>`;

/** How many requirements there are of each status, in words. */
export function countsInWords(counts: RequirementCounts): string {
  const { fulfilled, violated, unknown, notApplicable, notTestable } = counts;
  const all = fulfilled + violated + unknown + notApplicable + notTestable;
  return `Of ${pluralize(all, 'requirement')}: ${fulfilled} fulfilled, ${violated} violated, ${unknown} unknown, ${notApplicable} not applicable, ${notTestable} not testable.`;
}

/** What a page says of a profile before its table. */
export const profileNote = ({ description, version }: Pick<Profile, 'description' | 'version'>): Markup =>
  html`<p class="soft">Version ${untrustedText(version)}. ${untrustedText(description)}</p>`;
