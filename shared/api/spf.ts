/** An expanded SPF record, for the domain check and the SPF checker. */
import * as z from 'zod/mini';
import { count, described, text, textOrNull, texts } from './common.ts';
import { several } from './findings.ts';

export const network = described(text, 'An IP address, or a range in CIDR notation');

const lookupState = z.enum(['found', 'absent', 'unavailable', 'not-asked']);

export const spfTerm = z.object({
  text: described(text, 'The term as published'),
  kind: text,
  qualifier: z.nullable(z.enum(['+', '-', '~', '?'])),
  result: described(
    z.nullable(z.enum(['pass', 'fail', 'softfail', 'neutral'])),
    'The SPF result for clients that match',
  ),
  value: textOrNull,
  domain: textOrNull,
  prefixLengths: z.optional(z.object({ ip4: count, ip6: count })),
  lookups: described(count, 'Number of DNS lookups that the term itself causes'),
  totalLookups: described(count, 'Number of DNS lookups of the term and its whole subtree'),
  matches: z.array(network),
  dependsOnMessage: described(
    z.boolean(),
    'Whether its domain contains macros that are expanded per message',
  ),
  state: lookupState,
  provider: z.optional(text),
  ignored: z.optional(z.enum(['after-all', 'beside-all'])),
  fault: z.optional(text),
  at: z.optional(count),
  voidFor: z.optional(z.array(z.union([z.literal(4), z.literal(6)]))),
  unavailable: z.optional(texts),
  deadHosts: z.optional(texts),
  tooManyNames: z.optional(count),
});

/** One record of the include tree, with its children. */
export const spfRecord = z.object({
  domain: text,
  reachedBy: z.nullable(z.enum(['include', 'redirect'])),
  term: z.nullable(count),
  record: textOrNull,
  records: several,
  state: lookupState,
  problem: z.optional(z.enum(['no-record', 'multiple-records', 'syntax', 'loop', 'cut'])),
  count: z.optional(count),
  lookalikes: z.optional(texts),
  provider: z.optional(text),
  lookups: count,
  totalLookups: count,
  terms: z.array(spfTerm),
  get children() {
    return z.array(spfRecord);
  },
});

const spfLookupCost = z.object({
  domain: described(text, 'The domain of the record that contains the term'),
  mechanism: text,
  depth: count,
  lookups: count,
  branchLookups: described(count, 'Number of DNS lookups of the whole branch'),
  runningTotal: count,
});

export const spfFields = {
  record: textOrNull,
  records: several,
  version: textOrNull,
  valid: z.boolean(),
  allPolicy: z.nullable(z.enum(['-all', '~all', '+all', '?all'])),
  mechanisms: z.array(spfTerm),
  includeTree: z.array(spfRecord),
  lookupBreakdown: z.array(spfLookupCost),
  totalLookupCount: count,
  flattenedIps: z.array(network),
  detectedProviders: texts,
};
