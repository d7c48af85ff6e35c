/** The check results and the score in the format of the API. */

import * as z from 'zod/mini';
import { checks, forEachCheck } from '../checks/checks.ts';
import { dkimResult } from '../checks/dkim/result.ts';
import { checkOutcome } from '../checks/result-fields.ts';
import { checkResults } from '../checks/results.ts';
import { type CheckName, checkState, usageType } from '../checks/state.ts';
import { describedFinding } from '../protocol/findings/finding.ts';
import {
  count,
  described,
  flagOrNull,
  list,
  text,
  textOrNull,
  texts,
  timestamp,
} from '../protocol/schema.ts';
import { grade, points } from '../score/grade.ts';
import { components } from '../score/weights.ts';

const shown = { findings: described(list(describedFinding), 'What is wrong, with references and fixes') };
const withProblems = {
  ...shown,
  errors: described(texts, 'The messages of the findings with severity `error`', []),
  warnings: described(texts, 'The messages of the findings with severity `warning`', []),
};

const { shape } = checkResults;

const showProblems = <Name extends CheckName>(name: Name) =>
  described(z.extend(shape[name], withProblems), checks[name].description);

type Shown = { readonly [Name in CheckName]: ReturnType<typeof showProblems<Name>> };

/** `dkim` is an array by the interface specification, so the state of the whole DKIM check is in `dkimSummary`. */
export const shownResults = z.object({
  ...(forEachCheck(showProblems) as Shown),
  // The interface specification has messages by severity in most results, but not in those of MX.
  mx: described(z.extend(shape.mx, shown), checks.mx.description),
  dkim: described(list(z.extend(dkimResult, withProblems)), checks.dkim.description),
  dkimSummary: described(z.extend(checkOutcome, shown), 'State and findings of the DKIM check as a whole'),
});

export const checkRun = z.object({
  checkedAt: described(timestamp, 'Time of the check run'),
  results: described(shownResults, 'The results of all checks'),
});

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

export const scoreLabel = described(
  z.enum(['Excellent', 'Good', 'Fair', 'Poor', 'Critical', 'Not checked']),
  'The grade in words; `Not checked` before the first check run',
);

const configured = described(flagOrNull, 'Whether there are records', true);
const valid = described(flagOrNull, 'Whether the records are valid', true);
const reportingConfigured = described(flagOrNull, 'Whether reports are requested', true);

export const score = z.object({
  score: described(z.nullable(points), 'The score from 0 to 100; `null` before the first check run', 85),
  grade: described(z.nullable(grade), 'The grade of the score; `null` before the first check run', 'B'),
  label: described(scoreLabel, 'The grade in words', 'Good'),
  usageType,
  lastCheckedAt: described(
    z.nullable(timestamp),
    'Time of the latest check run; `null` before the first one',
  ),
  breakdown: described(
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
  ),
  components: described(list(scoreComponent), 'Points per component, largest possible gain first'),
  confidence: described(
    z.number(),
    'The share of the weights that could be scored, from 0 to 1; below 1 if lookups failed',
    1,
  ),
  message: described(z.optional(text), 'Only if there is no score: how to get one'),
});
