/** Creates a test address and, if there is a mail server, sends a message to it. */
import type * as z from 'zod/mini';
import { pendingTest, testSession } from '../../../shared/api/mail-tests.ts';
import type { Client } from './client.ts';
import { expectThat, type Scenario, type Steps } from './scenario.ts';
import { type MailServer, sendTestMessage } from './send-message.ts';

const PATIENCE_MILLISECONDS = 60_000;
const EVERY_MILLISECONDS = 1000;

/** Test addresses expire, so there is nothing to clean up. */
export function testerScenario(api: Client, smtp: MailServer | undefined, domain: string): Scenario {
  const sessions = '/api/inbound-tester/sessions';
  let opened: z.output<typeof pendingTest> | undefined;
  const session = () => api.read(testSession, 'GET', `${sessions}/${opened?.testId}`, 200, { token: null });
  const withMail: Steps =
    smtp === undefined
      ? {}
      : {
          'it accepts a message': () =>
            sendTestMessage(smtp, {
              from: `smoke@${domain}`,
              to: opened?.email ?? '',
              subject: 'Smoke test',
              mailFrom: '',
            }),
          'the message is analyzed': async () => {
            const until = Date.now() + PATIENCE_MILLISECONDS;
            while ((await session()).status !== 'completed') {
              expectThat(Date.now() < until, `there is no result after ${PATIENCE_MILLISECONDS / 1000} s`);
              await new Promise((resolve) => setTimeout(resolve, EVERY_MILLISECONDS));
            }
          },
        };
  return {
    steps: {
      'a test address can be created': async () => {
        opened = await api.read(pendingTest, 'POST', sessions, 201, { token: null });
      },
      'its test is pending': async () => {
        const { status } = await session();
        expectThat(status === 'pending', `the status is ${status}`);
      },
      ...withMail,
    },
  };
}
