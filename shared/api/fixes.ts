/** Requests and responses of previews and recommended changes. */
import * as z from 'zod/mini';
import { checkNames } from '../checks/state.ts';
import { severity } from '../protocol/findings/finding.ts';
import { count, described, list, text, texts, timestamp } from '../protocol/schema.ts';
import { zoneTypes } from '../protocol/zone-file/record-set.ts';
import { points } from '../score/grade.ts';
import { score, shownResults } from './checks.ts';

/** A zone of mail records has a few kilobytes. */
const MAX_ZONE = 200_000;
const MAX_CHANGES = 500;
const MAX_VALUES = 200;

const type = z.enum(zoneTypes, `must be one of ${zoneTypes.join(', ')}`);
const ttl = z
  .int('must be a number of seconds')
  .check(z.minimum(0, 'must not be negative'), z.maximum(2 ** 31 - 1, 'is too large'));

/** Fields that only a plan has, such as `resolves`, are accepted and ignored, so that changes of a plan can be sent back. */
const proposedChange = z.object(
  {
    name: described(
      z.string('must be a string').check(z.maxLength(254, 'is too long')),
      'Name of the record set',
    ),
    type,
    ttl: z.optional(ttl),
    after: described(
      z
        .array(z.string('must be a string'), 'must be an array')
        .check(z.maxLength(MAX_VALUES, 'has too many records')),
      'All records of the set after the change; empty to remove it. Names have no trailing dot, TXT values no quotes',
    ),
  },
  'must be a JSON object',
);

export const previewBody = z
  .object(
    {
      changes: z.optional(
        z.array(proposedChange, 'must be an array').check(z.maxLength(MAX_CHANGES, 'has too many changes')),
      ),
      zone: described(
        z.optional(z.string('must be a string').check(z.maxLength(MAX_ZONE, 'is too long'))),
        'A zone file (RFC 1035 section 5). Each record set in it replaces the published one; a line `;remove <name> <type>` removes one. SOA and other records that no check depends on are ignored',
      ),
    },
    'must be a JSON object',
  )
  .check(
    z.refine(
      ({ changes, zone }) => (changes === undefined) !== (zone === undefined),
      'must contain either changes or zone',
    ),
    z.meta({ examples: [{ zone: '_dmarc 3600 IN TXT "v=DMARC1; p=none; rua=mailto:dmarc@example.com"' }] }),
  );

const placedFinding = z.object({
  check: z.enum(checkNames),
  id: described(text, 'Stable ID of the rule'),
  subject: z.exactOptional(text),
  severity,
});

export const preview = z.object({
  checkedAt: timestamp,
  results: shownResults,
  score,
  scoreBefore: described(z.nullable(points), 'The score without the change, from the same lookups'),
  resolved: described(list(placedFinding), 'Findings that the change removes'),
  introduced: described(list(placedFinding), 'Findings that the change causes'),
});

const fixClass = described(
  z.enum(['safe', 'needs-decision', 'advice']),
  '`safe`: cannot hurt mail. `needs-decision`: depends on what only you know. `advice`: concerns records that others write',
);

const change = z.object({
  id: text,
  class: fixClass,
  action: z.enum(['add', 'replace', 'remove']),
  name: described(text, 'Name of the record set, without trailing dot'),
  type: z.enum(zoneTypes),
  ttl: count,
  before: described(
    texts,
    'The records that the change applies to: those published, after the changes before it',
  ),
  after: described(texts, 'All records of the set after the change; TXT values without quotes'),
  resolves: described(texts, 'IDs of findings of which none remains'),
  gain: described(z.number(), 'By how much the score rises after the changes before it'),
  reason: text,
  evidence: described(texts, 'The messages of the findings that the change resolves'),
  rollback: text,
  waitSeconds: described(count, 'How long resolvers may still answer with the old records'),
});

const examplePlan = {
  score: 62,
  scoreAfter: 72,
  changes: [
    {
      id: 'safe:_smtp._tls.example.com:TXT',
      class: 'safe',
      action: 'add',
      name: '_smtp._tls.example.com',
      type: 'TXT',
      ttl: 3600,
      before: [],
      after: ['v=TLSRPTv1; rua=mailto:reports@example.com'],
      resolves: ['tls-rpt-missing'],
      gain: 10,
      reason: 'Requests reports about mail to the domain that could not be delivered with TLS.',
      evidence: ['There is no TLS-RPT record, so senders cannot report TLS delivery failures to you.'],
      rollback: 'Remove the record set again.',
      waitSeconds: 3600,
    },
  ],
  files: [],
  manual: [{ reason: 'Enable STARTTLS on mx.example.com.', resolves: ['mx-no-starttls'] }],
};

/** Recommended changes. Only safe ones count for `scoreAfter`. */
export const fixes = z
  .object({
    score: z.nullable(points),
    scoreAfter: described(z.nullable(points), 'The score after all safe changes'),
    changes: described(list(change), 'In order: safe changes first'),
    files: described(
      list(z.object({ url: text, content: text, gain: z.number() })),
      'Files to serve over HTTPS before the record that announces them is published',
    ),
    manual: described(
      list(z.object({ reason: text, resolves: texts })),
      'What no change of records in the plan resolves',
    ),
  })
  .check(z.meta({ examples: [examplePlan] }));

export const fixesQuery = z.object({
  format: described(
    z.optional(z.enum(['zone', 'route53', 'terraform'], 'must be one of zone, route53, terraform')),
    'The safe changes as a file instead of JSON: a fragment of a zone file, a Route 53 change batch, or Terraform',
  ),
});
