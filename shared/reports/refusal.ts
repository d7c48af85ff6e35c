/** How reading ends where nothing can be made of what arrived. */
import type { RefusalReason } from './report.ts';

/** Leaves the readers at the first thing that cannot be read past; it never leaves this folder. */
export class RefusalError extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

export const unreadable = (detail: string): RefusalError => new RefusalError('unreadable', detail);
export const tooLarge = (detail: string): RefusalError => new RefusalError('too-large', detail);
export const notAReport = (detail: string): RefusalError => new RefusalError('not-a-report', detail);
