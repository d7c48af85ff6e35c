import { appendFile } from 'node:fs/promises';
import type { EventSink } from '../../notify/event-sink.ts';

/** Appends a notification as one line, or as one for each event of Splunk. Only the owner can read a new file. */
export const appendEvent = (file: string, { body }: Parameters<EventSink>[0]): Promise<void> =>
  appendFile(file, `${body}\n`, { mode: 0o600 });
