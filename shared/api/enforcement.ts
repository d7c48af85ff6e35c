/** Requests of senders, simulations and enforcement; `shared/enforcement/shapes.ts` has the responses. */
import * as z from 'zod/mini';
import { senderIdPattern } from '../enforcement/sender-fields.ts';
import { attestable, senderStatus } from '../enforcement/shapes.ts';
import { described, withKeywords } from '../protocol/schema.ts';
import { boundedPagination, domainPath, flag, missing, paginationQuery } from './common.ts';
import { jsonObject } from './json-object.ts';
import { inOrder, period } from './report-queries.ts';

const pagination = boundedPagination(10_000, 'narrow the period with startDate and endDate');

export const senderFilter = described(
  z.enum([...senderStatus.options, 'none'], 'must be one of approved, forwarder, unauthorized and none'),
  'The status of a sender, or `none` for those without a decision',
);

export const sendersQuery = z
  .object({
    ...pagination.shape,
    ...period,
    status: described(
      z.optional(senderFilter),
      'Only senders with this status; `none`: those without a decision',
    ),
    failing: flag('Only senders with messages that failed DMARC'),
  })
  .check(pagination.check, inOrder);

export const organizationSourcesQuery = z.extend(paginationQuery, {
  failing: flag('Only senders with messages that failed DMARC'),
});

export const reportersQuery = z.object({ ...pagination.shape, ...period }).check(pagination.check, inOrder);

export const senderPath = z.object({
  ...domainPath.shape,
  senderId: described(
    z.string().check(z.regex(senderIdPattern, missing.sender)),
    'The `id` in the list of senders',
    'provider-N2Q4m0J5cV8y1xW3bT6sKg',
  ),
});

const MAX_NOTE = 1000;

const note = z
  .string('must be a string or null')
  .check(z.maxLength(MAX_NOTE, `must not have more than ${MAX_NOTE} characters`));

export const updateSenderBody = jsonObject({
  status: described(
    z.optional(z.nullable(senderStatus)),
    'Your decision; `null` takes it back. Approving a provider approves the mail that DKIM or SPF ' +
      'authenticates in the name of your domain. Its other customers cannot be approved',
  ),
  note: described(z.optional(z.nullable(note)), 'A note of your own; `null` removes it', 'Newsletters'),
}).check(
  z.refine(
    ({ status, note }) => status !== undefined || note !== undefined,
    'must contain status, note, or both',
  ),
  z.meta({ minProperties: 1, examples: [{ status: 'approved', note: 'Newsletters' }] }),
);

/** Longer texts cannot be published in one answer. */
const MAX_RECORD = 4000;

const record = z
  .string('must be a string')
  .check(z.maxLength(MAX_RECORD, `must not have more than ${MAX_RECORD} characters`));

export const simulationBody = jsonObject({
  dmarc: described(
    z.optional(record),
    'The proposed DMARC record as text; by default, the current one stays',
    'v=DMARC1; p=quarantine; rua=mailto:dmarc@example.org',
  ),
  spf: described(
    z.optional(record),
    'The proposed SPF record as text; by default, the current one stays',
    'v=spf1 include:_spf.example.net -all',
  ),
  ...period,
}).check(
  z.refine(({ dmarc, spf }) => dmarc !== undefined || spf !== undefined, 'must contain dmarc, spf, or both'),
  inOrder,
  z.meta({
    description: 'Contains `dmarc`, `spf`, or both',
    minProperties: 1,
    examples: [{ dmarc: 'v=DMARC1; p=quarantine; rua=mailto:dmarc@example.org' }],
  }),
);

export const attestationsBody = jsonObject({
  attested: withKeywords(
    described(
      z.object(z.partial(attestable).shape, 'must be an object'),
      'What you attest (`true`) or take back (`false`)',
      { volume: true },
    ),
    { minProperties: 1 },
  ),
}).check(
  z.refine(
    ({ attested }) => Object.values(attested).some((value) => value !== undefined),
    'must contain at least one attestation',
  ),
);
