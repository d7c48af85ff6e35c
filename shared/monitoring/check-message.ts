/** The messages of the queue `checks`. */
import * as z from 'zod/mini';

const domain = { organization: z.string(), id: z.string() };

/** A domain that is due, or the confirmation run for a change that was found at `seenAt` (ISO 8601). */
export const checkMessage = z.union([
  z.object({ ...domain, dueAt: z.string() }),
  z.object({ ...domain, seenAt: z.string() }),
]);
