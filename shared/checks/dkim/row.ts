import { type Check, recordsTogether } from '../check.ts';
import type { DkimCheck } from './result.ts';

export const dkim: Check<DkimCheck> = {
  title: 'DKIM',
  description: 'DKIM keys (RFC 6376), one result per selector',
  /** They start with their selector and a colon. */
  records: ({ selectors }) =>
    selectors.flatMap((key) =>
      recordsTogether(key.record, key).map((record) => `${key.selector}: ${record}`),
    ),
  parts: ({ selectors }) => selectors,
};
