/** What a manager wants to know about all domains of an organization, on two printed pages. */
import { type AttentionGroup, attentionGroups, todayRows } from '../attention/today.ts';
import type { Clock } from '../network/ports.ts';
import type { AttentionStore } from '../store/attention.ts';
import type { DirectoryStore } from '../store/domains/directory.ts';
import type { Domain } from '../store/domains/domains.ts';
import { scoreOfRow } from '../store/domains/select-rows.ts';
import { figuresOf, movesOf, type OrganizationFigures, type ScoreMoves } from './organization-figures.ts';

/** Of the domains with the lowest scores, and of those that moved. */
const MOST_NAMED = 10;
const MOST_MOVES = 5;
/** Of each kind and severity: what is more is said to be more. */
const MOST_COUNTED = 20;

export interface OrganizationReport {
  readonly now: Date;
  readonly figures: OrganizationFigures;
  readonly moves: ScoreMoves;
  readonly lowest: readonly { readonly domain: Domain; readonly score: number }[];
  readonly open: readonly {
    readonly group: AttentionGroup;
    readonly count: number;
    readonly hasMore: boolean;
  }[];
}

export interface OrganizationReportDependencies {
  readonly directory: Pick<DirectoryStore, 'list'>;
  readonly attention: Pick<AttentionStore, 'firstOfEach'>;
  readonly clock: Clock;
}

export async function organizationReport(
  organization: string,
  { directory, attention, clock }: OrganizationReportDependencies,
): Promise<OrganizationReport> {
  const now = clock.now();
  const [{ listed, all }, heads] = await Promise.all([
    directory.list(organization, { sort: '-grade' }, { page: 1, limit: MOST_NAMED }, now),
    attention.firstOfEach(organization, MOST_COUNTED, now),
  ]);
  return {
    now,
    figures: figuresOf(all, now),
    moves: movesOf(all, MOST_MOVES, now),
    lowest: listed.flatMap(({ domain, row }) => {
      const score = scoreOfRow(row);
      return score === null ? [] : [{ domain, score }];
    }),
    open: attentionGroups
      .map((group) => ({
        group,
        count: heads.items.filter((item) => todayRows[item.kind].group === group).length,
        hasMore: [...heads.more].some((kind) => todayRows[kind].group === group),
      }))
      .filter(({ count }) => count > 0),
  };
}
