/** An expanded SPF record, of the domain check and of the SPF checker. */
import * as z from 'zod/mini';
import { count, described, text, textOrNull, texts } from './common.ts';
import { several } from './findings.ts';

export const network = described(text, 'An address or a range in CIDR form');

const lookupState = z.enum(['found', 'absent', 'unavailable', 'not-asked']);

export const spfTerm = z.object({
  text: described(text, 'As published'),
  kind: text,
  qualifier: z.nullable(z.enum(['+', '-', '~', '?'])),
  result: described(z.nullable(z.enum(['pass', 'fail', 'softfail', 'neutral'])), 'For clients that match'),
  value: textOrNull,
  domain: textOrNull,
  prefixLengths: z.optional(z.object({ ip4: count, ip6: count })),
  lookups: described(count, 'What the term itself costs of the ten look-ups'),
  totalLookups: described(count, 'The same with everything behind it'),
  matches: z.array(network),
  dependsOnMessage: described(z.boolean(), 'Its name holds macros whose value only a message has'),
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

/** One record of the include tree, with those below it. */
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
  domain: described(text, 'Whose record the term stands in'),
  mechanism: text,
  depth: count,
  lookups: count,
  branchLookups: described(count, 'With everything behind it'),
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
