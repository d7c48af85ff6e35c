import { type RawMessages, rawMessages } from '../../store/raw-messages.ts';
import { config } from '../config/config.ts';

let opened: RawMessages | undefined;

/** The store of received raw messages. */
export function rawMessageStore(): RawMessages {
  opened ??= rawMessages(config().MAIL_BUCKET);
  return opened;
}
