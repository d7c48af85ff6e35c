import { type MovedRawMessages, type RawMessages, rawMessages } from '../../store/raw-messages.ts';
import { config } from '../config/config.ts';

let opened: MovedRawMessages | undefined;

/** The store of received raw messages. */
export const rawMessageStore = (): RawMessages => writableRawMessages();

/** The same for a function that stores or moves messages, too. */
export function writableRawMessages(): MovedRawMessages {
  opened ??= rawMessages(config().MAIL_BUCKET);
  return opened;
}
