/** Requests and responses of previews and recommended changes. */
import * as z from 'zod/mini';
import { checkName } from '../checks/state.ts';
import { problem } from '../protocol/findings/finding.ts';
import { count, described, list, oneOf, text, texts, timestamp } from '../protocol/schema.ts';
import { zoneTypes } from '../protocol/zone-file/record-set.ts';
import { points } from '../score/grade.ts';
import { score, shownResults } from './checks.ts';
import { atQuery } from './evidence.ts';
import { jsonObject } from './json-object.ts';

/** A zone of mail records has a few kilobytes. */
const MAX_ZONE = 200_000;
const MAX_CHANGES = 500;
const MAX_VALUES = 200;

export const zoneType = described(oneOf(zoneTypes), 'A type of DNS records that the checks look up');

const ttl = z
  .int('must be a number of seconds')
  .check(z.minimum(0, 'must not be negative'), z.maximum(2 ** 31 - 1, 'is too large'));

export const placedFinding = z.object({ check: checkName, ...problem.shape });

export const preview = z.object({
  checkedAt: described(timestamp, 'When the checks ran'),
  results: described(shownResults, 'The check results with the change'),
  score: described(score, 'The score with the change'),
  scoreBefore: described(z.nullable(points), 'The score without the change, from the same lookups'),
  resolved: described(list(placedFinding), 'Findings that the change removes'),
  introduced: described(list(placedFinding), 'Findings that the change causes'),
});

export const fixClass = described(
  z.enum(['safe', 'needs-decision', 'advice']),
  '`safe`: cannot hurt mail. `needs-decision`: depends on what only you know. `advice`: concerns records that others write',
);

export const fixAction = described(
  z.enum(['add', 'replace', 'remove']),
  'What the change does to a record set',
);

export const recommendedChange = z.object({
  id: described(text, 'ID of the change, the same while it is recommended'),
  class: fixClass,
  action: fixAction,
  name: described(text, 'Name of the record set, without trailing dot'),
  type: zoneType,
  ttl: described(count, 'Time to live of the record set in seconds'),
  before: described(
    texts,
    'The records that the change applies to: those published, after the changes before it',
  ),
  after: described(texts, 'All records of the set after the change; TXT values without quotes'),
  resolves: described(texts, 'IDs of findings of which none remains'),
  gain: described(z.number(), 'By how much the score rises after the changes before it'),
  reason: described(text, 'Why the change is recommended'),
  evidence: described(texts, 'The messages of the findings that the change resolves'),
  rollback: described(text, 'How to take the change back'),
  waitSeconds: described(count, 'How long resolvers may still answer with the old records'),
});

/** The fields of a change that a preview does not need. */
const planned = Object.fromEntries(
  Object.keys(recommendedChange.shape).map((name) => [name, described(z.optional(z.unknown()), 'Ignored')]),
);

/** What a plan says beside them is accepted and ignored, so that its changes can be sent back. */
const proposedChange = jsonObject({
  ...planned,
  name: described(
    z.string('must be a string').check(z.maxLength(254, 'is too long')),
    'Name of the record set',
    '_dmarc.example.com',
  ),
  type: zoneType,
  ttl: described(z.optional(ttl), 'Time to live of the record set in seconds', 3600),
  after: described(
    z
      .array(z.string('must be a string'), 'must be an array')
      .check(z.maxLength(MAX_VALUES, 'has too many records')),
    'All records of the set after the change; empty to remove it. Names have no trailing dot, TXT values no quotes',
    ['v=DMARC1; p=none; rua=mailto:dmarc@example.com'],
  ),
});

export const previewBody = jsonObject({
  changes: described(
    z.optional(
      z.array(proposedChange, 'must be an array').check(z.maxLength(MAX_CHANGES, 'has too many changes')),
    ),
    'The record sets to change, as in a plan',
  ),
  zone: described(
    z.optional(z.string('must be a string').check(z.maxLength(MAX_ZONE, 'is too long'))),
    'A zone file (RFC 1035 section 5). Each record set in it replaces the published one; a line `;remove <name> <type>` removes one. SOA and other records that no check depends on are ignored',
  ),
}).check(
  z.refine(
    ({ changes, zone }) => (changes === undefined) !== (zone === undefined),
    'must contain either changes or zone',
  ),
  z.meta({
    description: 'Contains either `changes` or `zone`',
    minProperties: 1,
    maxProperties: 1,
    examples: [{ zone: '_dmarc 3600 IN TXT "v=DMARC1; p=none; rua=mailto:dmarc@example.com"' }],
  }),
);

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
      rollback: 'To undo it, remove the record set again.',
      waitSeconds: 3600,
    },
  ],
  files: [],
  manual: [
    {
      reason: 'Enable STARTTLS on mx.example.com.',
      resolves: ['mx-no-starttls'],
      gain: 5,
      evidence: ['The MX host mx.example.com does not offer STARTTLS.'],
    },
  ],
};

const servedFile = z.object({
  url: described(text, 'Where to serve the file'),
  content: described(text, 'The content of the file'),
  gain: described(z.number(), 'By how much the score rises with the file and its record'),
});

const manualStep = z.object({
  reason: described(text, 'What to do'),
  resolves: described(texts, 'IDs of the findings that it resolves'),
  gain: described(
    z.number(),
    'By how much the score can rise at most, together with other advice about the same check',
    5,
  ),
  evidence: described(texts, 'The messages of these findings'),
});

/** Recommended changes. Only safe ones count for `scoreAfter`. */
export const fixes = z
  .object({
    score: described(z.nullable(points), 'The score today; `null` before the first check run'),
    scoreAfter: described(z.nullable(points), 'The score after all safe changes'),
    changes: described(list(recommendedChange), 'In order: safe changes first'),
    files: described(
      list(servedFile),
      'Files to serve over HTTPS before the record that announces them is published',
    ),
    manual: described(list(manualStep), 'What no change of records in the plan resolves'),
  })
  .check(z.meta({ examples: [examplePlan] }));

export const fixFormat = described(
  z.enum(['zone', 'route53', 'terraform'], 'must be one of zone, route53, terraform'),
  'A format of DNS tools',
);

/** The change batch of `ChangeResourceRecordSets`. */
export const route53ChangeBatch = z.object({
  Comment: described(text, 'What the batch is about', 'Recommended changes of mail records'),
  Changes: described(
    list(
      z.object({
        Action: described(z.literal('UPSERT'), 'Creates the record set, or replaces it'),
        ResourceRecordSet: described(
          z.object({
            Name: described(text, 'Name of the record set', '_smtp._tls.example.com.'),
            Type: described(zoneType, 'Type of the record set', 'TXT'),
            TTL: described(count, 'Time to live in seconds', 3600),
            ResourceRecords: described(
              list(
                z.object({
                  Value: described(text, 'A record', '"v=TLSRPTv1; rua=mailto:reports@example.com"'),
                }),
              ),
              'All records of the set',
            ),
          }),
          'The record set after the change',
        ),
      }),
    ),
    'The safe changes',
  ),
});

export const fixesQuery = z.object({
  ...atQuery.shape,
  format: described(
    z.optional(fixFormat),
    'The safe changes as a file instead of JSON, as the paths for these files do',
  ),
});
