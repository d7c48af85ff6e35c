import * as z from 'zod/mini';
import { semaphore } from '../../network/semaphore.ts';
import { MAX_MESSAGE_BYTES } from '../../reports/limits.ts';
import { type Item, parseItem } from '../../store/item-schema.ts';
import { notificationSettingsKey, partitions, type Range, reportMailsOf } from '../../store/keys.ts';
import { presentLayout } from '../../store/migrations/layout.ts';
import type { OrganizationStore } from '../../store/organizations.ts';
import { startingWith } from '../../store/query.ts';
import type { RawMessages } from '../../store/raw-messages.ts';
import { isAlive } from '../../store/retention.ts';
import type { Cipher } from '../../store/secrets.ts';
import type { Table } from '../../store/table.ts';
import { type AuditDependencies, audited } from '../audit.ts';
import type { InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import type { About, ArchivedItem, WritableArchive } from './archive.ts';
import { anyItem, itemOf, keyOf, toPortable } from './portable.ts';
import { rangesOf, rootsOf, stepOf } from './what-moves.ts';

export const operation = {
  name: 'exportOrganization',
  summary: 'Write one organization, or all and what anybody saved, to an archive',
  description: 'Goes on with one that was interrupted.',
  scope: 'operator',
  input: z.object({
    /** By default all. */
    organization: z.optional(z.string()),
    /** Whether the URLs and secrets of webhooks, and the passwords of mailboxes, are in it. */
    secrets: z.boolean(),
  }),
  refusals: ['not_found'],
  uses: [],
} as const satisfies Operation;

/** Ranges and mails that are read at once. */
const AT_ONCE = 10;

export interface ExportDependencies extends AuditDependencies {
  readonly organizations: Pick<OrganizationStore, 'get' | 'list'>;
  readonly table: Pick<Table, 'each'>;
  readonly cipher: Cipher;
  readonly raw: Pick<RawMessages, 'read'>;
  /** Results that anybody saved: no key leads to them. */
  readonly shares: () => AsyncIterable<Range>;
  /** How many messages are in the queues. */
  readonly waiting: () => Promise<number>;
  /** Creates the archive, or continues one that was begun with the same options. */
  readonly create: (about: Omit<About, 'id' | 'version' | 'isComplete'>) => WritableArchive;
  readonly onProgress: (done: number, total: number) => void;
}

interface Exported {
  readonly organizations: number;
  readonly items: number;
  readonly mails: number;
  /** Mails that are no longer stored. */
  readonly gone: number;
  /** Messages that were in queues, which do not move: what the service had accepted and not read yet. */
  readonly waiting: number;
}

export async function exportOrganizations(
  { organization, secrets }: InputOf<typeof operation>,
  { create, ...deps }: ExportDependencies,
): Promise<OutcomeOf<typeof operation, Exported>> {
  const all = organization === undefined;
  const found = all ? await deps.organizations.list() : [await deps.organizations.get(organization)];
  const chosen = found.flatMap((one) => (one === undefined ? [] : [one.id]));
  if (chosen.length === 0)
    return new Refused(
      'not_found',
      all ? 'there is no organization' : `organization not found: ${organization}`,
    );
  const waiting = await deps.waiting();
  const archive = create({
    ...{ layout: presentLayout, createdAt: deps.clock.now().toISOString() },
    ...{ organizations: chosen.join(' '), hasSecrets: secrets ? 1 : 0 },
  });
  try {
    const copying = { ...deps, archive, secrets, inTurn: semaphore(AT_ONCE) };
    const copied = await copyEverything(chosen, all, copying);
    archive.finish();
    for (const id of chosen) await audited(operation, id, deps, { value: null, subjects: [{ id }] });
    return { value: { organizations: chosen.length, ...copied, waiting } };
  } finally {
    archive.close();
  }
}

interface Copying extends Omit<ExportDependencies, 'create'> {
  readonly archive: WritableArchive;
  readonly secrets: boolean;
  readonly inTurn: ReturnType<typeof semaphore>;
}

async function copyEverything(
  organizations: readonly string[],
  withShares: boolean,
  copying: Copying,
): Promise<Pick<Exported, 'items' | 'mails' | 'gone'>> {
  const { archive, shares } = copying;
  const ranges = (await Promise.all(organizations.map((id) => copyRoots(id, copying)))).flat();
  await copyAll(ranges, copying, (range) => copyRange(range, copying));
  if (withShares) for await (const share of shares()) await copyRange(share, copying);
  const gone = await copyMails(mailsIn(archive), copying);
  const { items, mails } = archive.counts();
  return { items, mails, gone };
}

/** Copies what says where the rest of an organization is. Returns where that is. */
async function copyRoots(organization: string, copying: Copying): Promise<Range[]> {
  const roots = rootsOf(organization);
  for (const root of roots) await copyRange(root, copying);
  const items = roots.flatMap((root) => [...copying.archive.itemsIn(root)]);
  return rangesOf(
    organization,
    items.map(({ item }) => itemOf(item)),
  );
}

async function copyAll<One>(
  all: readonly One[],
  { onProgress, inTurn }: Copying,
  copy: (one: One) => Promise<void>,
): Promise<void> {
  let done = 0;
  await Promise.all(
    all.map((one) =>
      inTurn(async () => {
        await copy(one);
        done += 1;
        onProgress(done, all.length);
      }),
    ),
  );
}

async function copyRange(range: Range, copying: Copying): Promise<void> {
  const { archive, secrets } = copying;
  if (archive.hasRange(range) || (!secrets && isSecret(range))) return;
  await archive.addRange(range, archivedItems(range, copying));
}

async function* archivedItems(
  range: Range,
  { table, cipher, clock, secrets }: Copying,
): AsyncGenerator<ArchivedItem> {
  const query = { ...startingWith(range), ConsistentRead: true };
  for await (const item of table.each(query, anyItem)) {
    if (!isAlive(item, clock.now())) continue;
    const moved = secrets ? item : withoutWebhook(item);
    yield { ...keyOf(moved), step: stepOf(moved), item: await toPortable(moved, cipher) };
  }
}

const isSecret = ({ pk }: Range): boolean =>
  pk.startsWith(partitions.secrets) || pk.startsWith(partitions['mailbox-secrets']);

/** Notification settings would name a secret that is not there. */
function withoutWebhook(item: Item): Item {
  if (keyOf(item).sk !== notificationSettingsKey('').sk) return item;
  const { webhook: _, ...others } = item;
  return others;
}

const mailItem = z.object({ rawKey: z.string() });

/** The keys of all raw mails that items of the archive name. */
function mailsIn(archive: WritableArchive): string[] {
  const { prefix } = reportMailsOf('');
  const keys = new Set<string>();
  for (const { pk } of archive.ranges()) {
    if (!pk.startsWith(partitions['domain-data'])) continue;
    for (const { item } of archive.itemsIn({ pk, prefix }))
      keys.add(parseItem(itemOf(item), mailItem).rawKey);
  }
  return [...keys];
}

/** Returns how many are no longer stored. */
async function copyMails(keys: readonly string[], copying: Copying): Promise<number> {
  const { archive, raw } = copying;
  let gone = 0;
  await copyAll(
    keys.filter((key) => !archive.hasMail(key)),
    copying,
    async (key) => {
      const message = await raw.read(key, MAX_MESSAGE_BYTES);
      if (message === undefined || message === 'too-large') gone += 1;
      else archive.addMail(key, message);
    },
  );
  return gone;
}
