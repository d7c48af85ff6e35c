import { type Check, recordsTogether, textLookup } from '../check.ts';
import { type BimiResult, bimiResult } from './result.ts';

export const bimi: Check<BimiResult, typeof bimiResult> = {
  title: 'BIMI',
  description: 'Brand Indicators for Message Identification',
  result: bimiResult,
  lookup: textLookup((name) => name.includes('._bimi.')),
  records: (result) => recordsTogether(result.record, result),
};
