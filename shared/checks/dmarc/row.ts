import { type Check, recordsTogether } from '../check.ts';
import type { DmarcResult } from './result.ts';

export const dmarc: Check<DmarcResult> = {
  title: 'DMARC',
  description: 'DMARC policy (RFC 9989)',
  records: (result) => recordsTogether(result.record, result),
};
