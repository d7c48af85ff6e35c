/** How many domains an organization has. */
import * as z from 'zod/mini';
import { count, described } from '../../protocol/schema.ts';

export const domainCounts = z.object({
  total: described(count, 'Number of domains', 120),
  verified: described(count, 'Number of verified domains', 100),
  byGrade: described(
    z.object({
      A: described(count, 'Number of domains with the grade A', 60),
      B: described(count, 'Number of domains with the grade B', 30),
      C: described(count, 'Number of domains with the grade C', 10),
      D: described(count, 'Number of domains with the grade D', 5),
      F: described(count, 'Number of domains with the grade F', 5),
    }),
    'Number of domains by the grade of their latest score, for their usage type',
  ),
  withoutGrade: described(
    count,
    'Number of domains without a grade: not checked yet, or the last check run had no score',
    10,
  ),
});

export type DomainCounts = Readonly<z.infer<typeof domainCounts>>;
