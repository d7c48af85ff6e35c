import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { Mail } from '../../notify/mail.ts';

let client: SESv2Client | undefined;

/** Sends mails through Amazon SES from this address. @throws if SES rejects a mail. */
export function mailSender(from: string): (mail: Mail) => Promise<void> {
  client ??= new SESv2Client({});
  const ses = client;
  return async ({ to, subject, text, html, headers }) => {
    const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
    await ses.send(
      new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        Content: {
          Simple: {
            Subject: utf8(subject),
            Body: { Text: utf8(text), Html: utf8(html) },
            Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
          },
        },
      }),
    );
  };
}
