import { type Check, recordsTogether } from '../check.ts';
import type { BimiResult } from './result.ts';

export const bimi: Check<BimiResult> = {
  title: 'BIMI',
  description: 'Brand Indicators for Message Identification',
  records: (result) => recordsTogether(result.record, result),
};
