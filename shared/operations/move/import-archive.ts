import * as z from 'zod/mini';
import { semaphore } from '../../network/semaphore.ts';
import { pluralize } from '../../protocol/quantity.ts';
import { MAX_BATCH, writeBatch } from '../../store/batch-write.ts';
import { importKey, type Range } from '../../store/keys.ts';
import { presentLayout } from '../../store/migrations/layout.ts';
import type { OrganizationStore } from '../../store/organizations.ts';
import { startingWith } from '../../store/query.ts';
import type { WritableRawMessages } from '../../store/raw-messages.ts';
import { isAlive } from '../../store/retention.ts';
import type { Cipher } from '../../store/secrets.ts';
import type { Table } from '../../store/table.ts';
import { type AuditDependencies, audited } from '../audit.ts';
import type { Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { type ReadableArchive, Summing } from './archive.ts';
import { anyItem, fromPortable, itemOf, keyOf, toPortable } from './portable.ts';
import { moves } from './what-moves.ts';

export const operation = {
  name: 'importOrganization',
  summary: 'Bring the organizations of an archive to this host',
  description:
    'Nothing acts on them until all is there and is the same as in the archive. Goes on with one that was interrupted, and does not repeat one that ended.',
  scope: 'operator',
  refusals: ['invalid_request', 'precondition_failed'],
  uses: [],
} as const satisfies Operation;

/** How far an import is: the keys of the last mail and of the last item, and how many items that act are written. */
const progressItem = z.object({
  mail: z.string(),
  item: z.object({ pk: z.string(), sk: z.string() }),
  acting: z.number(),
  isFinished: z.boolean(),
});

type Progress = Readonly<z.infer<typeof progressItem>>;

const NOTHING: Progress = { mail: '', item: { pk: '', sk: '' }, acting: 0, isFinished: false };

export interface ImportDependencies extends AuditDependencies {
  readonly archive: ReadableArchive;
  readonly organizations: Pick<OrganizationStore, 'get'>;
  readonly table: Table;
  readonly cipher: Cipher;
  readonly raw: Pick<WritableRawMessages, 'store'>;
  readonly onProgress: (done: number, total: number) => void;
}

interface Importing extends ImportDependencies {
  /** Remembers how far it is. */
  readonly save: (progress: Progress) => Promise<void>;
}

type Refusal = Refused<(typeof operation)['refusals'][number]>;

/** Returns whether the archive was imported before. One that cannot be used here is refused before anything is written. */
export async function importArchive(
  deps: ImportDependencies,
): Promise<OutcomeOf<typeof operation, { readonly isRepeated: boolean }>> {
  const { archive, table } = deps;
  const organizations = archive.about.organizations.split(' ');
  const unusable = whyUnusable(archive);
  if (unusable !== undefined) return unusable;
  const key = importKey(archive.about.id);
  const begun = await table.get(key, progressItem);
  if (begun?.isFinished) return { value: { isRepeated: true } };
  const save = async (progress: Progress) => {
    await table.put({ ...key, ...progress });
  };
  if (begun === undefined) {
    const taken = await whyTaken(organizations, deps);
    if (taken !== undefined) return taken;
    await save(NOTHING);
  }
  const importing = { ...deps, save };
  const bulk = await writeIdle(await writeMails(begun ?? NOTHING, importing), importing);
  const different = await whyDifferent(importing);
  if (different !== undefined) return different;
  const done = await writeActing(bulk, importing);
  if (done instanceof Refused) return done;
  await save({ ...done, isFinished: true });
  for (const id of organizations) await audited(operation, id, deps, { value: null, subjects: [{ id }] });
  return { value: { isRepeated: false } };
}

function whyUnusable(archive: ReadableArchive): Refusal | undefined {
  const { layout, version } = archive.about;
  const refused = (why: string) => new Refused('invalid_request', `the archive ${why}`);
  if (layout !== presentLayout)
    return refused(
      `has layout ${layout}, and this version needs layout ${presentLayout}: ${layout > presentLayout ? `use version ${version} or a later one` : `import it with version ${version}, and upgrade then`}`,
    );
  const [damaged] = archive.damaged();
  if (damaged !== undefined) return refused(`is damaged: ${damaged} is not what its checksum says`);
  for (const { pk } of archive.ranges())
    if (!moves({ pk })) return refused(`has what does not belong to an organization: ${pk}`);
  return undefined;
}

/** An organization without domains, such as the one that a new host begins with, gives way. */
async function whyTaken(
  ids: readonly string[],
  { organizations }: ImportDependencies,
): Promise<Refusal | undefined> {
  for (const id of ids) {
    const found = await organizations.get(id);
    if (found !== undefined && found.domainCount > 0)
      return new Refused(
        'precondition_failed',
        `the organization ${id} is here already, with ${pluralize(found.domainCount, 'domain')}`,
      );
  }
  return undefined;
}

/** Mails that are stored before their place is remembered. */
const MAILS_TOGETHER = 10;

async function writeMails(begun: Progress, { archive, raw, save, onProgress }: Importing): Promise<Progress> {
  const { mails: total } = archive.counts();
  let progress = begun;
  let done = 0;
  for (const mails of chunksOf(archive.mailsAfter(begun.mail), MAILS_TOGETHER)) {
    await Promise.all(mails.map(({ key, content }) => raw.store(key, content)));
    progress = { ...progress, mail: mails.at(-1)?.key ?? progress.mail };
    await save(progress);
    done += mails.length;
    onProgress(done, total);
  }
  return progress;
}

/** Batches of items that are written before their place is remembered. */
const BATCHES_TOGETHER = 10;

async function writeIdle(begun: Progress, importing: Importing): Promise<Progress> {
  const { archive, table, cipher, save, onProgress } = importing;
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
    onProgress(done, total);
  }
  return progress;
}

const COMPARED_AT_ONCE = 10;

/** Whether what was written is what the archive has. */
async function whyDifferent({
  archive,
  table,
  cipher,
  clock,
  onProgress,
}: Importing): Promise<Refusal | undefined> {
  const { ranges: total } = archive.counts();
  let done = 0;
  const inTurn = semaphore(COMPARED_AT_ONCE);
  const isEqual = async (range: Range) => {
    const [here, there] = [new Summing(), new Summing()];
    const now = clock.now();
    for (const { step, item } of archive.itemsIn(range))
      if (step === 0 && isAlive(itemOf(item), now)) there.add(item);
    const query = { ...startingWith(range), ConsistentRead: true };
    for await (const item of table.each(query, anyItem, { aliveAt: now }))
      if (archive.hasIdle(keyOf(item))) here.add(await toPortable(item, cipher));
    done += 1;
    onProgress(done, total);
    return here.end().sha256 === there.end().sha256;
  };
  const ranges = [...archive.ranges()];
  const equal = await Promise.all(ranges.map((range) => inTurn(() => isEqual(range))));
  const different = ranges.find((_, at) => !equal[at]);
  return (
    different &&
    new Refused(
      'precondition_failed',
      `${different.pk} is not what the archive has: does something else write to it?`,
    )
  );
}

/** The maximum of a transaction, without the item that remembers the place. */
const ACTING_TOGETHER = 99;

/** Each of these items is written once, also where an import was interrupted: the service may act on it at once. */
async function writeActing(
  begun: Progress,
  { archive, table, cipher }: Importing,
): Promise<Progress | Refusal> {
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
    if (failed.size > 0)
      return new Refused('precondition_failed', 'another program imports the same archive');
  }
  return progress;
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
