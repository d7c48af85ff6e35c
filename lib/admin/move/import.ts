/** `import`: brings the organizations of an archive to this host. */
import * as z from 'zod/mini';
import { semaphore } from '../../../shared/network/semaphore.ts';
import { audited } from '../../../shared/operations/audit.ts';
import { operation } from '../../../shared/operations/organizations/import-organization.ts';
import { pluralize } from '../../../shared/protocol/quantity.ts';
import { MAX_BATCH, writeBatch } from '../../../shared/store/batch-write.ts';
import { importKey, type Range } from '../../../shared/store/keys.ts';
import { presentLayout } from '../../../shared/store/migrations/layout.ts';
import { startingWith } from '../../../shared/store/query.ts';
import { isAlive } from '../../../shared/store/retention.ts';
import { CommandError } from '../../terminal/command-line.ts';
import type { AdminDependencies } from '../command.ts';
import { type Archive, openArchive, Summing } from './archive.ts';
import { anyItem, fromPortable, itemOf, keyOf, toPortable } from './portable.ts';
import { moves } from './what-moves.ts';

/** How far an import is: the keys of the last mail and of the last item, and how many items that act are written. */
const progressItem = z.object({
  mail: z.string(),
  item: z.object({ pk: z.string(), sk: z.string() }),
  acting: z.number(),
  isFinished: z.boolean(),
});

type Progress = Readonly<z.infer<typeof progressItem>>;

const NOTHING: Progress = { mail: '', item: { pk: '', sk: '' }, acting: 0, isFinished: false };

interface Importing extends Pick<AdminDependencies, 'table' | 'cipher' | 'raw' | 'progress' | 'clock'> {
  readonly archive: Archive;
  /** Remembers how far it is. */
  save(progress: Progress): Promise<void>;
}

/**
 * Writes what an archive has. Nothing acts on it until all of it is there and is the same as in the archive. An import that
 * was interrupted goes on where it was, and one that ended is not repeated.
 * @throws CommandError if the archive cannot be used here, before anything is written.
 */
export async function importArchive(file: string, deps: AdminDependencies): Promise<string[]> {
  const archive = openArchive(file);
  try {
    const { about } = archive;
    const { table } = deps;
    const organizations = about.organizations.split(' ');
    requireUsable(archive, file);
    const key = importKey(about.id);
    const begun = await table.get(key, progressItem);
    if (begun?.isFinished) return [`${file} was imported before`];
    const save = async (progress: Progress) => {
      await table.put({ ...key, ...progress });
    };
    if (begun === undefined) {
      await requireFree(organizations, deps);
      await save(NOTHING);
    }
    const importing = { ...deps, archive, save };
    const bulk = await writeIdle(await writeMails(begun ?? NOTHING, importing), importing);
    await requireEqual(importing);
    const done = await writeActing(bulk, importing);
    await save({ ...done, isFinished: true });
    deps.progress.end();
    for (const id of organizations) await audited(operation, id, deps, { value: null, subjects: [{ id }] });
    return linesOf(archive, file);
  } finally {
    archive.close();
  }
}

function requireUsable(archive: Archive, file: string): void {
  const { layout, version } = archive.about;
  if (layout !== presentLayout)
    throw new CommandError(
      `${file} has layout ${layout}, and this version needs layout ${presentLayout}: ${layout > presentLayout ? `use version ${version} or a later one` : `import it with version ${version}, and upgrade then`}`,
    );
  const [damaged] = archive.damaged();
  if (damaged !== undefined)
    throw new CommandError(`${file} is damaged: ${damaged} is not what its checksum says`);
  for (const { pk } of archive.ranges())
    if (!moves({ pk })) throw new CommandError(`${file} has what does not belong to an organization: ${pk}`);
}

/** An organization without domains, such as the one that a new host begins with, gives way. */
async function requireFree(
  ids: readonly string[],
  { organizations }: Pick<AdminDependencies, 'organizations'>,
): Promise<void> {
  for (const id of ids) {
    const found = await organizations.get(id);
    if (found !== undefined && found.domainCount > 0)
      throw new CommandError(
        `the organization ${id} is here already, with ${pluralize(found.domainCount, 'domain')}`,
      );
  }
}

/** Mails that are stored before their place is remembered. */
const MAILS_TOGETHER = 10;

async function writeMails(
  begun: Progress,
  { archive, raw, save, progress: bar }: Importing,
): Promise<Progress> {
  const { mails: total } = archive.counts();
  let progress = begun;
  let done = 0;
  const bucket = raw();
  for (const mails of chunksOf(archive.mailsAfter(begun.mail), MAILS_TOGETHER)) {
    await Promise.all(mails.map(({ key, content }) => bucket.store(key, content)));
    progress = { ...progress, mail: mails.at(-1)?.key ?? progress.mail };
    await save(progress);
    done += mails.length;
    bar.show(done, total);
  }
  return progress;
}

/** Batches of items that are written before their place is remembered. */
const BATCHES_TOGETHER = 10;

async function writeIdle(begun: Progress, importing: Importing): Promise<Progress> {
  const { archive, table, cipher, save, progress: bar } = importing;
  const { items: total } = archive.counts();
  let progress = begun;
  let done = 0;
  for (const items of chunksOf(archive.idleAfter(begun.item), BATCHES_TOGETHER * MAX_BATCH)) {
    const writes = await Promise.all(
      items.map(async ({ item }) => ({ PutRequest: { Item: { ...(await fromPortable(item, cipher)) } } })),
    );
    await Promise.all([...chunksOf(writes, MAX_BATCH)].map((batch) => writeBatch(table, batch)));
    const { pk, sk } = items.at(-1) ?? progress.item;
    progress = { ...progress, item: { pk, sk } };
    await save(progress);
    done += items.length;
    bar.show(done, total);
  }
  return progress;
}

const COMPARED_AT_ONCE = 10;

/** @throws CommandError if what was written is not what the archive has. */
async function requireEqual({ archive, table, cipher, clock, progress }: Importing): Promise<void> {
  const { ranges: total } = archive.counts();
  let done = 0;
  const inTurn = semaphore(COMPARED_AT_ONCE);
  const compare = async (range: Range) => {
    const [here, there] = [new Summing(), new Summing()];
    const now = clock.now();
    for (const { step, item } of archive.itemsIn(range))
      if (step === 0 && isAlive(itemOf(item), now)) there.add(item);
    const query = { ...startingWith(range), ConsistentRead: true };
    for await (const item of table.each(query, anyItem, { aliveAt: now }))
      if (archive.hasIdle(keyOf(item))) here.add(await toPortable(item, cipher));
    if (here.end().sha256 !== there.end().sha256)
      throw new CommandError(`${range.pk} is not what the archive has: does something else write to it?`);
    done += 1;
    progress.show(done, total);
  };
  await Promise.all([...archive.ranges()].map((range) => inTurn(() => compare(range))));
}

/** The maximum of a transaction, without the item that remembers the place. */
const ACTING_TOGETHER = 99;

/** Each of these items is written once, also where an import was interrupted: the service may act on it at once. */
async function writeActing(begun: Progress, { archive, table, cipher }: Importing): Promise<Progress> {
  let progress = begun;
  const rest = skip(archive.acting(), begun.acting);
  for (const items of chunksOf(rest, ACTING_TOGETHER)) {
    const puts = await Promise.all(
      items.map(async ({ item }) => ({ Put: { Item: await fromPortable(item, cipher) } })),
    );
    const before = progress.acting;
    progress = { ...progress, acting: before + items.length };
    const failed = await table.tryTransact([
      ...puts,
      {
        Put: {
          Item: { ...importKey(archive.about.id), ...progress },
          ConditionExpression: 'acting = :before',
          ExpressionAttributeValues: { ':before': before },
        },
      },
    ]);
    if (failed.size > 0) throw new CommandError('another program imports the same archive');
  }
  return progress;
}

function linesOf(archive: Archive, file: string): string[] {
  const { about } = archive;
  const { items, ranges, mails } = archive.counts();
  const organizations = about.organizations.split(' ');
  return [
    `${file}: ${pluralize(organizations.length, 'organization')}, ${pluralize(items, 'item')}, ${pluralize(mails, 'mail')}; ${pluralize(ranges, 'checksum')} compared`,
    ...(about.hasSecrets === 1
      ? []
      : [
          'The archive has no secrets: set the webhooks again ("notify webhook"), and add mailboxes again ("mailbox add"), if there were any.',
        ]),
  ];
}

function* skip<One>(all: Iterable<One>, number: number): Generator<One> {
  let at = 0;
  for (const one of all) {
    if (at >= number) yield one;
    at += 1;
  }
}

function* chunksOf<One>(all: Iterable<One>, size: number): Generator<One[]> {
  let chunk: One[] = [];
  for (const one of all) {
    chunk.push(one);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
