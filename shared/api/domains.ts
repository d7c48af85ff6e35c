/** Requests and responses of the domain and verification endpoints. */

import * as z from 'zod/mini';
import { usageType } from '../checks/state.ts';
import { described, domainName, oneOf, timestamp, url, uuid, withKeywords } from '../protocol/schema.ts';
import { grade } from '../score/grade.ts';
import { type Domain, ownedOf } from '../store/domains/domain.ts';
import { reportAddress } from '../store/domains/report-address.ts';
import { domainOrders } from '../store/domains/select-rows.ts';
import { badgePath } from './badges.ts';
import { shownResults } from './checks.ts';
import { boundedPagination, optionalFlag } from './common.ts';
import { changedFields, shownFields, tag } from './domain-fields.ts';
import { error } from './errors.ts';
import { jsonObject } from './json-object.ts';

const pagination = boundedPagination(100_000, 'use a filter, or read other domains by their ID');

export const domainOrder = described(
  oneOf(domainOrders),
  'An order of domains; with a hyphen, descending. Those of grades are by score, and `-grade` begins with the lowest; domains without a grade come last in both',
);

export const domainsQuery = z
  .object({
    ...pagination.shape,
    tag: described(z.optional(tag), 'Return only domains with this tag', 'production'),
    usageType: described(z.optional(usageType), 'Return only domains with this usage type'),
    verified: optionalFlag('Return only domains that are verified, or only those that are not'),
    grade: described(z.optional(grade), 'Return only domains whose latest score has this grade'),
    q: described(
      z.optional(
        z.string().check(z.toLowerCase(), z.maxLength(253, 'must not be longer than 253 characters')),
      ),
      'Return only domains whose name contains this text',
      'example',
    ),
    sort: described(
      z._default(domainOrder, 'createdAt'),
      'The order; with a hyphen, descending. Those of grades are by score, and `-grade` begins with the lowest; domains without a grade come last in both',
    ),
  })
  .check(pagination.check);

/** What every accepted name matches apart from internationalized names, which have an A-label for each of their labels. */
const HOST_NAME =
  '^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$';

export const createDomainBody = withKeywords(
  jsonObject({
    domain: withKeywords(
      described(
        z
          .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
          .check(z.maxLength(1000, 'is too long')),
        'The domain to register. An internationalized name can also be written in Unicode',
        'example.org',
      ),
      { minLength: 1, maxLength: 253, pattern: HOST_NAME },
    ),
    usageType: z._default(usageType, 'sends-and-receives'),
    testEmailLocalPart: changedFields.testEmailLocalPart,
    tags: changedFields.tags,
  }),
  {
    description: 'A domain that receives mail needs a test mailbox, and others have none',
    examples: [{ domain: 'example.org', testEmailLocalPart: 'postmaster' }],
  },
);

/** How many domains one request can register. */
export const MAX_BATCH = 100;

const batchMessage = `must be an array of 1 to ${MAX_BATCH} domains`;

/** Each element is validated on its own, so that an invalid one does not keep the others from being registered. */
export const createDomainsBody = jsonObject({
  domains: z
    .array(z.unknown(), batchMessage)
    .check(z.minLength(1, batchMessage), z.maxLength(MAX_BATCH, batchMessage)),
});

/** The bodies in which every domain can be registered, for the OpenAPI document. */
export const newDomains = z.object({
  domains: described(
    z.array(createDomainBody).check(z.minLength(1), z.maxLength(MAX_BATCH)),
    'The domains to register, each as in the request to register one domain',
    [
      { domain: 'example.org', testEmailLocalPart: 'postmaster', tags: ['production'] },
      { domain: 'example.net', usageType: 'parked' },
    ],
  ),
});

export const updateDomainBody = withKeywords(
  jsonObject({
    ...changedFields,
    badge: described(
      z.optional(z.boolean('must be true or false')),
      'Whether the domain has a public badge with its score; only for verified domains',
      true,
    ),
  }),
  { minProperties: 1, examples: [{ usageType: 'parked' }] },
).check(
  z.refine(
    (body) => Object.values(body).some((value) => value !== undefined),
    `must contain at least one of ${Object.keys(changedFields).join(', ')}, and badge`,
  ),
);

const MAILBOX = 'mailto:k7m2q9x4t8w3z5c1@reports.example.net';

export const reporting = z.object({
  ruaAddress: described(z.string(), 'The value for the rua tag of the DMARC record', MAILBOX),
  rufAddress: described(
    z.string(),
    'The value for the ruf tag of the DMARC record; failure reports are stored, and only tokens with the scope `admin` can download them',
    MAILBOX,
  ),
  tlsRptAddress: described(z.string(), 'The value for the rua tag of the TLS-RPT record', MAILBOX),
});

const domainFields = {
  id: described(uuid, 'ID of the domain'),
  domain: described(domainName, 'The name of the domain: lowercase, as A-labels'),
  verified: described(z.boolean(), 'Whether ownership of the domain is verified'),
  usageType,
  testEmailLocalPart: shownFields.testEmailLocalPart,
  tags: shownFields.tags,
  reporting: described(reporting, 'The addresses of the report mailbox of the domain'),
  createdAt: described(timestamp, 'When the domain was registered'),
};

const storedFields = {
  ...shownFields,
  lastCheckedAt: described(
    z.nullable(timestamp),
    'Time of the latest check run; `null` before the first one',
  ),
  badgeUrl: described(
    z.nullable(url),
    'URL of the badge, a public image of the grade and score; `null` if the badge is disabled',
    'https://monitor.example.net/badge/5f2c8e0b7a914d36b1e4f7a2c3d60985.svg',
  ),
  updatedAt: described(timestamp, 'When the domain was last changed'),
};

const verificationToken = described(
  z.string(),
  'The token in the value of the verification record',
  'b7f0c2d8e1a94f63',
);

export const createdDomain = z.object({ ...domainFields, verificationToken });

const STATUS = 'The status that the request to register this domain alone would have had';

export const registeredOutcome = z.object({
  outcome: described(z.literal('registered'), 'Tells a registered domain from a refused one', 'registered'),
  status: described(z.literal(201), STATUS, 201),
  domain: described(createdDomain, 'The registered domain'),
});

export const refusedStatus = described(z.literal([400, 403, 409]), STATUS, 409);

export const refusedOutcome = z.object({
  outcome: described(z.literal('refused'), 'Tells a refused domain from a registered one', 'refused'),
  status: refusedStatus,
  error: described(error, 'Why the domain was not registered, as in error responses', {
    code: 'domain_exists',
    message: 'The organization has already registered this domain.',
  }),
});

/** What became of one domain of a batch. */
export const batchOutcome = z.discriminatedUnion('outcome', [registeredOutcome, refusedOutcome]);

export const listedDomain = z.object({ ...domainFields, ...storedFields });

export const updatedDomain = z.object({ ...domainFields, ...storedFields, verificationToken });

export const ownership = z.object({
  provenAt: described(timestamp, 'When a lookup last found the verification record'),
  missingSince: described(
    z.nullable(timestamp),
    'When a lookup first found that the record is missing; `null` if it is not known to be missing',
  ),
});

export const domainWithChecks = z.object({
  ...domainFields,
  ...storedFields,
  verificationToken,
  ownership: described(
    z.nullable(ownership),
    'The proof of ownership, which is repeated every 30 days; `null` for a domain that is not verified',
    { provenAt: '2026-01-31T12:00:00.000Z', missingSince: null },
  ),
  checks: described(z.nullable(shownResults), 'The latest check results; `null` before the first check run'),
  checksAt: described(z.exactOptional(timestamp), 'With `at`: the check run that `checks` are of'),
});

export const deleted = z.object({ deleted: described(z.literal(true), 'Always true') });

export const verificationRecord = z.object({
  hostname: described(z.string(), 'The name to publish the record at', '_svc.example.org'),
  type: described(z.literal('TXT'), 'The type of the record'),
  value: described(z.string(), 'The value of the record', 'svc-verify=b7f0c2d8e1a94f63'),
});

export const verificationStatus = z.object({
  verified: described(z.boolean(), 'Whether ownership of the domain is verified', false),
  verificationRecord: described(verificationRecord, 'The record to publish'),
});

export const verificationAttempt = z.object({
  verified: described(z.boolean(), 'Whether the record was found'),
  message: described(z.string(), 'The result as a sentence', 'The domain is verified.'),
  expected: described(z.optional(verificationRecord), 'The record to publish; only if verification failed'),
});

/** The name, origin, and report domain of the service (placeholders in the interface specification). */
export interface Naming {
  readonly hostUrl: string;
  readonly serviceLabel: string;
  readonly reportsDomain: string;
}

function showReporting(domain: Domain, { reportsDomain }: Naming): z.output<typeof reporting> {
  const address = `mailto:${reportAddress(domain, reportsDomain)}`;
  return { ruaAddress: address, rufAddress: address, tlsRptAddress: address };
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

/** What lookups of the verification record found; null for a domain that is not verified. */
export function showOwnership({ verified, ownership: known }: Domain): z.output<typeof ownership> | null {
  if (!verified || known === undefined) return null;
  return { provenAt: known.provenAt, missingSince: known.missing?.since ?? null };
}

/** A domain in lists and in responses to updates. */
export function showDomain(domain: Domain, naming: Naming): z.output<typeof listedDomain> {
  const { hostUrl } = naming;
  return {
    id: domain.id,
    domain: domain.domain,
    verified: domain.verified,
    ...ownedOf(domain),
    reporting: showReporting(domain, naming),
    lastCheckedAt: domain.lastCheckedAt,
    badgeUrl: domain.badgeToken === undefined ? null : `${hostUrl}${badgePath(domain.badgeToken)}`,
    createdAt: domain.createdAt,
    updatedAt: domain.updatedAt,
  };
}
