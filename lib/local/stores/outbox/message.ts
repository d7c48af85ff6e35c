/** A mail as SES would send it: text and HTML in one message (RFC 5322, RFC 2046 section 5.1.4). */
import type { SendEmail } from './send-email.ts';

export function composeMessage(
  { FromEmailAddress, Destination, Content }: SendEmail,
  id: string,
  now: Date,
): string {
  const { Subject, Body, Headers = [] } = Content.Simple;
  const boundary = `=_${id}`;
  const part = (type: string, text: string) => [
    `--${boundary}`,
    `Content-Type: ${type}; charset=UTF-8`,
    ...encoded(text),
  ];
  const lines = [
    `From: ${FromEmailAddress}`,
    `To: ${Destination.ToAddresses.join(',\r\n ')}`,
    `Subject: ${encodedText(Subject.Data)}`,
    `Date: ${now.toUTCString().replace('GMT', '+0000')}`,
    // SES assigns its own message id.
    `Message-ID: <${id}@localhost>`,
    ...Headers.map(({ Name, Value }) => `${Name}: ${Value}`),
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    '',
    ...part('text/plain', Body.Text.Data),
    ...part('text/html', Body.Html.Data),
    `--${boundary}--`,
    '',
  ];
  return lines.join('\r\n');
}

/**
 * Encoded words (RFC 2047 section 2) of at most 75 characters without split characters; printable ASCII stays as it is.
 */
function encodedText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes('=?')) return text;
  const words = [''];
  for (const character of text) {
    const last = words.length - 1;
    const longer = `${words[last]}${character}`;
    if (Buffer.byteLength(longer) > 45) words.push(character);
    else words[last] = longer;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
}

/** The longest line without encoding (RFC 5322 section 2.1.1). */
const MAX_LINE = 998;

/** A part's encoding and content. ASCII stays as it is, so that people can read the file. */
function encoded(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const isPlain = lines.every((line) => line.length <= MAX_LINE && /^[\t\x20-\x7e]*$/.test(line));
  return isPlain
    ? ['Content-Transfer-Encoding: 7bit', '', ...lines]
    : ['Content-Transfer-Encoding: base64', '', ...base64Lines(text)];
}

/** An encoded line has at most 76 characters (RFC 2045 section 6.8). */
const base64Lines = (text: string): string[] =>
  Buffer.from(text)
    .toString('base64')
    .match(/.{1,76}/g) ?? [];
