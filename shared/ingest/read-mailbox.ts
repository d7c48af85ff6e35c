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
  /** Whether a mail that the server does not give is left alone; undefined as long as it gives all of them. */
  readonly isLeft?: ((mail: ListedMail) => boolean) | undefined;
}

interface Progress {
  readonly position: Position;
  /** How many mails were read since the progress before. */
  readonly read: number;
  /** How many reports were stored of them. */
  readonly accepted: number;
}

/** The server does not give some mails. */
export class MailsWithheld extends FolderProblem {
  readonly ids: readonly string[];
  /** Whether they can be passed over once the server gives others. */
  readonly mayPass: boolean;

  constructor({ code, detail, retrySeconds }: FolderProblem, ids: readonly string[], mayPass: boolean) {
    super(code, detail, retrySeconds);
    this.ids = ids;
    this.mayPass = mayPass;
  }
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
  { ingest, advance, hasTime, isLeft }: ReadDependencies,
): Promise<ReadResult> {
  let total = 0;
  let remaining = 0;
  /** Mails since the last progress, and why they were passed over. */
  let passed = 0;
  let withheld: MailsWithheld | undefined;
  for await (const { mails, position, remaining: left } of folder.batches(from)) {
    if (!hasTime() || total >= MAILS_PER_RUN) return { status: 'read', remaining: mails.length + left };
    passed += mails.length;
    remaining = left;
    try {
      const fetched = isLeft === undefined ? folder.fetch(mails) : fetchEach(folder, mails, isLeft);
      const { accepted, stored } = mails.length === 0 ? NOTHING : await ingestMails(fetched, ingest);
      await acknowledge(folder, stored, settings);
      if (mails.length === 0 && withheld !== undefined) continue;
      if (!(await advance({ position, read: passed, accepted }))) return { status: 'lost' };
      total += passed;
      passed = 0;
      withheld = undefined;
    } catch (error) {
      if (!(error instanceof MailsWithheld && error.mayPass)) throw error;
      withheld = error;
    }
  }
  // It gives none at the moment.
  if (withheld !== undefined) throw withheld;
  return { status: 'read', remaining };
}

const NOTHING = { accepted: 0, stored: [] };

/** The mails one by one, those behind one that the server does not give, too. @throws MailsWithheld, FolderProblem */
async function* fetchEach(
  folder: MailFolder,
  mails: readonly ListedMail[],
  isLeft: (mail: ListedMail) => boolean,
): AsyncGenerator<FetchedMail> {
  const failed: ListedMail[] = [];
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
      failed.push(mail);
    }
  if (failure === undefined) return;
  const mayPass = failed.every(isLeft);
  const ids = failed.map(({ id }) => id);
  if (!mayPass || fetched === 0) throw new MailsWithheld(failure, ids, mayPass);
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
