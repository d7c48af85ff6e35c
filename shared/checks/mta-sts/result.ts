import * as z from 'zod/mini';
import { described, several } from '../../protocol/schema.ts';
import { isFalse, noCount, noText, noTexts, outcome, record, valid, version } from '../result-fields.ts';

export const mtaStsResult = z.object({
  dnsRecord: record('MTA-STS', 'v=STSv1; id=20260101'),
  records: several,
  dnsVersion: version('STSv1'),
  dnsId: described(noText, 'The ID in the record, which changes with the policy', '20260101'),
  policyFetched: described(isFalse, 'Whether the policy was fetched', true),
  policyVersion: described(noText, 'The version in the policy', 'STSv1'),
  policyMode: described(noText, 'The mode of the policy: `enforce`, `testing`, or `none`', 'enforce'),
  policyMx: described(noTexts, 'The MX host patterns of the policy', ['mx.example.org']),
  policyMaxAge: described(noCount, 'How long senders keep the policy, in seconds', 604_800),
  valid,
  ...outcome,
});

export type MtaStsResult = z.infer<typeof mtaStsResult>;
