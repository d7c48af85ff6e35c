import { type Check, recordsTogether, textLookup } from '../check.ts';
import { type DmarcResult, dmarcResult } from './result.ts';

export const dmarc: Check<DmarcResult, typeof dmarcResult> = {
  title: 'DMARC',
  description: 'DMARC policy (RFC 9989)',
  result: dmarcResult,
  lookup: textLookup((name) => name.startsWith('_dmarc.')),
  records: (result) => recordsTogether(result.record, result),
};
