/** The schema of the lookups of a check run as they are stored beside its results. */
import * as z from 'zod/mini';
import { count, described, list, text } from '../protocol/schema.ts';
import { zoneTypes } from '../protocol/zone-file/record-set.ts';

export const recordedLookups = list(
  z.object({
    name: text,
    type: z.enum(zoneTypes),
    answer: z.discriminatedUnion('status', [
      z.object({
        status: z.literal('found'),
        values: described(list(text), 'In the form of a record set'),
        owner: described(z.exactOptional(text), 'The end of the chain of aliases, if there is one'),
        aliases: z.exactOptional(list(text)),
        ttl: count,
      }),
      z.object({
        status: z.literal('absent'),
        reason: z.enum(['no-name', 'no-data', 'invalid-name']),
        aliases: z.exactOptional(list(text)),
      }),
      z.object({ status: z.literal('unavailable') }),
    ]),
  }),
);

export type RecordedLookups = z.infer<typeof recordedLookups>;
