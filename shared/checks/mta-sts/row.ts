import { type Check, recordsTogether } from '../check.ts';
import type { MtaStsResult } from './result.ts';

export const mtaSts: Check<MtaStsResult> = {
  title: 'MTA-STS',
  description: 'MTA Strict Transport Security (RFC 8461)',
  records: (result) => recordsTogether(result.dnsRecord, result),
  context: ({ policyMode, policyMx, policyMaxAge }) =>
    policyMode === null
      ? undefined
      : [`policy mode=${policyMode} mx=${policyMx.toSorted().join()} max_age=${policyMaxAge}`],
};
