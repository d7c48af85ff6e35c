import { expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { type CheckContext, type DomainToCheck, inspectDomain } from '../../../../shared/checks/inspect.ts';
import { createRecorder } from '../../../../shared/checks/recording/record.ts';
import { recording } from '../../../../shared/checks/recording/recorded.ts';
import { repeatChecks } from '../../../../shared/checks/recording/replay.ts';
import { randomCheck } from './random-checks.ts';

async function recordAndRepeat(asked: DomainToCheck, context: CheckContext) {
  const recorder = createRecorder(context.network.clock);
  const results = await inspectDomain(asked, { ...context, recorder });
  const run = recorder.run();
  if (run === undefined) throw new Error('nothing was recorded');
  const kept: unknown = JSON.parse(JSON.stringify(run.recording));
  const repeated = await repeatChecks(z.parse(recording, kept), run.certificates);
  return { results, repeated };
}

test.each(Array.from({ length: 40 }, (_, seed) => seed))('repeats the check run of zone %i', async (seed) => {
  const { asked, context } = randomCheck(seed);
  const { results, repeated } = await recordAndRepeat(asked, context);
  expect(repeated.missing).toEqual([]);
  expect(JSON.stringify(repeated.results)).toBe(JSON.stringify(results));
});
