/** The operator's commands that move organizations from one host to another, in a file. */
import { existsSync, renameSync } from 'node:fs';
import { resolve } from 'node:path';
import { pluralize } from '../../../shared/protocol/quantity.ts';
import { queueSize } from '../../../shared/runtime/workers/queue-size.ts';
import type { QueueName } from '../../../shared/runtime/workers/trigger.ts';
import { queues } from '../../../shared/runtime/workers/trigger.ts';
import { release } from '../../local/host/release.ts';
import { CommandError } from '../../terminal/command-line.ts';
import type { AdminDependencies, Commands } from '../command.ts';
import { accepted } from '../perform.ts';

// Archives take longer to load than most commands to run.
const archives = () => import('./archive.ts');

export const moveCommands: Commands = {
  export: {
    args: '<file>',
    says: 'write everything of all organizations to a new file, for "import" on another host; goes on with one that was interrupted',
    example: 'export organizations.sqlite --secrets',
    options: {
      '--org <org>': 'only this organization',
      '--secrets': 'include the URLs and secrets of webhooks, and the passwords of mailboxes, in the clear',
    },
    async run([name]: [string], { org: organization, secrets = false }, deps) {
      const file = resolve(name);
      if (existsSync(file)) throw new CommandError(`${file} exists already`);
      const part = `${file}.part`;
      const { createArchive } = await archives();
      const { scanShares } = await import('./scan-shares.ts');
      const { exportOrganizations } = await import('../../../shared/operations/move/export-organizations.ts');
      const done = await exportOrganizations(
        { organization, secrets },
        {
          ...deps,
          raw: deps.raw(),
          shares: () => scanShares(deps.table),
          waiting: () => messagesIn(deps),
          create: (about) => createArchive(part, { ...about, version: release() }),
          onProgress: deps.progress.show,
        },
      );
      const { organizations, items, mails, gone, waiting } = accepted(done).value;
      deps.progress.end();
      renameSync(part, file);
      return [
        `${file}: ${pluralize(organizations, 'organization')}, ${pluralize(items, 'item')}, ${pluralize(mails, 'mail')}`,
        ...(gone === 0 ? [] : [`${pluralize(gone, 'mail')} ${gone === 1 ? 'is' : 'are'} no longer stored`]),
        ...(secrets ? [] : [WITHOUT_SECRETS]),
        ...(waiting === 0 ? [] : [stillWaiting(waiting)]),
      ];
    },
  },

  import: {
    args: '<file>',
    says: 'bring the organizations of a file of "export" to this host; goes on with one that was interrupted',
    example: '--outputs outputs.json import organizations.sqlite',
    async run([name]: [string], _options, deps) {
      const file = resolve(name);
      const archive = (await archives()).openArchive(file);
      try {
        const { importArchive } = await import('../../../shared/operations/move/import-archive.ts');
        const { raw, progress } = deps;
        const done = await importArchive({ ...deps, archive, raw: raw(), onProgress: progress.show });
        const { isRepeated } = accepted(done).value;
        progress.end();
        if (isRepeated) return [`${file} was imported before`];
        const { organizations, hasSecrets } = archive.about;
        const { items, ranges, mails } = archive.counts();
        return [
          `${file}: ${pluralize(organizations.split(' ').length, 'organization')}, ${pluralize(items, 'item')}, ${pluralize(mails, 'mail')}; ${pluralize(ranges, 'checksum')} compared`,
          ...(hasSecrets === 1 ? [] : [SET_AGAIN]),
        ];
      } finally {
        archive.close();
      }
    },
  },
};

const WITHOUT_SECRETS =
  'webhooks are turned off in the archive, and mailboxes cannot be read, because URLs, secrets and passwords are not in it: use --secrets to include them';

const SET_AGAIN =
  'The archive has no secrets: set the webhooks again ("notify webhook"), and add mailboxes again ("mailbox add"), if there were any.';

const stillWaiting = (waiting: number): string =>
  `${pluralize(waiting, 'message')} in queues ${waiting === 1 ? 'is' : 'are'} not in the archive: let the service finish its work, and export again`;

/**
 * Messages in the queues of the service. A roll-up that waits is not missed: sums are whole without it, and the first report of
 * the next day has the last days examined again.
 */
async function messagesIn({ queues: access }: AdminDependencies): Promise<number> {
  const { client, urlsOf } = await access();
  let waiting = 0;
  for (const name of Object.keys(queues) as QueueName[])
    if (name !== 'summaries') waiting += await queueSize(client, urlsOf(name).queue);
  return waiting;
}
