/**
 * Reads the reports in a folder of a mailbox: stores those of some mails, acknowledges these mails in the mailbox, and notes
 * how far it came. Wherever a run ends, the next one reads again what was not noted, and nothing is stored twice.
 */
import type { afterwards, MailboxSettings, Position } from '../mailboxes/mailbox.ts';
import { type FetchedMail, type ImapFolder, type ListedMail, MOST_TOGETHER } from '../network/imap-port.ts';
import { semaphore } from '../network/semaphore.ts';
import { MAX_MESSAGE_BYTES } from '../reports/limits.ts';
import type { FetchedOutcome } from './ingest-fetched.ts';

interface ReadDependencies {
  /** Stores a mail; what it throws ends the run. */
  readonly ingest: (content: Uint8Array, receivedAt: Date) => Promise<FetchedOutcome>;
  /** Notes how far the folder was read. False: another worker has the mailbox. */
  readonly advance: (progress: Progress) => Promise<boolean>;
  /** Whether there is time for more mails. */
  readonly hasTime: () => boolean;
}

interface Progress {
  readonly position: Position;
  /** How many mails were read since the progress before. */
  readonly read: number;
  /** How many reports were stored of them. */
  readonly accepted: number;
}

/** How many mails were left for later. `lost`: another worker has the mailbox. */
export type ReadResult =
  | { readonly status: 'read'; readonly remaining: number }
  | { readonly status: 'lost' };

/** What is fetched together, and is in memory at the same time, unless it is a single mail. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_MAILS = 50;

/** Storing a mail is mostly waiting. */
const AT_ONCE = 8;

/** Others take their turn. */
const MAILS_PER_RUN = 5_000;

/** @param before How far it was read, if it was. @throws ImapProblem, and what `ingest` and `advance` throw. */
export async function readFolder(
  folder: ImapFolder,
  settings: Pick<MailboxSettings, 'after' | 'moveTo'>,
  before: Position | null,
  { ingest, advance, hasTime }: ReadDependencies,
): Promise<ReadResult> {
  const { uidValidity } = folder;
  const from = before?.uidValidity === uidValidity ? before.uid : 0;
  const waiting = await folder.uidsAfter(from);
  const due = waiting.slice(0, MAILS_PER_RUN);
  let done = 0;
  while (done < due.length && hasTime()) {
    const uids = due.slice(done, done + MOST_TOGETHER);
    for (const group of groupsOf(uids, await folder.list(uids))) {
      if (!hasTime()) break;
      const { accepted, stored } = await ingestGroup(folder, group, ingest);
      await acknowledge(folder, stored, settings);
      const position = { uidValidity, uid: group.upTo };
      const read = group.mails.length;
      if (!(await advance({ position, read, accepted }))) return { status: 'lost' };
      done = due.findIndex((uid) => uid > group.upTo);
      if (done < 0) done = due.length;
    }
  }
  return { status: 'read', remaining: waiting.length - done };
}

/** Mails that are fetched together. */
interface Group {
  readonly mails: readonly ListedMail[];
  /** The last UID that it settles: its mails, and those between them that are gone or too large. */
  readonly upTo: number;
}

function* groupsOf(uids: readonly number[], listed: readonly ListedMail[]): Generator<Group> {
  const byUid = new Map(listed.map((mail) => [mail.uid, mail]));
  let mails: ListedMail[] = [];
  let bytes = 0;
  let upTo = 0;
  for (const uid of uids) {
    const mail = byUid.get(uid);
    // No report is that large.
    const fits = mail !== undefined && mail.size <= MAX_MESSAGE_BYTES;
    const size = fits ? mail.size : 0;
    if (mails.length > 0 && (mails.length === MOST_MAILS || bytes + size > MOST_BYTES)) {
      yield { mails, upTo };
      mails = [];
      bytes = 0;
    }
    if (fits) mails.push(mail);
    bytes += size;
    upTo = uid;
  }
  if (upTo > 0) yield { mails, upTo };
}

/** The number of reports that are new, and the UIDs of the mails that are stored. */
async function ingestGroup(
  folder: ImapFolder,
  { mails }: Group,
  ingest: ReadDependencies['ingest'],
): Promise<{ readonly accepted: number; readonly stored: readonly number[] }> {
  if (mails.length === 0) return { accepted: 0, stored: [] };
  const inTurn = semaphore(AT_ONCE);
  const stored: number[] = [];
  let accepted = 0;
  const store = async ({ uid, content, receivedAt }: FetchedMail) => {
    const outcome = await ingest(content, receivedAt);
    if (outcome.status === 'other') return;
    if (isKept(outcome)) stored.push(uid);
    accepted += acceptedIn(outcome);
  };
  const work: Promise<void>[] = [];
  try {
    for await (const mail of folder.fetch(mails.map(({ uid }) => uid))) {
      const storing = inTurn(() => store(mail));
      // It is awaited below.
      storing.catch(() => {});
      work.push(storing);
    }
  } finally {
    // What was fetched is stored, whatever happens to the connection.
    await Promise.allSettled(work);
  }
  await Promise.all(work);
  return { accepted, stored };
}

/** A report that is older than the retention period is not stored, so its mail stays where it is. */
const isKept = (outcome: Extract<FetchedOutcome, { status: 'stored' }>): boolean =>
  outcome.stored.some(({ outcomes }) => outcomes.some(({ kind }) => kind !== 'expired'));

const acceptedIn = (outcome: Extract<FetchedOutcome, { status: 'stored' }>): number =>
  outcome.stored
    .filter(({ isKnown }) => !isKnown)
    .flatMap(({ outcomes }) => outcomes)
    .filter(({ kind }) => kind === 'accepted' || kind === 'accepted-with-warnings').length;

type Afterwards = (typeof afterwards)[number];

const acknowledgements: Readonly<
  Record<Afterwards, (folder: ImapFolder, uids: readonly number[], moveTo: string | null) => Promise<void>>
> = {
  keep: async () => {},
  'mark-read': (folder, uids) => folder.markRead(uids),
  async move(folder, uids, moveTo) {
    if (moveTo === null) throw new Error('the folder to move mails to is not set');
    await folder.move(uids, moveTo);
  },
  delete: (folder, uids) => folder.delete(uids),
};

async function acknowledge(
  folder: ImapFolder,
  stored: readonly number[],
  { after, moveTo }: Pick<MailboxSettings, 'after' | 'moveTo'>,
): Promise<void> {
  if (stored.length > 0) await acknowledgements[after](folder, stored, moveTo);
}
