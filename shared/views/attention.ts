/** The attention items that a page shows. */
import type { AttentionItem } from '../store/attention-items.ts';

export interface AttentionView {
  /** Worst first. */
  readonly items: readonly AttentionItem[];
  readonly hasMore: boolean;
  readonly now: Date;
}
