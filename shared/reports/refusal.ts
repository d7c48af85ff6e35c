/** How reading ends where nothing can be made of what arrived. */
import { excerpt } from '../protocol/findings/excerpt.ts';
import type { RefusalReason } from './report.ts';

/** Sentences hold parts of what was read, which an operator is to see and not to run. */
const MAX_DETAIL = 1_000;

/** Leaves the readers at the first thing that cannot be read past; it never leaves this folder. */
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
