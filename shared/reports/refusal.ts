/** The error for input that cannot be read. */
import { excerpt } from '../protocol/findings/excerpt.ts';
import type { RefusalReason } from './report.ts';

/** The maximum length of a sentence, which can quote untrusted input. */
const MAX_DETAIL = 1_000;

/** Thrown at the first deviation that cannot be tolerated; never leaves this folder. */
export class RefusalError extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason, detail: string) {
    super(excerpt(detail, MAX_DETAIL));
    this.reason = reason;
  }
}

export const unreadable = (detail: string): RefusalError => new RefusalError('unreadable', detail);
export const tooLarge = (detail: string): RefusalError => new RefusalError('too-large', detail);
export const notAReport = (detail: string): RefusalError => new RefusalError('not-a-report', detail);
