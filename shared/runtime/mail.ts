import { type RawMessages, rawMessages } from '../store/raw-messages.ts';
import { config } from './config.ts';

let opened: RawMessages | undefined;

/** The received messages of this stack, as they came. */
export function mail(): RawMessages {
  opened ??= rawMessages(config().MAIL_BUCKET);
  return opened;
}
