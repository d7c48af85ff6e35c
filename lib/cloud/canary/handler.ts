/** Runs the canary on a schedule. A failure fails the invocation, which an alarm counts. */
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import * as z from 'zod/mini';
import { runCanary } from './canary.ts';

const environment = z.object({
  API_URL: z.string(),
  CANARY_TOKEN: z.string(),
  CANARY_DOMAIN: z.string(),
  ALERT_SENDER: z.string(),
});

export async function handler(): Promise<void> {
  const { API_URL, CANARY_TOKEN, CANARY_DOMAIN, ALERT_SENDER } = environment.parse(process.env);
  const ses = new SESv2Client();
  await runCanary(
    { apiUrl: API_URL, token: CANARY_TOKEN, domainId: CANARY_DOMAIN },
    {
      fetch,
      now: new Date(),
      async sendMail(to, message) {
        const head = `From: ${ALERT_SENDER}\r\nTo: ${to}\r\n`;
        await ses.send(
          new SendEmailCommand({
            FromEmailAddress: ALERT_SENDER,
            Destination: { ToAddresses: [to] },
            // SES signs it with the key of the sender's domain.
            Content: { Raw: { Data: Buffer.from(head + message) } },
          }),
        );
      },
    },
  );
}
