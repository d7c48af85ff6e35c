import { isWithin } from '../../protocol/domain-name.ts';
import type { Check } from '../check.ts';
import { recordText } from './property.ts';
import { type CaaResult, caaResult } from './result.ts';

export const caa: Check<CaaResult, typeof caaResult> = {
  title: 'CAA',
  description: 'Certification Authority Authorization (RFC 8659)',
  result: caaResult,
  lookup: { type: 'CAA', isAt: (name, domain) => isWithin(domain, name), text: recordText },
  records: ({ records }) => records,
};
