/** Reads SMTP replies (RFC 5321 section 4.2) from a potentially hostile stream, with limits on lines and replies. */

export interface SmtpReply {
  /** 200 to 599. */
  readonly code: number;
  /** The text of each line after its code; at least one. */
  readonly lines: readonly string[];
}

/** RFC 5321 section 4.5.3.1.5 allows 512 octets; some servers send longer banners. */
const MAX_LINE = 2048;
const MAX_LINES = 100;

/** The data is not an SMTP reply. */
export class MalformedReply extends Error {}

export class ReplyReader {
  #buffered = '';
  #lines: string[] = [];
  #code: number | undefined;

  /** Adds received data. */
  push(chunk: Uint8Array): void {
    this.#buffered += Buffer.from(chunk).toString('latin1');
  }

  /** The next complete reply; undefined if it is not complete yet. Throws MalformedReply. */
  next(): SmtpReply | undefined {
    for (;;) {
      const end = this.#buffered.indexOf('\n');
      if (end > MAX_LINE || (end === -1 && this.#buffered.length > MAX_LINE)) {
        throw new MalformedReply(`a reply line of more than ${MAX_LINE} octets`);
      }
      if (end === -1) return undefined;
      const line = this.#buffered.slice(0, end).replace(/\r$/, '');
      this.#buffered = this.#buffered.slice(end + 1);
      const reply = this.#take(line);
      if (reply !== undefined) return reply;
    }
  }

  /** Whether data followed the last reply. */
  get hasMore(): boolean {
    return this.#buffered !== '';
  }

  #take(line: string): SmtpReply | undefined {
    const [, digits = '', separator = '', text = ''] = /^([2-5]\d\d)(?:([ -])(.*))?$/.exec(line) ?? [];
    const code = Number(digits);
    if (digits === '' || (this.#code !== undefined && this.#code !== code)) {
      throw new MalformedReply(`not a reply: ${line.slice(0, 100)}`);
    }
    this.#code = code;
    this.#lines.push(text);
    if (this.#lines.length > MAX_LINES) throw new MalformedReply(`a reply of more than ${MAX_LINES} lines`);
    if (separator === '-') return undefined;
    const reply = { code, lines: this.#lines };
    this.#lines = [];
    this.#code = undefined;
    return reply;
  }
}

/** A reply as one line of visible characters, such as `554 5.7.1 Go away`, at most 200 characters. */
export function writeReply({ code, lines }: SmtpReply): string {
  const [last = ''] = lines.slice(-1);
  return `${code} ${last}`
    .replace(/[^\x20-\x7e]/g, '?')
    .trim()
    .slice(0, 200);
}
