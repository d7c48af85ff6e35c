import { type Check, recordsTogether, textLookup } from '../check.ts';
import { type SpfResult, spfResult } from './result.ts';

export const spf: Check<SpfResult, typeof spfResult> = {
  title: 'SPF',
  description: 'Sender Policy Framework (RFC 7208)',
  result: spfResult,
  lookup: textLookup((name, domain) => name === domain),
  records: (result) => recordsTogether(result.record, result),
};
