/** The latest assessment of a domain, kept for an hour: it reads 400 days of reports, and a page needs it at once. */
import * as z from 'zod/mini';
import { type ItemSchema, pack, packed } from '../item-schema.ts';
import { assessmentKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { isFromWrongClock } from '../wrong-clock.ts';

/** In seconds. */
const KEPT_SECONDS = 3600;

/** An assessment that was calculated before. */
export interface KeptAssessment<Assessment> {
  /** ISO 8601. */
  readonly calculatedAt: string;
  readonly assessment: Assessment;
}

export type AssessmentStore<Assessment> = ReturnType<typeof assessmentStore<Assessment>>;

/** @param schema That of the assessment, which layers above define. */
export function assessmentStore<Assessment>(table: Table, schema: ItemSchema<Assessment>) {
  const item = z.object({
    basis: z.string(),
    calculatedAt: z.string(),
    expiresAt: z.number(),
    // What another release kept may lack what this one has: it is calculated again.
    assessment: z.catch(z.optional(packed(schema)), undefined),
  });
  return {
    /** The kept assessment; undefined if there is none, if it is too old, or if it was calculated on another basis. */
    async recent(
      domainId: string,
      basis: string,
      now: Date,
    ): Promise<KeptAssessment<Assessment> | undefined> {
      const kept = await table.get(assessmentKey(domainId), item);
      if (kept === undefined || kept.basis !== basis || kept.expiresAt <= secondsOf(now)) return undefined;
      if (isFromWrongClock(kept.calculatedAt, now)) return undefined;
      const { calculatedAt, assessment } = kept;
      return assessment === undefined ? undefined : { calculatedAt, assessment };
    },

    /**
     * Keeps an assessment in place of the one before.
     * @param basis What it was calculated on, apart from reports; equal only for equal decisions and check results.
     */
    async keep(domainId: string, basis: string, assessment: Assessment, now: Date): Promise<void> {
      await table.put({
        ...assessmentKey(domainId),
        ...{ basis, calculatedAt: now.toISOString(), expiresAt: secondsOf(now) + KEPT_SECONDS },
        assessment: pack(assessment),
      });
    },
  };
}

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000);
