/** The eight check results and the score as the API shows them. */
import * as z from 'zod/mini';
import type { CheckName, CheckResults } from '../checks/results.ts';
import { described, timestamp } from './common.ts';

const state = described(
  z.enum(['pass', 'warning', 'fail', 'absent', 'not-applicable', 'unknown']),
  'pass: as it should be. warning: works, with findings. fail: there and broken. absent: not there. ' +
    'not-applicable: makes no sense for this domain. unknown: could not be asked, and says nothing about the domain.',
);

export const finding = z.object({
  id: described(z.string(), 'Stable name of the rule'),
  severity: z.enum(['error', 'warning', 'notice']),
  subject: z.optional(z.string()),
  arguments: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  message: z.string(),
  cites: described(z.string(), 'The document and section it rests on'),
  fix: z.string(),
});

const text = z.string();
const texts = z.array(z.string());
const several = described(
  z.optional(texts),
  'All of them where the name has several: receivers then take none, or any',
);
const count = z.int().check(z.minimum(0));
const textOrNull = z.nullable(z.string());
const flagOrNull = z.nullable(z.boolean());

const outcome = {
  state,
  findings: z.array(finding),
  asOf: described(z.optional(timestamp), 'Time of the observation, where it is older than the latest check'),
};

export const problems = { errors: texts, warnings: texts };

const mx = z.object({
  records: z.array(z.object({ priority: count, exchange: text })),
  hosts: z.array(
    z.object({
      hostname: text,
      priority: count,
      ip: textOrNull,
      tlsSupported: flagOrNull,
      starttlsSupported: flagOrNull,
      certificateExpiry: z.nullable(timestamp),
      state,
    }),
  ),
  tlsSupported: described(flagOrNull, 'null: could not be asked'),
  daneSupported: described(flagOrNull, 'null: could not be asked'),
  emailReceptionCapability: described(
    z.nullable(z.enum(['active', 'null-mx', 'no-mail', 'unreachable', 'relay-denied'])),
    'null: could not be asked',
  ),
  ...outcome,
});

export const network = described(text, 'An address or a range in CIDR form');

const lookupState = z.enum(['found', 'absent', 'unavailable', 'not-asked']);

const spfTerm = z.object({
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
const spfRecord = z.object({
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

z.globalRegistry.add(spfRecord, { id: 'SpfRecord', description: 'A record of the include tree' });

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

const spf = z.object({ ...spfFields, ...problems, ...outcome });

const dkim = z.object({
  selector: text,
  record: textOrNull,
  records: several,
  version: textOrNull,
  keyType: textOrNull,
  keySize: z.nullable(count),
  publicKey: textOrNull,
  valid: z.boolean(),
  revoked: z.boolean(),
  testing: z.boolean(),
  ...problems,
  ...outcome,
});

const dmarc = z.object({
  record: textOrNull,
  records: several,
  version: textOrNull,
  policy: textOrNull,
  subdomainPolicy: textOrNull,
  percentage: z.nullable(count),
  aspf: textOrNull,
  adkim: textOrNull,
  rua: texts,
  ruf: texts,
  valid: z.boolean(),
  policyDomain: described(textOrNull, 'Whose record applies: this domain, or an ancestor'),
  effectivePolicy: described(
    z.nullable(z.enum(['none', 'quarantine', 'reject'])),
    'What receivers apply to this domain',
  ),
  testing: z.boolean(),
  ...problems,
  ...outcome,
});

const mtaSts = z.object({
  dnsRecord: textOrNull,
  records: several,
  dnsVersion: textOrNull,
  dnsId: textOrNull,
  policyFetched: z.boolean(),
  policyVersion: textOrNull,
  policyMode: textOrNull,
  policyMx: texts,
  policyMaxAge: z.nullable(count),
  valid: z.boolean(),
  ...problems,
  ...outcome,
});

const tlsRpt = z.object({
  record: textOrNull,
  records: several,
  version: textOrNull,
  rua: texts,
  valid: z.boolean(),
  ...problems,
  ...outcome,
});

const bimi = z.object({
  selector: text,
  record: textOrNull,
  records: several,
  version: textOrNull,
  location: textOrNull,
  authority: textOrNull,
  logoFetched: z.boolean(),
  logoValid: z.boolean(),
  logoContentType: textOrNull,
  valid: z.boolean(),
  ...problems,
  ...outcome,
});

const dnssec = z.object({
  enabled: z.boolean(),
  valid: z.boolean(),
  chainValid: z.boolean(),
  dsRecords: z.array(z.object({ keyTag: count, algorithm: count, digestType: count, digest: text })),
  ...problems,
  ...outcome,
});

/** `dkim` is the interface specification's array; what is known of the check as a whole stands beside it in `dkimSummary`. */
export const checkResults = z.object({
  mx,
  spf,
  dkim: z.array(dkim),
  dkimSummary: z.object(outcome),
  dmarc,
  mtaSts,
  tlsRpt,
  bimi,
  dnssec,
});

export const checkRun = z.object({ checkedAt: timestamp, results: checkResults });

/** The stored results in the API's form. */
export function showChecks({
  dkim: { selectors, ...dkimSummary },
  ...others
}: CheckResults): z.output<typeof checkResults> {
  return { ...others, dkim: selectors, dkimSummary } as unknown as z.output<typeof checkResults>;
}

const component = z.object({
  component: z.enum(['mx', 'spf', 'dkim', 'dmarc', 'mtaSts', 'tlsRpt', 'bimi', 'dnssec', 'dane'] satisfies (
    | CheckName
    | 'dane'
  )[]),
  points: z.number(),
  maximum: z.number(),
  gain: described(z.number(), 'How many points of the score are still to be won here'),
  state,
  reason: text,
  todo: textOrNull,
});

export const score = z.object({
  score: z.nullable(z.int().check(z.minimum(0), z.maximum(100))),
  grade: z.nullable(z.enum(['A', 'B', 'C', 'D', 'F'])),
  label: z.enum(['Excellent', 'Good', 'Fair', 'Poor', 'Critical', 'Not checked']),
  usageType: text,
  lastCheckedAt: z.nullable(timestamp),
  breakdown: described(
    z.object({
      mx: z.object({ configured: flagOrNull, tlsSupported: flagOrNull, daneSupported: flagOrNull }),
      spf: z.object({ valid: flagOrNull, policy: textOrNull }),
      dkim: z.object({ configured: flagOrNull, validSelectors: count, totalSelectors: count }),
      dmarc: z.object({ valid: flagOrNull, policy: textOrNull, reportingConfigured: flagOrNull }),
      mtaSts: z.object({ valid: flagOrNull, mode: textOrNull }),
      tlsRpt: z.object({ valid: flagOrNull, reportingConfigured: flagOrNull }),
      bimi: z.object({ configured: flagOrNull, logoValid: flagOrNull }),
      dnssec: z.object({ enabled: flagOrNull, valid: flagOrNull }),
    }),
    'null: could not be asked, or there is no policy or mode',
  ),
  components: described(
    z.readonly(z.array(component)),
    'Points per component, those with most to gain first',
  ),
  confidence: described(z.number(), 'The share of the weights that could be judged, 0 to 1'),
  message: described(z.optional(text), 'Only where there is no score: what to do to get one'),
});
