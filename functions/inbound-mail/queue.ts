import { createHash } from 'node:crypto';
import { sesNotification } from '../../shared/ingest/arrived-mail.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { writableRawMessages } from '../../shared/runtime/dependencies/raw-messages.ts';
import { type Queue, queue } from '../../shared/runtime/workers/queue.ts';
import type { InboundMail } from '../../shared/runtime/workers/trigger.ts';
import { worker } from '../../shared/runtime/workers/worker.ts';
import { type MovedRawMessages, rawMessagesIn } from '../../shared/store/raw-messages.ts';
import { inboundMail, triggers } from '../triggers.ts';

/** Does no lookups, so that mail whose reading takes long does not delay how other mail gets in line. */
export const handler = worker(
  triggers.queueReceivedMail,
  sesNotification,
  (): Dependencies => {
    const { SECOND_MAIL_BUCKET: bucket, SECOND_MAIL_REGION: region } = config();
    return {
      rows: Object.values<InboundMail>(inboundMail).map((row) => ({ ...row, reader: queue(row.reader) })),
      ...(bucket !== '' && {
        second: { bucket, theirs: rawMessagesIn(region, bucket), ours: writableRawMessages() },
      }),
    };
  },
  async (arrived, { rows, second }) => {
    if (arrived === null) return;
    const { bucket, ...mail } = arrived;
    const row = rows.find(({ prefix }) => mail.rawKey.startsWith(prefix));
    if (row === undefined) throw new Error(`no reader for the mail ${mail.rawKey}`);
    const from = bucket === second?.bucket ? second : undefined;
    await from?.ours.copyFrom(from.bucket, mail.rawKey);
    await row.reader.send(mail, { group: groupOf(mail.recipients) });
    await from?.theirs.remove(mail.rawKey);
  },
);

export interface Dependencies {
  readonly rows: readonly (Pick<InboundMail, 'prefix'> & { readonly reader: Pick<Queue, 'send'> })[];
  /** The bucket of a second region, whose mail is moved to that of the first one. */
  readonly second?: {
    readonly bucket: string;
    readonly theirs: Pick<MovedRawMessages, 'remove'>;
    readonly ours: Pick<MovedRawMessages, 'copyFrom'>;
  };
}

/** The mailbox as the ID of a message group: a local part can be longer than the 128 characters of an ID, and have others. */
const groupOf = ([mailbox = '']: readonly string[]): string =>
  createHash('sha256').update(mailbox.toLowerCase()).digest('base64url');
