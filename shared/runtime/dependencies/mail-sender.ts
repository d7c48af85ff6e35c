import {
  BadRequestException,
  SESv2Client,
  SendEmailCommand,
  SendingPausedException,
} from '@aws-sdk/client-sesv2';
import { type Mail, MailRefused } from '../../notify/mail.ts';

let client: SESv2Client | undefined;

/**
 * Sends mails through Amazon SES from this address. @throws MailRefused if it names a reason that concerns the organization,
 * otherwise an error of the SDK, which can contain names of the deployment.
 */
export function mailSender(from: string): (mail: Mail) => Promise<void> {
  client ??= new SESv2Client({});
  const ses = client;
  return async ({ to, subject, text, html, headers }) => {
    const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
    const command = new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: utf8(subject),
          Body: { Text: utf8(text), Html: utf8(html) },
          Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
        },
      },
    });
    try {
      await ses.send(command);
    } catch (error) {
      if (error instanceof BadRequestException) throw new MailRefused(error.message, true);
      if (error instanceof SendingPausedException) throw new MailRefused(error.message, false);
      throw error;
    }
  };
}
