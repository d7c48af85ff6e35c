/** A test address is opened and, where there is a mail server, written to. */
import type * as z from 'zod/mini';
import { pendingTest, testSession } from '../../../shared/api/inbound-tester.ts';
import type { Client } from './client.ts';
import { type Journey, must, type Step } from './journey.ts';
import { type MailServer, sendTestMessage } from './send-message.ts';

const PATIENCE_MILLISECONDS = 60_000;
const EVERY_MILLISECONDS = 1000;

/** Test addresses end by themselves, and there is nothing to remove. */
export function testerJourney(api: Client, smtp: MailServer | undefined, domain: string): Journey {
  const sessions = '/api/inbound-tester/sessions';
  let opened: z.output<typeof pendingTest> | undefined;
  const session = () => api.read(testSession, 'GET', `${sessions}/${opened?.testId}`, 200, { token: null });
  const withMail: Step[] =
    smtp === undefined
      ? []
      : [
          {
            name: 'a message to it is taken',
            run: () => sendTestMessage(smtp, { to: opened?.email ?? '', from: `smoke@${domain}` }),
          },
          {
            name: 'it is analysed',
            run: async () => {
              const until = Date.now() + PATIENCE_MILLISECONDS;
              while ((await session()).status !== 'completed') {
                must(Date.now() < until, `it did not come within ${PATIENCE_MILLISECONDS / 1000} s`);
                await new Promise((resolve) => setTimeout(resolve, EVERY_MILLISECONDS));
              }
            },
          },
        ];
  return {
    steps: [
      {
        name: 'a test address is opened',
        run: async () => {
          opened = await api.read(pendingTest, 'POST', sessions, 201, { token: null });
        },
      },
      {
        name: 'it waits for a message',
        run: async () => {
          const { status } = await session();
          must(status === 'pending', `it is ${status}`);
        },
      },
      ...withMail,
    ],
  };
}
