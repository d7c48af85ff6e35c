import { type RawMessages, rawMessages, type WritableRawMessages } from '../../store/raw-messages.ts';
import { config } from '../config/config.ts';

let opened: WritableRawMessages | undefined;

/** The store of received raw messages. */
export const rawMessageStore = (): RawMessages => writableRawMessages();

/** The same for a function that stores messages, too. */
export function writableRawMessages(): WritableRawMessages {
  opened ??= rawMessages(config().MAIL_BUCKET);
  return opened;
}
