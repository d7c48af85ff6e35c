/** Requests and answers of the domain and verification endpoints. */
import * as z from 'zod/mini';
import type { UsageType } from '../checks/results.ts';
import type { Domain } from '../store/domains/domains.ts';
import { badgePath } from './badges.ts';
import { checkResults } from './checks.ts';
import { described, timestamp, uuid } from './common.ts';

const usageTypes = [
  'sends-and-receives',
  'receives-only',
  'sends-only',
  'parked',
] as const satisfies readonly UsageType[];

const usageType = z.enum(usageTypes, `must be one of ${usageTypes.join(', ')}`);

/** RFC 5321 section 4.1.2 Dot-string, at most 64 octets (section 4.5.3.1.1). */
const localPart = described(
  z
    .string('must be a string')
    .check(
      z.regex(
        /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/,
        "must be the part of an address before the @, of letters, digits and !#$%&'*+-/=?^_`{|}~ with single dots inside, at most 64 characters",
      ),
    ),
  'Local part of the mailbox that delivery checks ask for; null where no email is received, whatever comes along with such a usageType',
);

export const createDomainBody = z.object(
  {
    domain: described(
      z
        .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
        .check(z.maxLength(1000, 'is too long')),
      'The mail domain to register',
    ),
    usageType: z._default(usageType, 'sends-and-receives'),
    testEmailLocalPart: z.optional(z.nullable(localPart)),
  },
  'must be a JSON object',
);

export const updateDomainBody = z
  .object(
    {
      usageType: z.optional(usageType),
      testEmailLocalPart: z.optional(z.nullable(localPart)),
      badge: described(
        z.optional(z.boolean('must be true or false')),
        'Whether anybody who knows badgeUrl may see the score; only for a domain whose ownership is proven',
      ),
    },
    'must be a JSON object',
  )
  .check(
    z.refine(
      (body) => Object.values(body).some((value) => value !== undefined),
      'must hold one of usageType, testEmailLocalPart and badge, or several',
    ),
  );

/** Whether a domain of this usage takes mail, and so needs a test mailbox. */
export function receivesMail(usage: UsageType): boolean {
  return usage === 'sends-and-receives' || usage === 'receives-only';
}

export const reporting = z.object({
  ruaAddress: described(z.string(), 'Put this into the rua tag of the DMARC record, exactly as it is'),
  rufAddress: described(
    z.string(),
    'Put this into the ruf tag of the DMARC record, exactly as it is; failure reports are kept, and not shown',
  ),
  tlsRptAddress: described(z.string(), 'Put this into the rua tag of the TLS-RPT record, exactly as it is'),
});

const domainFields = {
  id: uuid,
  domain: z.string(),
  verified: z.boolean(),
  usageType,
  testEmailLocalPart: z.nullable(z.string()),
  reporting,
  createdAt: timestamp,
};

const storedFields = {
  lastCheckedAt: z.nullable(timestamp),
  badgeUrl: described(
    z.nullable(z.string()),
    'An image of grade and score that may be shown anywhere; null while it is off',
  ),
  updatedAt: timestamp,
};

export const createdDomain = z.object({ ...domainFields, verificationToken: z.string() });

export const listedDomain = z.object({ ...domainFields, ...storedFields });

export const updatedDomain = z.object({ ...domainFields, ...storedFields, verificationToken: z.string() });

export const domainWithChecks = z.object({
  ...domainFields,
  ...storedFields,
  verificationToken: z.string(),
  checks: described(z.nullable(checkResults), 'The latest stored results; null before the first check'),
});

export const deleted = z.object({ deleted: z.literal(true) });

const verificationRecord = z.object({ hostname: z.string(), type: z.literal('TXT'), value: z.string() });

export const verificationStatus = z.object({ verified: z.boolean(), verificationRecord });

export const verificationAttempt = z.object({
  verified: z.boolean(),
  message: z.string(),
  expected: described(
    z.optional(verificationRecord),
    'What has to be published; only where verification failed',
  ),
});

/** How the service calls itself, its origin and its report domain in what it shows (the interface specification's placeholders). */
export interface Naming {
  readonly hostUrl: string;
  readonly serviceLabel: string;
  readonly reportsDomain: string;
}

export function showReporting({ mailbox }: Domain, { reportsDomain }: Naming): z.output<typeof reporting> {
  const address = `mailto:${mailbox}@${reportsDomain}`;
  return { ruaAddress: address, rufAddress: address, tlsRptAddress: address };
}

export function showVerificationRecord(
  { domain, verificationToken }: Domain,
  { serviceLabel }: Naming,
): z.output<typeof verificationRecord> {
  return {
    hostname: `_${serviceLabel}.${domain}`,
    type: 'TXT',
    value: `${serviceLabel}-verify=${verificationToken}`,
  };
}

/** A domain as lists and updates show it. */
export function showDomain(domain: Domain, naming: Naming): z.output<typeof listedDomain> {
  const { hostUrl } = naming;
  return {
    id: domain.id,
    domain: domain.domain,
    verified: domain.verified,
    usageType: domain.usageType,
    testEmailLocalPart: domain.testEmailLocalPart,
    reporting: showReporting(domain, naming),
    lastCheckedAt: domain.lastCheckedAt,
    badgeUrl: domain.badgeToken === undefined ? null : `${hostUrl}${badgePath(domain.badgeToken)}`,
    createdAt: domain.createdAt,
    updatedAt: domain.updatedAt,
  };
}
