/** `export`: writes organizations to an archive. */
import { existsSync, renameSync } from 'node:fs';
import * as z from 'zod/mini';
import { queues as queueTable } from '../../../functions/triggers.ts';
import { semaphore } from '../../../shared/network/semaphore.ts';
import { audited } from '../../../shared/operations/audit.ts';
import { operation } from '../../../shared/operations/organizations/export-organization.ts';
import { pluralize } from '../../../shared/protocol/quantity.ts';
import { MAX_MESSAGE_BYTES } from '../../../shared/reports/limits.ts';
import { queueSize } from '../../../shared/runtime/workers/queue-size.ts';
import type { QueueName } from '../../../shared/runtime/workers/trigger.ts';
import { type Item, parseItem } from '../../../shared/store/item-schema.ts';
import {
  notificationSettingsKey,
  partitions,
  type Range,
  reportMailsOf,
} from '../../../shared/store/keys.ts';
import { presentLayout } from '../../../shared/store/migrations/layout.ts';
import { startingWith } from '../../../shared/store/query.ts';
import { isAlive } from '../../../shared/store/retention.ts';
import { release } from '../../local/host/release.ts';
import { CommandError } from '../../terminal/command-line.ts';
import type { AdminDependencies } from '../command.ts';
import { organizationNamed } from '../organization-named.ts';
import { type Archive, type ArchivedItem, createArchive } from './archive.ts';
import { anyItem, itemOf, keyOf, toPortable } from './portable.ts';
import { scanShares } from './scan-shares.ts';
import { rangesOf, rootsOf, stepOf } from './what-moves.ts';

/** Ranges and mails that are read at once. */
const AT_ONCE = 10;

/**
 * Writes one organization, or all and what anybody saved, to a new file. Secrets are left out unless they are asked for.
 * An export that was interrupted goes on where it was.
 * @throws CommandError
 */
export async function exportOrganizations(
  file: string,
  { org, secrets = false }: { readonly org?: string | undefined; readonly secrets?: boolean | undefined },
  deps: AdminDependencies,
): Promise<string[]> {
  if (existsSync(file)) throw new CommandError(`${file} exists already`);
  const chosen =
    org === undefined
      ? (await deps.organizations.list()).map(({ id }) => id)
      : [await organizationNamed(org, deps)];
  if (chosen.length === 0) throw new CommandError('there is no organization');
  const waiting = await waitingWork(deps);
  const part = `${file}.part`;
  const archive = createArchive(part, {
    ...{ layout: presentLayout, version: release(), createdAt: deps.clock.now().toISOString() },
    ...{ organizations: chosen.join(' '), hasSecrets: secrets ? 1 : 0 },
  });
  const copying: Copying = { ...deps, archive, secrets, inTurn: semaphore(AT_ONCE) };
  let copied: Copied;
  try {
    copied = await copyEverything(chosen, org === undefined, copying);
    archive.finish();
  } finally {
    archive.close();
  }
  const { items, mails, gone } = copied;
  renameSync(part, file);
  for (const id of chosen) await audited(operation, id, deps, { value: null, subjects: [{ id }] });
  return [
    `${file}: ${pluralize(chosen.length, 'organization')}, ${pluralize(items, 'item')}, ${pluralize(mails, 'mail')}`,
    ...(gone === 0 ? [] : [`${pluralize(gone, 'mail')} ${gone === 1 ? 'is' : 'are'} no longer stored`]),
    ...(secrets ? [] : [WITHOUT_SECRETS]),
    ...waiting,
  ];
}

const WITHOUT_SECRETS =
  'webhooks are turned off in the archive, and mailboxes cannot be read, because URLs, secrets and passwords are not in it: use --secrets to include them';

interface Copying extends Pick<AdminDependencies, 'table' | 'cipher' | 'clock' | 'raw' | 'progress'> {
  readonly archive: Archive;
  readonly secrets: boolean;
  readonly inTurn: ReturnType<typeof semaphore>;
}

interface Copied {
  readonly items: number;
  readonly mails: number;
  /** Mails that are no longer stored. */
  readonly gone: number;
}

async function copyEverything(
  organizations: readonly string[],
  withShares: boolean,
  copying: Copying,
): Promise<Copied> {
  const { archive, table } = copying;
  const ranges = (await Promise.all(organizations.map((id) => copyRoots(id, copying)))).flat();
  await copyAll(ranges, copying, (range) => copyRange(range, copying));
  if (withShares) for await (const share of scanShares(table)) await copyRange(share, copying);
  const gone = await copyMails(mailsIn(archive), copying);
  return { ...archive.counts(), gone };
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
  { progress, inTurn }: Copying,
  copy: (one: One) => Promise<void>,
): Promise<void> {
  let done = 0;
  await Promise.all(
    all.map((one) =>
      inTurn(async () => {
        await copy(one);
        done += 1;
        progress.show(done, all.length);
      }),
    ),
  );
  progress.end();
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
function mailsIn(archive: Archive): string[] {
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
  const { archive } = copying;
  const raw = copying.raw();
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

/**
 * What the service has accepted and not read yet is in queues, which do not move. A roll-up that waits is
 * not missed: sums are whole without it, and the first report of the next day has the last days examined again.
 */
async function waitingWork({ queues }: Pick<AdminDependencies, 'queues'>): Promise<string[]> {
  const { client, urlsOf } = await queues();
  let waiting = 0;
  for (const name of Object.keys(queueTable) as QueueName[])
    if (name !== 'summaries') waiting += await queueSize(client, urlsOf(name).queue);
  if (waiting === 0) return [];
  return [
    `${pluralize(waiting, 'message')} in queues ${waiting === 1 ? 'is' : 'are'} not in the archive: let the service finish its work, and export again`,
  ];
}
