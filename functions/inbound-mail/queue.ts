import { createHash } from 'node:crypto';
import { sesNotification } from '../../shared/ingest/arrived-mail.ts';
import { type Queue, queue } from '../../shared/runtime/workers/queue.ts';
import type { InboundMail } from '../../shared/runtime/workers/trigger.ts';
import { worker } from '../../shared/runtime/workers/worker.ts';
import { inboundMail, triggers } from '../triggers.ts';

/** Does no lookups, so that mail whose reading takes long does not delay how other mail gets in line. */
export const handler = worker(
  triggers.queueReceivedMail,
  sesNotification,
  () => Object.values<InboundMail>(inboundMail).map((row) => ({ ...row, reader: queue(row.reader) })),
  async (mail, rows: readonly MailOf[]) => {
    if (mail === null) return;
    const row = rows.find(({ prefix }) => mail.rawKey.startsWith(prefix));
    if (row === undefined) throw new Error(`no reader for the mail ${mail.rawKey}`);
    await row.reader.send(mail, { group: groupOf(mail.recipients) });
  },
);

type MailOf = Pick<InboundMail, 'prefix'> & { readonly reader: Pick<Queue, 'send'> };

/** The mailbox as the ID of a message group: a local part can be longer than the 128 characters of an ID, and have others. */
const groupOf = ([mailbox = '']: readonly string[]): string =>
  createHash('sha256').update(mailbox.toLowerCase()).digest('base64url');
