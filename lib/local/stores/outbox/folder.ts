/** Keeps mails as files instead of sending them. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../private-file.ts';
import type { MessageSender } from './send-message.ts';

/** One file `<time>-<id>.eml` for each mail. The folder is created if it does not exist. */
export function outboxFolder(folder: string): MessageSender {
  makePrivateFolder(folder);
  return {
    async send({ id, composedAt, content }) {
      const file = join(folder, `${composedAt.toISOString().replaceAll(':', '')}-${id}.eml`);
      // A rename makes the mail appear in the folder complete.
      writeFileSync(`${file}.part`, content, { mode: 0o600 });
      renameSync(`${file}.part`, file);
    },
    stop: () => {},
  };
}
