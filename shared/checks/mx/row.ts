import type { Check } from '../check.ts';
import { mxText } from '../records.ts';
import type { MxResult } from './result.ts';

export const mx: Check<MxResult> = {
  title: 'MX',
  description: 'The mail servers of the domain, and their transport security',
  records: ({ records }) =>
    records.map(({ priority, exchange }) => mxText({ preference: priority, exchange })),
};
