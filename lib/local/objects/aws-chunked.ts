/**
 * The framing in which the SDK sends streams: chunks preceded by their length in hexadecimal, an empty chunk, then
 * trailing headers (AWS, "Signature calculations ... including trailing headers").
 */

export interface Unframed {
  readonly content: Buffer;
  /** Names in lower case. */
  readonly trailers: Readonly<Record<string, string>>;
}

/** Removes the framing; undefined if it is malformed. */
export function unframe(body: Buffer): Unframed | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = body.indexOf('\r\n', at);
    const length = /^([0-9a-f]{1,8})(?:;.*)?$/i.exec(body.toString('latin1', at, end))?.[1];
    if (end < 0 || length === undefined) return undefined;
    const start = end + 2;
    const octets = Number.parseInt(length, 16);
    if (octets === 0) {
      return { content: Buffer.concat(chunks), trailers: trailersOf(body.toString('latin1', start)) };
    }
    if (body.toString('latin1', start + octets, start + octets + 2) !== '\r\n') return undefined;
    chunks.push(body.subarray(start, start + octets));
    at = start + octets + 2;
  }
}

function trailersOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]];
    }),
  );
}
