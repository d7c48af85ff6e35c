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
type LookupState = LookupStatus | 'not-asked';

export const lookupState = described(
  z.enum(['found', 'absent', 'unavailable', 'not-asked'] satisfies LookupState[]),
  'The status of a lookup. `absent`: there is no record. `unavailable`: the lookup failed. `not-asked`: none was needed or possible',
);

export const network = described(text, 'An IP address, or a range in CIDR notation', '192.0.2.0/24');

export const ipFamily = described(z.literal([4, 6]), 'IP version', 4);

export const termKind = described(
  z.enum([
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
  'A mechanism or modifier (RFC 7208 sections 5 and 6); `invalid` for a syntax error',
  'ip4',
);

export const qualifier = described(
  z.enum(['+', '-', '~', '?'] satisfies Qualifier[]),
  'The qualifier of a mechanism (RFC 7208 section 4.6.2)',
);

export const matchResult = described(
  z.enum(['pass', 'fail', 'softfail', 'neutral'] satisfies (typeof QUALIFIER_RESULTS)[Qualifier][]),
  'The SPF result for clients that match a mechanism',
);

export const ignoredReason = described(
  z.enum(['after-all', 'beside-all']),
  'Why a term is never evaluated: it is after `all`, or a `redirect` in a record with `all` (RFC 7208 section 5.1)',
);

export const syntaxFault = described(
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
  'The syntax error of an invalid term',
);

/** One term of a record, with totals for the records that it includes. */
export const expandedTerm = z.object({
  text: described(text, 'The term as published', 'ip4:192.0.2.0/24'),
  kind: termKind,
  qualifier: described(z.nullable(qualifier), 'The qualifier; `null` if the term is not a mechanism', '+'),
  result: described(
    z.nullable(matchResult),
    'The SPF result for clients that match; `null` if the term is not a mechanism',
    'pass',
  ),
  value: described(
    textOrNull,
    'The argument as published: a domain, a network, or the value of a modifier',
    '192.0.2.0/24',
  ),
  domain: described(
    textOrNull,
    'The target name of the term; `null` if it has none, or if the name depends on the message',
    null,
  ),
  prefixLengths: described(
    z.exactOptional(
      z.object({
        ip4: described(count, 'Prefix length for IPv4', 32),
        ip6: described(count, 'Prefix length for IPv6', 128),
      }),
    ),
    'Only for `a` and `mx`: the prefix lengths of the networks that match',
  ),
  lookups: described(count, 'Number of DNS lookups that the term itself causes', 0),
  totalLookups: described(count, 'Number of DNS lookups of the term and its whole subtree', 0),
  matches: described(
    list(network),
    'Addresses and ranges of the clients that match. Those of an `include` are in its record',
  ),
  dependsOnMessage: described(
    z.boolean(),
    'Whether its domain contains macros that are expanded per message',
    false,
  ),
  state: described(lookupState, 'The status of the lookup of the term itself', 'not-asked'),
  provider: described(z.exactOptional(text), 'The mail service that the domain belongs to'),
  ignored: described(
    z.exactOptional(ignoredReason),
    'Why it is never evaluated: it is after `all`, or a `redirect` in a record with `all` (RFC 7208 section 5.1)',
  ),
  fault: described(z.exactOptional(syntaxFault), 'The syntax error of an invalid term'),
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

export const reachedBy = described(
  z.enum(['include', 'redirect']),
  'The kind of the term that refers to a record',
);

export const recordProblem = described(
  z.enum(['no-record', 'multiple-records', 'syntax', 'loop', 'cut']),
  'Why a record does not count. `cut`: the limits of the check were exceeded before or in this record',
);

/** A record in the tree of `include` and `redirect`, with its children. */
export const resolvedRecord = z.object({
  domain: described(text, 'The name of the record', 'example.org'),
  reachedBy: described(z.nullable(reachedBy), '`null` for the top record', null),
  term: described(
    z.nullable(count),
    'Index of the including term in the terms of the record above; `null` for the top record',
    null,
  ),
  record: described(
    textOrNull,
    'The record; `null` if there is none; the first of several',
    'v=spf1 ip4:192.0.2.0/24 -all',
  ),
  records: described(z.exactOptional(texts), 'All SPF records of the name, if there is more than one'),
  count: described(
    z.exactOptional(count),
    'The number of SPF records of the name, if there is more than one',
  ),
  state: lookupState,
  failure: described(z.exactOptional(text), 'Why the lookup failed, if it did'),
  problem: described(
    z.exactOptional(recordProblem),
    'Why the record does not count. `cut`: the limits of the check were exceeded before or in this record',
  ),
  lookalikes: described(
    z.exactOptional(texts),
    'TXT records that were evidently meant as SPF records but are not',
  ),
  provider: described(z.exactOptional(text), 'The mail service that the domain belongs to'),
  lookups: described(count, 'Number of DNS lookups of the terms of this record, without included records', 0),
  totalLookups: described(count, 'Number of DNS lookups of the record and its whole subtree', 0),
  terms: described(list(expandedTerm), 'The terms in order'),
  get children(): z.ZodMiniReadonly<z.ZodMiniArray<typeof resolvedRecord>> {
    return described(
      list(resolvedRecord),
      'The records that its `include` and `redirect` terms refer to',
      [],
    );
  },
});

export type ResolvedRecord = z.infer<typeof resolvedRecord>;

/** One row of the lookup breakdown, in the order in which a client that matches nothing causes the lookups. */
export const breakdownRow = z.object({
  domain: described(text, 'The domain of the record that contains the term', 'example.org'),
  mechanism: described(text, 'The term as published', 'include:_spf.example.net'),
  depth: described(count, 'How many `include` and `redirect` terms are above; 0 in the top record', 0),
  lookups: described(count, 'Number of DNS lookups of this term alone', 1),
  branchLookups: described(
    count,
    'Number of DNS lookups of this term and of the records that it includes',
    3,
  ),
  runningTotal: described(count, 'Number of DNS lookups up to here, in evaluation order', 3),
});

export type LookupCost = z.infer<typeof breakdownRow>;

const flattenedNetwork = z.object({
  network,
  sources: described(
    list(
      z.object({
        domain: described(text, 'The domain of the record', 'example.org'),
        term: described(text, 'The term as published', 'ip4:192.0.2.0/24'),
      }),
    ),
    'The terms that authorize the network',
  ),
});

export type FlattenedNetwork = z.infer<typeof flattenedNetwork>;

const flattenedRecord = z.object({
  name: described(text, 'The name to publish it at', 'example.org'),
  text: described(text, 'The value of the TXT record', 'v=spf1 ip4:192.0.2.0/24 -all'),
});

export type FlattenedRecord = z.infer<typeof flattenedRecord>;

export const flattened = z.object({
  networks: described(
    list(flattenedNetwork),
    'The networks in `flattenedIps`, each with the terms and records that authorize it',
  ),
  merged: described(
    z.nullable(list(network)),
    'The smallest set of ranges that covers exactly the authorized addresses; `null` if it is too large for any record',
    ['192.0.2.0/24'],
  ),
  kept: described(
    texts,
    'Terms that addresses cannot replace: they depend on the message, or a lookup failed',
    [],
  ),
  records: described(
    list(flattenedRecord),
    'TXT records that authorize the same clients with fewer DNS lookups; empty if there is no such set',
  ),
});

export type Flattened = z.infer<typeof flattened>;

export const allPolicy = described(
  z.enum(['-all', '~all', '+all', '?all'] satisfies `${Qualifier}all`[]),
  'The `all` mechanism: the result for clients that no other term matches',
);

export const spfVersion = described(z.enum(['spf1']), 'The version of SPF');

/** The result for clients that no other term matches. */
export type AllPolicy = z.infer<typeof allPolicy>;

/** What the SPF checker and the SPF check of a domain have in common (interface specification). */
export const spfFields = {
  record: described(
    z._default(textOrNull, null),
    'The SPF record; the first of several; `null` without one',
    'v=spf1 ip4:192.0.2.0/24 -all',
  ),
  records: several,
  version: described(z._default(z.nullable(spfVersion), null), 'The version in the record'),
  valid: described(z._default(z.boolean(), false), 'Whether receivers can evaluate the record', true),
  allPolicy: described(
    z._default(z.nullable(allPolicy), null),
    'The `all` mechanism; `null` without one',
    '-all',
  ),
  mechanisms: described(z._default(list(expandedTerm), []), 'The terms of the record'),
  includeTree: described(
    z._default(list(resolvedRecord), []),
    'The records that `include` and `redirect` terms refer to',
    [],
  ),
  lookupBreakdown: described(
    z._default(list(breakdownRow), []),
    'The terms that cause DNS lookups, in evaluation order',
    [],
  ),
  totalLookupCount: described(
    z._default(count, 0),
    'Number of DNS lookups of the whole tree; more than 10 are an error (RFC 7208 section 4.6.4)',
    0,
  ),
  flattenedIps: described(
    z._default(list(network), []),
    'All addresses and ranges that the record authorizes',
  ),
  detectedProviders: described(z._default(texts, []), 'Mail services that the record authorizes', [
    'SendGrid',
  ]),
};

const { valid: _valid, ...expandedFields } = spfFields;

export const expansionStatus = described(
  z.enum(['valid', 'invalid', 'no-record', 'unknown']),
  'The status of the record. `unknown`: some DNS lookups of the include tree failed, so the result is incomplete',
);

/** The expansion of a record, as stored. */
export const expansion = z.object({
  domain: described(text, 'The domain that was checked', 'example.org'),
  status: expansionStatus,
  ...expandedFields,
  recordLength: described(count, 'Length of the record in bytes; 0 without a record', 28),
  voidLookupCount: described(
    z.object({
      ip4: described(count, 'Number for IPv4 clients', 0),
      ip6: described(count, 'Number for IPv6 clients', 0),
    }),
    'Number of void lookups for clients of each address family that match nothing',
  ),
  flattened: described(flattened, 'The record without DNS lookups'),
  findings: described(list(finding), 'What is wrong'),
  unknown: described(texts, 'DNS lookups that failed, such as `example.org TXT`', []),
});

export type Expansion = z.infer<typeof expansion>;
