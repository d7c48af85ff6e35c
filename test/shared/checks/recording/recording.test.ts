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

test('tells resolvers apart by numbers, not by their addresses', async () => {
  const { asked, context } = randomCheck(0);
  const recorder = createRecorder(context.network.clock);
  const lookup = async (server: string) =>
    ({
      status: 'unavailable',
      reason: 'timeout',
      evidence: { server: server.slice(0, -2), milliseconds: 1 },
    }) as const;
  const trust = { trustAnchors: [], markAnchors: [], stripped: [] };
  const { dns } = recorder.recorded({ ...context.network, dns: { lookup } }, asked, trust);
  for (const name of ['one.a', 'two.a', 'one.b']) await dns.lookup(name, 'A');
  const { dns: answers = [] } = recorder.run()?.recording.answers ?? {};
  expect(answers.map(({ answer }) => Object(answer).server)).toEqual(['0', '1', '0']);
});

test.each(Array.from({ length: 40 }, (_, seed) => seed))('repeats the check run of zone %i', async (seed) => {
  const { asked, context } = randomCheck(seed);
  const { results, repeated } = await recordAndRepeat(asked, context);
  expect(repeated.missing).toEqual([]);
  expect(JSON.stringify(repeated.results)).toBe(JSON.stringify(results));
});
