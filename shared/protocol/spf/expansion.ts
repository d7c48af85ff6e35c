/**
 * An expanded SPF record as data for storage, display and sharing. All of it is JSON. The schemas are in a file of their
 * own, so that what only reads or shows them does not load the evaluation of records.
 */
import * as z from 'zod/mini';
import { finding } from '../findings/finding.ts';
import { count, described, list, several, text, textOrNull, texts } from '../schema.ts';
import type { LookupStatus } from './lookups.ts';
import type { QUALIFIER_RESULTS, Qualifier, SyntaxFault, Term } from './record.ts';

/** The status of a lookup; `not-asked` if none was needed or possible. */
export type LookupState = LookupStatus | 'not-asked';

const lookupState = z.enum(['found', 'absent', 'unavailable', 'not-asked'] satisfies LookupState[]);

export const network = described(text, 'An IP address, or a range in CIDR notation');

const ipFamily = z.union([z.literal(4), z.literal(6)]);

/** One term of a record, with totals for the records that it includes. */
export const expandedTerm = z.object({
  text: described(text, 'The term as published'),
  kind: z.enum([
    'all',
    'include',
    'exists',
    'a',
    'mx',
    'ptr',
    'ip4',
    'ip6',
    'redirect',
    'exp',
    'unknown-modifier',
    'invalid',
  ] satisfies Term['kind'][]),
  qualifier: described(
    z.nullable(z.enum(['+', '-', '~', '?'] satisfies Qualifier[])),
    '`null` if the term is not a mechanism',
  ),
  result: described(
    z.nullable(
      z.enum(['pass', 'fail', 'softfail', 'neutral'] satisfies (typeof QUALIFIER_RESULTS)[Qualifier][]),
    ),
    'The SPF result for clients that match',
  ),
  value: described(textOrNull, 'The argument as published: a domain, a network, or the value of a modifier'),
  domain: described(
    textOrNull,
    'The target name of the term; `null` if it has none, or if the name depends on the message',
  ),
  prefixLengths: described(
    z.exactOptional(z.object({ ip4: count, ip6: count })),
    'Only for `a` and `mx`: the prefix lengths of the networks that match',
  ),
  lookups: described(count, 'Number of DNS lookups that the term itself causes'),
  totalLookups: described(count, 'Number of DNS lookups of the term and its whole subtree'),
  matches: described(
    list(network),
    'Addresses and ranges of the clients that match. Those of an `include` are in its record',
  ),
  dependsOnMessage: described(
    z.boolean(),
    'Whether its domain contains macros that are expanded per message',
  ),
  state: described(lookupState, 'The status of the lookup of the term itself'),
  provider: described(z.exactOptional(text), 'The mail service that the domain belongs to'),
  ignored: described(
    z.exactOptional(z.enum(['after-all', 'beside-all'])),
    'Why it is never evaluated: it is after `all`, or a `redirect` in a record with `all` (RFC 7208 section 5.1)',
  ),
  fault: described(
    z.exactOptional(
      z.enum([
        'invalid-character',
        'invalid-macro',
        'explanation-macro',
        'malformed-term',
        'unknown-mechanism',
        'missing-domain',
        'unexpected-argument',
        'invalid-domain',
        'address-for-domain',
        'invalid-address',
        'invalid-prefix-length',
        'duplicate-modifier',
      ] satisfies SyntaxFault[]),
    ),
    'The syntax error of an invalid term',
  ),
  at: described(z.exactOptional(count), 'The offset of the syntax error in the record'),
  voidFor: described(
    z.exactOptional(list(ipFamily)),
    'The client address families for which its lookup is a void lookup',
  ),
  unavailable: described(z.exactOptional(texts), 'Failed lookups of the term, such as `mx.example.org A`'),
  failures: described(z.exactOptional(texts), 'Why these lookups failed, in the same order'),
  deadHosts: described(z.exactOptional(texts), 'MX hosts without an address'),
  tooManyNames: described(z.exactOptional(count), 'The number of MX records, if it exceeds the limit'),
});

export type ExpandedTerm = z.infer<typeof expandedTerm>;

/** A record in the tree of `include` and `redirect`, with its children. */
export const resolvedRecord = z.object({
  domain: text,
  reachedBy: described(z.nullable(z.enum(['include', 'redirect'])), '`null` for the top record'),
  term: described(
    z.nullable(count),
    'Index of the including term in the terms of the record above; `null` for the top record',
  ),
  record: described(textOrNull, '`null` if there is none; the first of several'),
  records: described(z.exactOptional(texts), 'All SPF records of the name, if there is more than one'),
  count: described(
    z.exactOptional(count),
    'The number of SPF records of the name, if there is more than one',
  ),
  state: lookupState,
  failure: described(z.exactOptional(text), 'Why the lookup failed, if it did'),
  problem: described(
    z.exactOptional(z.enum(['no-record', 'multiple-records', 'syntax', 'loop', 'cut'])),
    'Why the record does not count. `cut`: the limits of the check were exceeded before or in this record',
  ),
  lookalikes: described(
    z.exactOptional(texts),
    'TXT records that were evidently meant as SPF records but are not',
  ),
  provider: described(z.exactOptional(text), 'The mail service that the domain belongs to'),
  lookups: described(count, 'Number of DNS lookups of the terms of this record, without included records'),
  totalLookups: described(count, 'Number of DNS lookups of the record and its whole subtree'),
  terms: list(expandedTerm),
  get children(): z.ZodMiniReadonly<z.ZodMiniArray<typeof resolvedRecord>> {
    return list(resolvedRecord);
  },
});

export type ResolvedRecord = z.infer<typeof resolvedRecord>;

/** One row of the lookup breakdown, in the order in which a client that matches nothing causes the lookups. */
export const breakdownRow = z.object({
  domain: described(text, 'The domain of the record that contains the term'),
  mechanism: text,
  depth: described(count, '0 in the top record'),
  lookups: described(count, 'Number of DNS lookups of this term alone'),
  branchLookups: described(count, 'Number of DNS lookups of this term and of the records that it includes'),
  runningTotal: count,
});

export type LookupCost = z.infer<typeof breakdownRow>;

const flattenedNetwork = z.object({ network, sources: list(z.object({ domain: text, term: text })) });

export type FlattenedNetwork = z.infer<typeof flattenedNetwork>;

const flattenedRecord = z.object({ name: described(text, 'The name to publish it at'), text });

export type FlattenedRecord = z.infer<typeof flattenedRecord>;

export const flattened = z.object({
  networks: described(
    list(flattenedNetwork),
    'The networks in `flattenedIps`, each with the terms and records that authorize it',
  ),
  merged: described(
    z.nullable(list(network)),
    'The smallest set of ranges that covers exactly the authorized addresses; `null` if it is too large for any record',
  ),
  kept: described(
    texts,
    'Terms that addresses cannot replace: they depend on the message, or a lookup failed',
  ),
  records: described(
    list(flattenedRecord),
    'TXT records that authorize the same clients with fewer DNS lookups; empty if there is no such set',
  ),
});

export type Flattened = z.infer<typeof flattened>;

const allPolicy = z.enum(['-all', '~all', '+all', '?all'] satisfies `${Qualifier}all`[]);

/** The result for clients that no other term matches. */
export type AllPolicy = z.infer<typeof allPolicy>;

/** What the SPF checker and the SPF check of a domain have in common (interface specification). */
export const spfFields = {
  record: described(z._default(textOrNull, null), 'The SPF record; the first of several'),
  records: several,
  version: z._default(z.nullable(z.enum(['spf1'])), null),
  valid: z._default(z.boolean(), false),
  allPolicy: z._default(z.nullable(allPolicy), null),
  mechanisms: z._default(list(expandedTerm), []),
  includeTree: z._default(list(resolvedRecord), []),
  lookupBreakdown: z._default(list(breakdownRow), []),
  totalLookupCount: z._default(count, 0),
  flattenedIps: z._default(list(network), []),
  detectedProviders: z._default(texts, []),
};

const { valid: _valid, ...expandedFields } = spfFields;

/** The expansion of a record, as stored. */
export const expansion = z.object({
  domain: text,
  status: described(
    z.enum(['valid', 'invalid', 'no-record', 'unknown']),
    '`unknown`: some DNS lookups of the include tree failed, so the result is incomplete',
  ),
  ...expandedFields,
  recordLength: described(count, 'Length of the record in bytes; 0 without a record'),
  voidLookupCount: described(
    z.object({ ip4: count, ip6: count }),
    'Number of void lookups for clients of each address family that match nothing',
  ),
  flattened,
  findings: list(finding),
  unknown: described(texts, 'DNS lookups that failed, such as `example.org TXT`'),
});

export type Expansion = z.infer<typeof expansion>;
