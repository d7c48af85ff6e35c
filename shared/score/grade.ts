/** The scale of the score (interface specification). */
import * as z from 'zod/mini';

/** A score, 0 to 100. */
export const points = z.int().check(z.minimum(0), z.maximum(100));

export const grade = z.enum(['A', 'B', 'C', 'D', 'F']);

export type Grade = z.infer<typeof grade>;
