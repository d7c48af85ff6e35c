/** Findings of checks, and multiple records at one name. */
import * as z from 'zod/mini';
import { described, texts } from './common.ts';

export const finding = z.object({
  id: described(z.string(), 'Stable ID of the rule'),
  severity: described(
    z.enum(['error', 'warning', 'notice']),
    '`error`: violates a requirement. `warning`: violates a recommendation or is harmful. `notice`: advice',
  ),
  subject: described(
    z.optional(z.string()),
    'What the finding is about, such as a record, a host, or a selector',
  ),
  arguments: described(
    z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
    'The values in the message, by name',
  ),
  message: described(z.string(), 'What is wrong, in one sentence'),
  cites: described(z.string(), 'The document and section that the rule is based on'),
  fix: described(z.string(), 'How to fix it'),
});

export const problems = { errors: texts, warnings: texts };

export const several = described(
  z.optional(texts),
  'All records, if there is more than one at the name; receivers then ignore all of them or use an arbitrary one',
);
