/** The inbound mail tester of a running service, as its clients use it. */
import { expect } from '@jest/globals';
import type { ApiClient } from './api-client.ts';

export const SESSIONS = '/api/inbound-tester/sessions';
const TIMEOUT_MILLISECONDS = 60_000;

interface OpenedTest {
  readonly testId: string;
  readonly email: string;
  readonly expiresAt: string;
  readonly status: string;
}

export function mailTester(api: ApiClient) {
  const see = (testId: string) => api.call('GET', `${SESSIONS}/${testId}`, { token: null });
  return {
    async open(): Promise<OpenedTest> {
      const { status, body } = await api.call('POST', SESSIONS, { token: null });
      expect(status).toBe(201);
      return body;
    },

    see,

    /** Returns the session as soon as it satisfies the condition: by default, when it is no longer pending. */
    async seen(
      testId: string,
      isWanted = (body: { status: string; otherMessages: number }) => body.status !== 'pending',
    ) {
      const until = Date.now() + TIMEOUT_MILLISECONDS;
      for (;;) {
        const { body } = await see(testId);
        if (isWanted(body) || Date.now() > until) return body;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}
