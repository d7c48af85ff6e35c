import { expect, test } from '@jest/globals';
import { apiClient } from '../kit/api-client.ts';
import { SESSIONS } from '../kit/mail-tester.ts';
import { useService } from '../kit/use-service.ts';

test('the mail tester limits sessions per client, and reads of them separately: ten for each that may be opened', async () => {
  const limited = await useService({ TOOL_RATE_PER_MINUTE: '2' });
  const client = await apiClient(limited);
  const open = () => client.call('POST', SESSIONS, { token: null });
  const { testId } = (await open()).body;
  const reads: number[] = [];
  for (let n = 0; n < 21; n += 1)
    reads.push((await client.call('GET', `${SESSIONS}/${testId}`, { token: null })).status);
  expect(reads).toEqual([...Array(20).fill(200), 429]);
  expect([(await open()).status, (await open()).status, (await open()).status]).toEqual([201, 429, 429]);
});
