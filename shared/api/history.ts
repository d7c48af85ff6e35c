/** Responses of the history endpoints. */
import * as z from 'zod/mini';
import type { ChecksEntry, ScoreEntry } from '../store/check-runs/history.ts';
import { changeFields } from './changes.ts';
import { described, timestamp } from './common.ts';

const at = described(timestamp, 'Time of the check run that detected the change');

export const scoreHistory = z.array(
  z.object({
    at,
    score: described(
      z.nullable(z.int().check(z.minimum(0), z.maximum(100))),
      'The score from then on; `null` if no check could be scored',
    ),
    grade: z.nullable(z.enum(['A', 'B', 'C', 'D', 'F'])),
  }),
);

export const checksHistory = z.array(
  z.object({
    at,
    changes: described(
      z.array(z.object(changeFields)),
      'The changes since the previous check run, by check; in the first entry, the initial results',
    ),
  }),
);

export function showScores(entries: readonly ScoreEntry[]): z.output<typeof scoreHistory> {
  return [...entries];
}

export function showChanges(entries: readonly ChecksEntry[]): z.output<typeof checksHistory> {
  return entries as unknown as z.output<typeof checksHistory>;
}
