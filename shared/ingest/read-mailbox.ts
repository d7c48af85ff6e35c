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

/**
 * While mails of a batch are stored and acknowledged, those of the next one are fetched; no more batches are under way. They are
 * noted one after the other, and nothing is under way in the end.
 * @param from How far it was read, if it was. @throws FolderProblem, and what `ingest` and `advance` throw.
 */
export async function readFolder(
  folder: MailFolder,
  settings: Pick<MailboxSettings, 'after' | 'moveTo'>,
  from: Position | null,
  { ingest, advance, hasTime, isLeft }: ReadDependencies,
): Promise<ReadResult> {
  const { store, ended } = storing(ingest);
  let total = 0;
  let remaining = 0;
  /** Mails since the last progress, and why they were passed over. */
  let passed = 0;
  let withheld: MailsWithheld | undefined;
  /** Whether this worker still has the mailbox after the batch before. */
  let noted = Promise.resolve(true);
  try {
    for await (const { mails, position, remaining: left } of folder.batches(from)) {
      if (!hasTime() || total >= MAILS_PER_RUN) {
        remaining = mails.length + left;
        withheld = undefined;
        break;
      }
      passed += mails.length;
      remaining = left;
      try {
        const fetched = isLeft === undefined ? folder.fetch(mails) : fetchEach(folder, mails, isLeft);
        const stored = mails.length === 0 ? NOTHING : await store(fetched);
        if (!(await noted)) break;
        if (mails.length === 0 && withheld !== undefined) continue;
        noted = note(stored, { position, read: passed });
        // It is awaited after the next batch.
        noted.catch(() => {});
        total += passed;
        passed = 0;
        withheld = undefined;
      } catch (error) {
        if (!(error instanceof MailsWithheld && error.mayPass)) throw error;
        withheld = error;
      }
    }
  } catch (error) {
    // Another worker has the mailbox, and says how it is.
    if (await noted.catch(() => true)) throw error;
  } finally {
    await noted.catch(() => {});
    await ended();
  }
  if (!(await noted)) return { status: 'lost' };
  // It gives none at the moment.
  if (withheld !== undefined) throw withheld;
  return { status: 'read', remaining };

  async function note({ work, found }: Storing, progress: Omit<Progress, 'accepted'>): Promise<boolean> {
    await Promise.all(work);
    if (found.stored.length > 0)
      await acknowledgements[settings.after](folder, found.stored, settings.moveTo);
    return advance({ ...progress, accepted: found.accepted });
  }
}

/** Mails that are being stored. */
interface Storing {
  readonly work: readonly Promise<void>[];
  /** What came of those that are: the number of reports that are new, and the mails that can be acknowledged. */
  readonly found: { accepted: number; readonly stored: ListedMail[] };
}

const NOTHING: Storing = { work: [], found: { accepted: 0, stored: [] } };

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

/** Begins to store mails as they are fetched, so many that they fit into memory. The promise is for the end of fetching. */
function storing(ingest: ReadDependencies['ingest']) {
  const underWay = new Set<Promise<void>>();
  let bytes = 0;
  return { store, ended: () => Promise.all(underWay) };

  async function store(mails: AsyncIterable<FetchedMail>): Promise<Storing> {
    const work: Promise<void>[] = [];
    const found: Storing['found'] = { accepted: 0, stored: [] };
    const storeOne = async ({ id, content, receivedAt }: FetchedMail) => {
      const outcome = await ingest(content, receivedAt);
      if (outcome.status === 'other') return;
      if (isKept(outcome)) found.stored.push({ id });
      found.accepted += acceptedIn(outcome);
    };
    try {
      for await (const mail of mails) {
        const { length } = mail.content;
        bytes += length;
        const one = storeOne(mail);
        work.push(one);
        const ended = one
          // It is awaited with the others.
          .catch(() => {})
          .finally(() => {
            bytes -= length;
            underWay.delete(ended);
          });
        underWay.add(ended);
        while (underWay.size >= AT_ONCE || bytes > MOST_BYTES) await Promise.race(underWay);
      }
    } catch (error) {
      // What was fetched is stored, whatever happens to the connection.
      await Promise.allSettled(work);
      throw error;
    }
    return { work, found };
  }
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
