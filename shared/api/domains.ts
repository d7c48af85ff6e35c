/** Requests and responses of the domain and verification endpoints. */

import * as z from 'zod/mini';
import { type UsageType, usageTypes } from '../checks/state.ts';
import { isSelector } from '../protocol/dkim/selector-syntax.ts';
import { described, timestamp, uuid } from '../protocol/schema.ts';
import type { Domain } from '../store/domains/domain.ts';
import { reportAddress } from '../store/domains/report-address.ts';
import { badgePath } from './badges.ts';
import { shownResults } from './checks.ts';
import { boundedPagination } from './common.ts';

const usageType = z.enum(usageTypes, `must be one of ${usageTypes.join(', ')}`);

/** RFC 5321 section 4.1.2 Dot-string, at most 64 octets (section 4.5.3.1.1). */
const localPart = described(
  z
    .string('must be a string')
    .check(
      z.regex(
        /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/,
        "must be the part of an address before the @: at most 64 letters, digits, and !#$%&'*+-/=?^_`{|}~ characters, optionally separated by single dots",
      ),
    ),
  'Local part of the mailbox that the delivery check uses as a recipient. Required if the domain receives mail. For other usage types it is ignored and stored as `null`',
);

/** A domain rarely needs more than a few selectors per sending service; each costs a lookup in every check run. */
const MAX_SELECTORS = 20;

const dkimSelector = z.string('must be a string').check(
  z.toLowerCase(),
  z.refine(
    (text) => isSelector(text) && !text.includes('_domainkey'),
    'must be a DKIM selector: the letters, digits, hyphens, underscores and dots before ._domainkey',
  ),
);

const pagination = boundedPagination(100_000, 'read other domains by their ID');

export const domainsQuery = z.object(pagination.shape).check(pagination.check);

export const createDomainBody = z.object(
  {
    domain: described(
      z
        .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
        .check(z.maxLength(1000, 'is too long')),
      'The domain to register',
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
      dkimSelectors: described(
        z.optional(
          z
            .array(dkimSelector, 'must be an array')
            .check(z.maxLength(MAX_SELECTORS, `must have at most ${MAX_SELECTORS} selectors`)),
        ),
        'The DKIM selectors of your mail, which every check run looks up. Replaces the previous list',
      ),
      badge: described(
        z.optional(z.boolean('must be true or false')),
        'Whether the domain has a public badge with its score; only for verified domains',
      ),
    },
    'must be a JSON object',
  )
  .check(
    z.refine(
      (body) => Object.values(body).some((value) => value !== undefined),
      'must contain at least one of usageType, testEmailLocalPart, dkimSelectors, and badge',
    ),
  );

/** Whether a domain of this usage type receives mail, and so needs a test mailbox. */
export function receivesMail(usage: UsageType): boolean {
  return usage === 'sends-and-receives' || usage === 'receives-only';
}

export const reporting = z.object({
  ruaAddress: described(z.string(), 'The value for the rua tag of the DMARC record'),
  rufAddress: described(
    z.string(),
    'The value for the ruf tag of the DMARC record; failure reports are stored, but not displayed',
  ),
  tlsRptAddress: described(z.string(), 'The value for the rua tag of the TLS-RPT record'),
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
  dkimSelectors: described(
    z.array(z.string()),
    'The DKIM selectors that you named, which every check run looks up beside common ones and those seen in reports and mail tests',
  ),
  lastCheckedAt: z.nullable(timestamp),
  badgeUrl: described(
    z.nullable(z.string()),
    'URL of the badge, a public image of the grade and score; `null` if the badge is disabled',
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
  checks: described(z.nullable(shownResults), 'The latest check results; `null` before the first check run'),
});

export const deleted = z.object({ deleted: z.literal(true) });

const verificationRecord = z.object({ hostname: z.string(), type: z.literal('TXT'), value: z.string() });

export const verificationStatus = z.object({ verified: z.boolean(), verificationRecord });

export const verificationAttempt = z.object({
  verified: z.boolean(),
  message: z.string(),
  expected: described(z.optional(verificationRecord), 'The record to publish; only if verification failed'),
});

/** The name, origin, and report domain of the service (placeholders in the interface specification). */
export interface Naming {
  readonly hostUrl: string;
  readonly serviceLabel: string;
  readonly reportsDomain: string;
}

export function showReporting(domain: Domain, { reportsDomain }: Naming): z.output<typeof reporting> {
  const address = `mailto:${reportAddress(domain, reportsDomain)}`;
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

/** A domain in lists and in responses to updates. */
export function showDomain(domain: Domain, naming: Naming): z.output<typeof listedDomain> {
  const { hostUrl } = naming;
  return {
    id: domain.id,
    domain: domain.domain,
    verified: domain.verified,
    usageType: domain.usageType,
    testEmailLocalPart: domain.testEmailLocalPart,
    reporting: showReporting(domain, naming),
    dkimSelectors: domain.dkimSelectors,
    lastCheckedAt: domain.lastCheckedAt,
    badgeUrl: domain.badgeToken === undefined ? null : `${hostUrl}${badgePath(domain.badgeToken)}`,
    createdAt: domain.createdAt,
    updatedAt: domain.updatedAt,
  };
}
