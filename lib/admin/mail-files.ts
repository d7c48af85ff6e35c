/** Archives of report mails on disk: files, folders (including Maildir), and mbox files (RFC 4155). */
import {
  closeSync,
  createReadStream,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { CommandError } from '../terminal/command-line.ts';

export interface FoundFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** A message or a report file; `too-large` if it exceeds the limit. */
export interface FoundEntry {
  readonly name: string;
  readonly bytes: Uint8Array | 'too-large';
}

/**
 * All files at and below `paths`, sorted by name.
 * @throws CommandError naming the path that does not exist or cannot be read.
 */
export function filesAt(paths: readonly string[]): FoundFile[] {
  const found: FoundFile[] = [];
  for (const path of paths) {
    const facts = read(path, () => statSync(path));
    if (!facts.isDirectory()) {
      found.push({ path, size: facts.size });
      continue;
    }
    const names = read(path, () => readdirSync(path, { recursive: true, withFileTypes: true }));
    const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.toSorted()) {
      const { size } = read(file, () => statSync(file));
      found.push({ path: file, size });
    }
  }
  return found;
}

/**
 * The contents of a file: the file itself, or each message of an mbox. No entry uses more than `limit` bytes of memory.
 * @throws CommandError if the file cannot be read.
 */
export async function* entriesOf({ path, size }: FoundFile, limit: number): AsyncGenerator<FoundEntry> {
  // Files are small and many: a thread that reads one takes longer than reading it.
  const whole = size > limit ? undefined : read(path, () => readFileSync(path));
  const isMailbox = whole === undefined ? read(path, () => beginsMailbox(path)) : isSeparator(whole);
  if (!isMailbox) {
    yield { name: path, bytes: whole ?? 'too-large' };
    return;
  }
  let number = 0;
  for await (const bytes of messagesOf(whole === undefined ? createReadStream(path) : [whole], limit)) {
    number += 1;
    yield { name: `${path}, message ${number}`, bytes };
  }
}

/** Turns errors of the operating system into a CommandError with the path and the system's message. */
function read<T>(path: string, reading: () => T): T {
  try {
    return reading();
  } catch (error) {
    const { errno, path: refused = path } = error as NodeJS.ErrnoException;
    if (errno === undefined) throw error;
    throw new CommandError(`${refused} cannot be read: ${getSystemErrorMessage(errno)}`);
  }
}

/** The file name, which can contain the period and id of a report. */
export const fileNameOf = ({ name }: FoundEntry): string => basename(name);

const SEPARATOR = 'From ';

const isSeparator = (bytes: Buffer): boolean => bytes.toString('latin1', 0, SEPARATOR.length) === SEPARATOR;

function beginsMailbox(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const begin = Buffer.alloc(SEPARATOR.length);
    readSync(file, begin, 0, begin.length, 0);
    return isSeparator(begin);
  } finally {
    closeSync(file);
  }
}

/** Splits at each line that starts with `From ` after an empty line. */
async function* messagesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array | 'too-large'> {
  let message = new Message(limit);
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const text = Buffer.concat([rest, chunk]);
    let begin = 0;
    for (let at = nextSeparator(text, 0); at >= 0; at = nextSeparator(text, at)) {
      message.add(text.subarray(begin, at));
      yield message.bytes();
      message = new Message(limit);
      begin = at;
    }
    // The end can contain the start of a separator.
    const kept = Math.max(begin, text.length - 2 * SEPARATOR.length);
    message.add(text.subarray(begin, kept));
    rest = text.subarray(kept);
  }
  message.add(rest);
  yield message.bytes();
}

/** The position of the next separator after `from`; -1 if there is none. */
function nextSeparator(text: Buffer, from: number): number {
  for (let at = text.indexOf(`\n${SEPARATOR}`, from, 'latin1'); at >= 0; ) {
    const before = text.toString('latin1', Math.max(0, at - 2), at);
    if (before.endsWith('\n') || before === '\n\r') return at + 1;
    at = text.indexOf(`\n${SEPARATOR}`, at + 1, 'latin1');
  }
  return -1;
}

class Message {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(part: Uint8Array): void {
    this.#size += part.length;
    if (this.#size > this.#limit) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  bytes(): Uint8Array | 'too-large' {
    return this.#size > this.#limit ? 'too-large' : Buffer.concat(this.#parts);
  }
}
