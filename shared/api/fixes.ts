/** Requests and responses of previews and recommended changes. */
import * as z from 'zod/mini';
import { checkNames } from '../checks/state.ts';
import { severity } from '../protocol/findings/finding.ts';
import { described, list, text, timestamp } from '../protocol/schema.ts';
import { zoneTypes } from '../protocol/zone-file/record-set.ts';
import { points } from '../score/grade.ts';
import { score, shownResults } from './checks.ts';

/** A request body holds at most 1 MB; a zone of mail records has a few kilobytes. */
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
      z.array(z.string('must be a string')).check(z.maxLength(MAX_VALUES, 'has too many records')),
      'All records of the set after the change; empty to remove it. Names have no trailing dot, TXT values no quotes',
    ),
  },
  'must be a JSON object',
);

export const previewBody = z
  .object(
    {
      changes: z.optional(z.array(proposedChange).check(z.maxLength(MAX_CHANGES, 'has too many changes'))),
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
