/** Requests and responses of the domain and verification endpoints. */

import * as z from 'zod/mini';
import { type UsageType, usageTypes } from '../checks/state.ts';
import { isSelector } from '../protocol/dkim/selector-syntax.ts';
import { described, timestamp, uuid } from '../protocol/schema.ts';
import { grade } from '../score/grade.ts';
import type { Domain } from '../store/domains/domain.ts';
import { reportAddress } from '../store/domains/report-address.ts';
import { domainOrders } from '../store/domains/select-rows.ts';
import { badgePath } from './badges.ts';
import { shownResults } from './checks.ts';
import { boundedPagination, optionalFlag } from './common.ts';

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

const MAX_TAGS = 20;
const MAX_TAG = 50;

const tag = z
  .string('must be a string')
  .check(
    z.trim(),
    z.minLength(1, 'must not be empty'),
    z.maxLength(MAX_TAG, `must not be longer than ${MAX_TAG} characters`),
    z.regex(/^\P{Cc}*$/u, 'must not contain control characters'),
  );

/** Tags in a request, without duplicates. */
const givenTags = described(
  z.pipe(
    z
      .array(tag, 'must be an array of strings')
      .check(z.maxLength(MAX_TAGS, `must not be more than ${MAX_TAGS}`)),
    z.transform((tags) => [...new Set(tags)]),
  ),
  'Labels of your own, to filter by',
  ['production', 'customer:42'],
);

const pagination = boundedPagination(100_000, 'use a filter, or read other domains by their ID');

const gradeMessage = `must be one of ${grade.options.join(', ')}`;

export const domainsQuery = z
  .object({
    ...pagination.shape,
    tag: described(z.optional(tag), 'Return only domains with this tag', 'production'),
    usageType: described(z.optional(usageType), 'Return only domains with this usage type'),
    verified: optionalFlag('Return only domains that are verified, or only those that are not'),
    grade: described(
      z.optional(z.enum(grade.options, gradeMessage)),
      'Return only domains whose latest score has this grade',
    ),
    q: described(
      z.optional(
        z.string().check(z.toLowerCase(), z.maxLength(253, 'must not be longer than 253 characters')),
      ),
      'Return only domains whose name contains this text',
      'example',
    ),
    sort: described(
      z._default(z.enum(domainOrders, `must be one of ${domainOrders.join(', ')}`), 'createdAt'),
      'The order; with a hyphen, descending. Domains without a grade come after all grades',
    ),
  })
  .check(pagination.check);

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
    tags: z.optional(givenTags),
  },
  'must be a JSON object',
);

/** How many domains one request can register. */
export const MAX_BATCH = 100;

const batchMessage = `must be an array of 1 to ${MAX_BATCH} domains`;

/** Each element is validated on its own, so that an invalid one does not keep the others from being registered. */
export const createDomainsBody = z.object(
  {
    domains: described(
      z
        .array(z.union([createDomainBody, z.unknown()]), batchMessage)
        .check(z.minLength(1, batchMessage), z.maxLength(MAX_BATCH, batchMessage)),
      'The domains to register, each as in the request to register one domain',
      [
        { domain: 'example.org', testEmailLocalPart: 'postmaster', tags: ['production'] },
        { domain: 'example.net', usageType: 'parked' },
      ],
    ),
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
      tags: z.optional(givenTags),
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
      'must contain at least one of usageType, testEmailLocalPart, dkimSelectors, tags, and badge',
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
  tags: described(z.array(z.string()), 'Labels of your own', ['production']),
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

/** What became of one domain of a batch. */
export const batchOutcome = z.object({
  status: described(
    z.literal([201, 400, 403, 409]),
    'The status that the request to register this domain alone would have had',
  ),
  domain: z.optional(createdDomain),
  error: described(
    z.optional(
      z.object({
        code: z.string(),
        message: z.string(),
        details: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
      }),
    ),
    'Why the domain was not registered, as in error responses',
    { code: 'domain_exists', message: 'The organization has already registered this domain.' },
  ),
});

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

/** A domain in responses to its registration. */
export function showCreatedDomain(domain: Domain, naming: Naming): z.output<typeof createdDomain> {
  const { id, domain: name, verified, verificationToken, usageType, testEmailLocalPart } = domain;
  const { tags, createdAt } = domain;
  const reporting = showReporting(domain, naming);
  return {
    ...{ id, domain: name, verified, verificationToken, usageType, testEmailLocalPart },
    ...{ tags, createdAt, reporting },
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
    tags: domain.tags,
    reporting: showReporting(domain, naming),
    dkimSelectors: domain.dkimSelectors,
    lastCheckedAt: domain.lastCheckedAt,
    badgeUrl: domain.badgeToken === undefined ? null : `${hostUrl}${badgePath(domain.badgeToken)}`,
    createdAt: domain.createdAt,
    updatedAt: domain.updatedAt,
  };
}
