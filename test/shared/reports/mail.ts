/** Raw messages for tests. */

export interface MailPart {
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
}

const EOL = '\r\n';

/** Base64 in lines of 76 characters, as in mail. */
export const base64 = (bytes: Uint8Array | string): string =>
  (
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join(EOL);

export function attachment(
  bytes: Uint8Array | string,
  type = 'application/gzip',
  more: readonly string[] = [],
): MailPart {
  return {
    headers: [`Content-Type: ${type}`, 'Content-Transfer-Encoding: base64', ...more],
    body: base64(bytes),
  };
}

export const text = (body: string): MailPart => ({
  headers: ['Content-Type: text/plain; charset=us-ascii'],
  body,
});

export function multipart(parts: readonly MailPart[], type = 'mixed', boundary = 'b1'): MailPart {
  const body = parts.map((part) => [`--${boundary}`, bytesOf(part), ''].join(EOL)).join('');
  return {
    headers: [`Content-Type: multipart/${type}; boundary="${boundary}"`],
    body: `${body}--${boundary}--${EOL}`,
  };
}

/** A complete message. String bodies are latin1: one character per byte. */
export function mail(part: MailPart, headers: readonly string[] = []): Buffer {
  const own = [
    'From: DMARC <dmarc@reporter.example>',
    'To: a@reports.example',
    'Subject: Report Domain: example.org Submitter: reporter.example Report-ID: r-1',
    'Message-ID: <1@reporter.example>',
    'MIME-Version: 1.0',
    ...headers,
  ];
  return Buffer.from(`${own.join(EOL)}${EOL}${bytesOf(part)}`, 'latin1');
}

function bytesOf({ headers, body }: MailPart): string {
  const content = typeof body === 'string' ? body : Buffer.from(body).toString('latin1');
  return `${headers.join(EOL)}${EOL}${EOL}${content}`;
}
