/** The schemas of a score, which the API shows as it is computed. */
import * as z from 'zod/mini';
import { checkState, usageType } from '../checks/state.ts';
import { count, described, flagOrNull, list, text, textOrNull } from '../protocol/schema.ts';
import { grade, points } from './grade.ts';
import { components } from './weights.ts';

export const componentName = described(
  z.enum(components),
  'A component of the score: a check, or DANE, which is part of the MX check',
);

export const scoreComponent = z.object({
  component: described(componentName, 'The component', 'spf'),
  points: described(z.number(), 'Points for this component', 10),
  maximum: described(z.number(), 'The maximum of points for this component', 15),
  gain: described(z.number(), 'How many points the score can still gain from this component', 5),
  state: checkState,
  reason: described(text, 'Why the component has these points', 'The SPF record ends with ~all.'),
  todo: described(
    textOrNull,
    'What to do for more points; `null` if there is nothing to do',
    'Publish -all.',
  ),
});

export type ComponentScore = Readonly<z.infer<typeof scoreComponent>>;

export const scoreLabel = described(
  z.enum(['Excellent', 'Good', 'Fair', 'Poor', 'Critical', 'Not checked']),
  'The grade in words; `Not checked` if there is no score',
);

const configured = described(flagOrNull, 'Whether there are records', true);
const valid = described(flagOrNull, 'Whether the records are valid', true);
const reportingConfigured = described(flagOrNull, 'Whether reports are requested', true);

/** The facts behind a score, in the fields that the interface specification lists. */
export const breakdown = described(
  z.object({
    mx: described(
      z.object({
        configured,
        tlsSupported: described(flagOrNull, 'Whether every MX host establishes TLS', true),
        daneSupported: described(flagOrNull, 'Whether every MX host has a usable TLSA record', false),
      }),
      'Mail servers',
    ),
    spf: described(
      z.object({ valid, policy: described(textOrNull, 'The `all` mechanism of the record', '~all') }),
      'SPF',
    ),
    dkim: described(
      z.object({
        configured,
        validSelectors: described(count, 'Number of selectors with a valid key', 2),
        totalSelectors: described(count, 'Number of selectors with a record', 2),
      }),
      'DKIM',
    ),
    dmarc: described(
      z.object({
        valid,
        policy: described(textOrNull, 'The policy of the record', 'reject'),
        reportingConfigured,
      }),
      'DMARC',
    ),
    mtaSts: described(
      z.object({ valid, mode: described(textOrNull, 'The mode of the policy', 'enforce') }),
      'MTA-STS',
    ),
    tlsRpt: described(z.object({ valid, reportingConfigured }), 'TLS-RPT'),
    bimi: described(
      z.object({ configured, logoValid: described(flagOrNull, 'Whether the logo is valid', false) }),
      'BIMI',
    ),
    dnssec: described(
      z.object({ enabled: described(flagOrNull, 'Whether the parent zone has a DS record', true), valid }),
      'DNSSEC',
    ),
  }),
  '`null` if unknown, or if there is no policy or mode',
);

export type Breakdown = z.infer<typeof breakdown>;

export const score = z.object({
  score: described(
    z.nullable(points),
    'The score from 0 to 100; `null` before the first check run, if the domain does not exist, and if no check got an answer',
    85,
  ),
  grade: described(z.nullable(grade), 'The grade of the score; `null` if there is no score', 'B'),
  label: described(scoreLabel, 'The grade in words', 'Good'),
  usageType,
  breakdown,
  components: described(list(scoreComponent), 'Points per component, largest possible gain first'),
  confidence: described(
    z.number(),
    'The share of the weights that could be scored, from 0 to 1; below 1 if lookups failed',
    1,
  ),
  exists: described(
    z.boolean(),
    'Whether the domain exists: `false` if every lookup of its name says that it does not (NXDOMAIN). Then there is no score',
    true,
  ),
  message: described(z.optional(text), 'Only if there is no score: why, and how to get one'),
});

export type Score = Readonly<z.infer<typeof score>>;
