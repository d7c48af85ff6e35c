/** The scale of the score (interface specification). */
import * as z from 'zod/mini';
import { described, oneOf } from '../protocol/schema.ts';

/** A score, 0 to 100. */
export const points = described(z.int().check(z.minimum(0), z.maximum(100)), 'A score from 0 to 100', 85);

const grades = ['A', 'B', 'C', 'D', 'F'] as const;

export const grade = described(
  oneOf(grades),
  '`A`: from 90. `B`: from 80. `C`: from 70. `D`: from 60. `F`: below 60',
);

export type Grade = z.infer<typeof grade>;
