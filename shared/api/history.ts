/** Responses of the history endpoints. */
import { list } from '../protocol/schema.ts';
import { checksEntry, scoreEntry } from '../store/check-runs/history.ts';

export const scoreHistory = list(scoreEntry);

export const checksHistory = list(checksEntry);
