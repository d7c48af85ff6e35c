import { type Check, recordsTogether, textLookup } from '../check.ts';
import { type MtaStsResult, mtaStsResult } from './result.ts';

export const mtaSts: Check<MtaStsResult, typeof mtaStsResult> = {
  title: 'MTA-STS',
  description: 'MTA Strict Transport Security (RFC 8461)',
  result: mtaStsResult,
  lookup: textLookup((name, domain) => name === `_mta-sts.${domain}`),
  records: (result) => recordsTogether(result.dnsRecord, result),
  context: ({ policyMode, policyMx, policyMaxAge }) =>
    policyMode === null
      ? undefined
      : [`policy mode=${policyMode} mx=${policyMx.toSorted().join()} max_age=${policyMaxAge}`],
};
