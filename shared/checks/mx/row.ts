import type { Check } from '../check.ts';
import { mxText } from '../records.ts';
import { type MxResult, mxResult } from './result.ts';

export const mx: Check<MxResult, typeof mxResult> = {
  title: 'MX',
  description: 'The mail servers of the domain, and their transport security',
  result: mxResult,
  lookup: { type: 'MX', isAt: (name, domain) => name === domain, text: mxText },
  records: ({ records }) =>
    records.map(({ priority, exchange }) => mxText({ preference: priority, exchange })),
};
