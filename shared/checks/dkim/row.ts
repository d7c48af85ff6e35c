import { type Check, recordsTogether, textLookup } from '../check.ts';
import { type DkimCheck, dkimCheck } from './result.ts';

export const dkim: Check<DkimCheck, typeof dkimCheck> = {
  title: 'DKIM',
  description: 'DKIM keys (RFC 6376), one result per selector',
  result: dkimCheck,
  lookup: textLookup((name, domain) => name.endsWith(`._domainkey.${domain}`)),
  /** They start with their selector and a colon. */
  records: ({ selectors }) =>
    selectors.flatMap((key) =>
      recordsTogether(key.record, key).map((record) => `${key.selector}: ${record}`),
    ),
  parts: ({ selectors }) => selectors,
};
