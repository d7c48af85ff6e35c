/** A clock that is a day ahead for a while, and then corrected. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { verifyOwnership } from '../kit/example-internet.ts';
import { register } from '../kit/register.ts';
import { until } from '../kit/until.ts';
import { useFolder } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const DAY_MILLISECONDS = 86_400_000;
const clock = join(useFolder('clock'), 'ahead');
const setAhead = (milliseconds: number) => writeFileSync(clock, String(milliseconds));

setAhead(0);
const { service, api } = await useApi({
  ...{ CHECK_INTERVAL_SECONDS: '2', API_RATE_PER_MINUTE: '0', LOG_LEVEL: 'warn' },
  ...{
    CLOCK_FILE: clock,
    NODE_OPTIONS: `--import=${new URL('../kit/shifted-clock.mjs', import.meta.url)}`,
  },
});
const { id } = await register(api, 'weak.test', { usageType: 'sends-only' });
const path = `/api/v1/domains/${id}`;
await verifyOwnership(service, api, id);

/** When the domain was last checked, in milliseconds after now by a right clock. */
async function lastCheckAhead(): Promise<number> {
  // A busy service may refuse a request.
  const { data } = (await api.call('GET', path)).body;
  return Date.parse(data?.lastCheckedAt ?? 0) - Date.now();
}

test('domains are checked again within seconds after it was corrected, and the jumps are in the log', async () => {
  await until(async () => (await lastCheckAhead()) > -60_000);
  setAhead(DAY_MILLISECONDS);
  await until(async () => (await lastCheckAhead()) > DAY_MILLISECONDS - 60_000);
  setAhead(0);
  await until(async () => Math.abs(await lastCheckAhead()) < 60_000);
  // Not only once.
  const first = await lastCheckAhead();
  const corrected = Date.now() + first;
  await until(async () => Date.now() + (await lastCheckAhead()) > corrected + 1000);
  await until(() => service.output().split('the clock jumped').length > 2);
  expect(service.output()).toMatch(/"seconds":86[34]\d\d.*\n(?:.*\n)*.*"seconds":-86[34]\d\d/);
  expect(service.output()).toContain('planned too far ahead');
});
