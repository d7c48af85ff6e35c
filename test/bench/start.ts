/** The time from the start of the process to the first response, which a new user waits for. */
import { bootService } from '../kit/service.ts';
import type { BenchRow } from './row.ts';

/** A new user should not wait longer. */
const LIMIT_MILLISECONDS = 3000;
const ROUNDS = 5;

export async function benchStart(): Promise<readonly BenchRow[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    const service = await bootService();
    const answer = await fetch(`${service.url}/api/v1/domains`, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    if (answer.status !== 200) throw new Error(`the service returned ${answer.status}`);
    times.push(performance.now() - started);
    await service.remove();
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
  const share = median / LIMIT_MILLISECONDS;
  return [
    {
      name: 'Process start to first response, compared with the limit of 3 s',
      value: `${Math.round(median)} ms: ${share.toFixed(2)} of the limit`,
      goal: 'at most 1',
      met: share <= 1,
    },
  ];
}
