/** The eight check results and the score in the format of the API. */
import * as z from 'zod/mini';
import type { CheckName, CheckResults } from '../checks/results.ts';
import { count, described, flagOrNull, text, textOrNull, texts, timestamp } from './common.ts';
import { finding, problems, several } from './findings.ts';
import { spfFields } from './spf.ts';

const state = described(
  z.enum(['pass', 'warning', 'fail', 'absent', 'not-applicable', 'unknown']),
  '`pass`: no problems. `warning`: works, but has findings. `fail`: present, but broken. `absent`: not present. ' +
    '`not-applicable`: does not apply to this domain. `unknown`: lookups failed, so nothing is known',
);

const outcome = {
  state,
  findings: z.array(finding),
  asOf: described(z.optional(timestamp), 'Time of the observation, if it is older than the latest check run'),
};

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
  tlsSupported: described(flagOrNull, '`null` if unknown'),
  daneSupported: described(flagOrNull, '`null` if unknown'),
  emailReceptionCapability: described(
    z.nullable(z.enum(['active', 'null-mx', 'no-mail', 'unreachable', 'relay-denied'])),
    '`active`: at least one MX host accepts mail for the domain. `null-mx`: null MX (RFC 7505). `no-mail`: no MX ' +
      'records. `unreachable`: no MX host is reachable. `relay-denied`: the MX hosts reject mail for the domain. `null` if unknown',
  ),
  ...outcome,
});

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
  testing: described(
    z.boolean(),
    'Test mode (t=y): verifiers treat mail that is signed with this key as unsigned',
  ),
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
  policyDomain: described(textOrNull, 'The domain whose record applies: this domain or a parent domain'),
  effectivePolicy: described(
    z.nullable(z.enum(['none', 'quarantine', 'reject'])),
    'The policy that receivers apply to this domain',
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

/** `dkim` is an array by the interface specification, so the state of the whole DKIM check is in `dkimSummary`. */
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

/** The stored results in the format of the API. */
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
  gain: described(z.number(), 'How many points the score can still gain from this component'),
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
    '`null` if unknown, or if there is no policy or mode',
  ),
  components: described(z.readonly(z.array(component)), 'Points per component, largest possible gain first'),
  confidence: described(
    z.number(),
    'The share of the weights that could be scored, from 0 to 1; below 1 if lookups failed',
  ),
  message: described(z.optional(text), 'Only if there is no score: how to get one'),
});
