/**
 * Reads the reports in a folder of a mailbox: stores those of some mails, acknowledges these mails in the mailbox, and notes
 * how far it came. Wherever a run ends, the next one reads again what was not noted, and nothing is stored twice.
 */
import type { afterwards, MailboxSettings } from '../mailboxes/mailbox.ts';
import {
  type FetchedMail,
  FolderProblem,
  type ListedMail,
  type MailFolder,
  type Position,
} from '../network/folder-port.ts';
import type { FetchedOutcome } from './ingest-fetched.ts';

interface ReadDependencies {
  /** Stores a mail; what it throws ends the run. */
  readonly ingest: (content: Uint8Array, receivedAt: Date) => Promise<FetchedOutcome>;
  /** Notes how far the folder was read. False: another worker has the mailbox. */
  readonly advance: (progress: Progress) => Promise<boolean>;
  /** Whether there is time for more mails. */
  readonly hasTime: () => boolean;
  /** Whether mails that the server does not give are left alone, if it gives others that are fetched with them. */
  readonly leavesFailing: boolean;
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

/** Mails that are stored at the same time share requests. */
const AT_ONCE = 50;

/** Mails that are in memory at the same time, unless it is a single one. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Others take their turn. */
const MAILS_PER_RUN = 5_000;

/** @param from How far it was read, if it was. @throws FolderProblem, and what `ingest` and `advance` throw. */
export async function readFolder(
  folder: MailFolder,
  settings: Pick<MailboxSettings, 'after' | 'moveTo'>,
  from: Position | null,
  { ingest, advance, hasTime, leavesFailing }: ReadDependencies,
): Promise<ReadResult> {
  let total = 0;
  let remaining = 0;
  for await (const { mails, position, remaining: left } of folder.batches(from)) {
    const read = mails.length;
    if (!hasTime() || total >= MAILS_PER_RUN) return { status: 'read', remaining: read + left };
    const fetched = leavesFailing ? fetchEach(folder, mails) : folder.fetch(mails);
    const { accepted, stored } = await ingestMails(fetched, ingest);
    await acknowledge(folder, stored, settings);
    if (!(await advance({ position, read, accepted }))) return { status: 'lost' };
    total += read;
    remaining = left;
  }
  return { status: 'read', remaining };
}

/** The mails without those that the server does not give. @throws FolderProblem, also if it gives none. */
async function* fetchEach(folder: MailFolder, mails: readonly ListedMail[]): AsyncGenerator<FetchedMail> {
  let failure: FolderProblem | undefined;
  let fetched = 0;
  for (const mail of mails)
    try {
      for await (const found of folder.fetch([mail])) {
        fetched += 1;
        yield found;
      }
    } catch (error) {
      if (!(error instanceof FolderProblem && error.code === 'server-error')) throw error;
      failure ??= error;
    }
  if (failure !== undefined && fetched === 0) throw failure;
}

/** The number of reports that are new, and the mails that are stored. */
async function ingestMails(
  mails: AsyncIterable<FetchedMail>,
  ingest: ReadDependencies['ingest'],
): Promise<{ readonly accepted: number; readonly stored: readonly ListedMail[] }> {
  const stored: ListedMail[] = [];
  let accepted = 0;
  const store = async ({ id, content, receivedAt }: FetchedMail) => {
    const outcome = await ingest(content, receivedAt);
    if (outcome.status === 'other') return;
    if (isKept(outcome)) stored.push({ id });
    accepted += acceptedIn(outcome);
  };
  const work: Promise<void>[] = [];
  const underWay = new Set<Promise<void>>();
  let bytes = 0;
  try {
    for await (const mail of mails) {
      const { length } = mail.content;
      bytes += length;
      const storing = store(mail);
      work.push(storing);
      const ended = storing
        // It is awaited below.
        .catch(() => {})
        .finally(() => {
          bytes -= length;
          underWay.delete(ended);
        });
      underWay.add(ended);
      while (underWay.size >= AT_ONCE || bytes > MOST_BYTES) await Promise.race(underWay);
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
  Record<
    Afterwards,
    (folder: MailFolder, mails: readonly ListedMail[], moveTo: string | null) => Promise<void>
  >
> = {
  keep: async () => {},
  'mark-read': (folder, mails) => folder.markRead(mails),
  async move(folder, mails, moveTo) {
    if (moveTo === null) throw new Error('the folder to move mails to is not set');
    await folder.move(mails, moveTo);
  },
  delete: (folder, mails) => folder.delete(mails),
};

async function acknowledge(
  folder: MailFolder,
  stored: readonly ListedMail[],
  { after, moveTo }: Pick<MailboxSettings, 'after' | 'moveTo'>,
): Promise<void> {
  if (stored.length > 0) await acknowledgements[after](folder, stored, moveTo);
}
