/** A mail as SES would send it: text and HTML in one message (RFC 5322, RFC 2046 section 5.1.4). */
import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import { domainOf } from '../../../../shared/protocol/mail-address.ts';
import type { SendEmail } from './send-email.ts';

/** The maximum length of an encoded word, which is 75 in all (RFC 2047 section 2). */
const MAX_WORD = 52;

export function composeMessage(
  { FromEmailAddress, Destination, Content }: SendEmail,
  id: string,
  now: Date,
): Promise<Buffer> {
  const { Subject, Body, Headers = [] } = Content.Simple;
  return new MailComposer({
    from: FromEmailAddress,
    to: Destination.ToAddresses,
    // The composer takes a text that looks like encoded words for encoded.
    subject: Subject.Data.includes('=?') ? encodeWord(Subject.Data, 'B', MAX_WORD) : Subject.Data,
    date: now,
    // SES assigns its own message id.
    messageId: `<${id}@${domainOf(addressOf(FromEmailAddress))}>`,
    headers: Headers.map(({ Name, Value }) => ({ key: Name, value: Value })),
    text: part(Body.Text.Data),
    html: part(Body.Html.Data),
    newline: 'windows',
  })
    .compile()
    .build();
}

/** The address in `Name <address>`, or the address itself. */
export const addressOf = (text: string): string => /<([^<>]+)>$/.exec(text)?.[1] ?? text;

/** The composer would write a carriage return without a line feed as it is, which mail must not have. */
const part = (content: string) => ({
  content,
  ...(content.replaceAll('\r\n', '').includes('\r') && { contentTransferEncoding: 'base64' as const }),
});
