/** What checks find wrong, and how several records of one name are shown. */
import * as z from 'zod/mini';
import { described, texts } from './common.ts';

export const finding = z.object({
  id: described(z.string(), 'Stable name of the rule'),
  severity: z.enum(['error', 'warning', 'notice']),
  subject: z.optional(z.string()),
  arguments: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  message: z.string(),
  cites: described(z.string(), 'The document and section it rests on'),
  fix: z.string(),
});

export const problems = { errors: texts, warnings: texts };

export const several = described(
  z.optional(texts),
  'All of them where the name has several: receivers then take none, or any',
);
