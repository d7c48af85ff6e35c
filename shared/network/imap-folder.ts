/** A folder on an IMAP server as one of any protocol: positions are UIDs, and batches are limited in number and size. */
import type { Batch, MailFolder } from './folder-port.ts';
import { type ImapFolder, type ImapMail, MOST_TOGETHER } from './imap-port.ts';

/** What is fetched together, and is in memory at the same time, unless it is a single mail. */
const MOST_BYTES = 8 * 1024 * 1024;

/** @param maxMailBytes Larger mails are left alone. */
export function imapFolder(folder: ImapFolder, maxMailBytes: number): MailFolder {
  const { uidValidity, messages } = folder;
  return {
    messages,
    async *batches(from) {
      const isKnown = from !== null && 'uid' in from && from.uidValidity === uidValidity;
      const waiting = await folder.uidsAfter(isKnown ? from.uid : 0);
      let done = 0;
      while (done < waiting.length) {
        const uids = waiting.slice(done, done + MOST_TOGETHER);
        for (const { mails, upTo, settles } of groupsOf(uids, await folder.list(uids), maxMailBytes)) {
          done += settles;
          const batch: Batch = {
            mails: mails.map(({ uid }) => ({ id: String(uid) })),
            position: { uidValidity, uid: upTo },
            remaining: waiting.length - done,
          };
          yield batch;
        }
      }
    },
    async *fetch(mails) {
      for await (const { uid, content, receivedAt } of folder.fetch(uidsOf(mails)))
        yield { id: String(uid), content, receivedAt };
    },
    markRead: (mails) => folder.markRead(uidsOf(mails)),
    move: (mails, to) => folder.move(uidsOf(mails), to),
    delete: (mails) => folder.delete(uidsOf(mails)),
    close: () => folder.close(),
  };
}

const uidsOf = (mails: readonly { readonly id: string }[]): number[] => mails.map(({ id }) => Number(id));

/** Mails that are fetched together. */
interface Group {
  readonly mails: readonly ImapMail[];
  /** The last UID that it settles: its mails, and those between them that are gone or too large. */
  readonly upTo: number;
  /** How many UIDs it settles. */
  readonly settles: number;
}

/** @param uids At least one. */
function* groupsOf(
  uids: readonly number[],
  listed: readonly ImapMail[],
  maxMailBytes: number,
): Generator<Group> {
  const byUid = new Map(listed.map((mail) => [mail.uid, mail]));
  let [mails, bytes, upTo, settles]: [ImapMail[], number, number, number] = [[], 0, 0, 0];
  for (const uid of uids) {
    const mail = byUid.get(uid);
    const fits = mail !== undefined && mail.size <= maxMailBytes;
    const size = fits ? mail.size : 0;
    if (mails.length > 0 && bytes + size > MOST_BYTES) {
      yield { mails, upTo, settles };
      [mails, bytes, settles] = [[], 0, 0];
    }
    if (fits) mails.push(mail);
    bytes += size;
    upTo = uid;
    settles += 1;
  }
  yield { mails, upTo, settles };
}
