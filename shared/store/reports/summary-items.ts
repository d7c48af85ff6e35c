/**
 * The items of summaries: for each day one of authenticated reports and one of others, so that forged reports cannot
 * use up the room of genuine ones; and what a day's counters (`days.ts`) say about them.
 */
import * as z from 'zod/mini';
import { decodeSummaries } from '../../reports/dmarc/summary/encoding.ts';
import type { ReportSummary } from '../../reports/dmarc/summary/shapes.ts';
import { counter, octets } from '../item-schema.ts';

export const summaryShares = ['authenticated', 'unproven'] as const;

export type SummaryShare = (typeof summaryShares)[number];

/** The item that a report belongs to; an unknown sender counts as unauthenticated. */
export const shareOf = ({ authenticated }: Pick<ReportSummary, 'authenticated'>): SummaryShare =>
  authenticated === true ? 'authenticated' : 'unproven';

/** `rolledUp` is the number of the roll-up that wrote it. */
export const summaryItem = z.object({
  day: z.string(),
  share: z.enum(summaryShares),
  rolledUp: z.number(),
  body: z.pipe(octets, z.transform(decoded)),
});

export type SummaryItem = Readonly<z.infer<typeof summaryItem>>;

function decoded(body: Uint8Array, context: z.core.ParsePayload): ReportSummary[] {
  try {
    return decodeSummaries(body);
  } catch {
    context.issues.push({ code: 'custom', message: 'is no list of summaries', input: body });
    return z.NEVER;
  }
}

/** The state of a day's summaries. */
export interface SummaryState {
  readonly day: string;
  readonly reports: number;
  readonly expiresAt: number | undefined;
  /** The number of the last roll-up; 0 if there was none. */
  readonly rolledUp: number;
  /** How often a report of the day was replaced or withdrawn, and how often until the last roll-up. */
  readonly changed: number;
  readonly changedBefore: number;
  /** The reports that are not rolled up: the begin and the id of each, as in their keys. */
  readonly pending: readonly { readonly begin: string; readonly id: string }[];
}

const dayItem = z.catchall(
  z.object({
    day: z.string(),
    reports: counter,
    rolledUp: counter,
    changed: counter,
    changedBefore: counter,
    expiresAt: z.optional(z.number()),
  }),
  z.unknown(),
);

/** A day's counters, read as the state of its summaries. */
export const summaryStateItem = z.pipe(
  dayItem,
  z.transform(
    ({ day, reports, rolledUp, changed, changedBefore, expiresAt, ...others }): SummaryState => ({
      ...{ day, reports, rolledUp, changed, changedBefore, expiresAt },
      pending: Object.keys(others).flatMap((name) => {
        const [, time, id] = /^(T[^#]+)#(.+)$/.exec(name) ?? [];
        return time === undefined || id === undefined ? [] : [{ begin: `${day}${time}`, id }];
      }),
    }),
  ),
);

/** Whether the day has to be rolled up from all of its reports, not only from those that are pending. */
export const needsAll = ({ changed, changedBefore }: SummaryState): boolean => changed !== changedBefore;
