import { type Check, recordsTogether } from '../check.ts';
import type { SpfResult } from './result.ts';

export const spf: Check<SpfResult> = {
  title: 'SPF',
  description: 'Sender Policy Framework (RFC 7208)',
  records: (result) => recordsTogether(result.record, result),
};
