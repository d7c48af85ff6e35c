/** Fields that the results of several checks have. */
import * as z from 'zod/mini';
import { finding } from '../protocol/findings/finding.ts';
import { count, described, list, text, textOrNull, timestamp } from '../protocol/schema.ts';
import { checkState } from './state.ts';

/** What the result of each check has. */
export const outcome = {
  state: checkState,
  findings: described(list(finding), 'What is wrong'),
  asOf: described(
    z.exactOptional(timestamp),
    'Time of the observation, if it is older than the latest check run',
  ),
};

export const checkOutcome = z.object(outcome);

export type CheckOutcome = z.infer<typeof checkOutcome>;

export const noText = z._default(textOrNull, null);
export const record = (protocol: string, example: string) =>
  described(noText, `The ${protocol} record; the first of several; \`null\` without one`, example);
export const version = (example: string) => described(noText, 'The version in the record', example);
export const valid = described(
  z._default(z.boolean(), false),
  'Whether the records and all they refer to are valid',
  true,
);
export const noTexts = z._default(list(text), []);
export const noCount = z._default(z.nullable(count), null);
export const isFalse = z._default(z.boolean(), false);
