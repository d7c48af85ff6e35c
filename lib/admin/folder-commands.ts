/** Commands on the files of the data folder, which need no service: they also work on files that other commands refuse. */
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { pluralize } from '../../shared/protocol/quantity.ts';
import type { Manifest } from '../local/host/backup.ts';
import type { Progress } from './progress.ts';
import { type Checked, verifyData } from './verify-data.ts';

interface FolderCommand {
  readonly args?: string;
  /** What it does, for the help. */
  readonly says: string;
  /** What is typed after `npm run admin --`, for the help. */
  readonly example: string;
  /** Gets the data folder. The exit code is 1 if something is not sound. @throws DataFolderError */
  run(args: readonly string[], folder: string, progress: Progress): Promise<Checked>;
}

// Archives take longer to load than most commands to run.
const backups = () => import('../local/host/backup.ts');

export const folderCommands: Readonly<Record<string, FolderCommand>> = {
  'verify-data': {
    says: 'read all files in DATA_DIR, and say what is damaged or does not belong together; exits with 1 if anything is',
    example: 'verify-data',
    run: async (_args, folder) => verifyData(folder),
  },
  backup: {
    args: '<file>',
    says: 'write everything in DATA_DIR to a new file (.tar.gz) as it is at one moment, also while the service runs',
    example: 'backup /backup/domain-monitor.tar.gz',
    async run([file = ''], folder, { show }) {
      const { writeBackup } = await backups();
      const manifest = await writeBackup(folder, resolve(file), new Date(), show);
      return { lines: [`${resolve(file)}  ${sizeOf(manifest)}`], isSound: true };
    },
  },
  'verify-backup': {
    args: '<file>',
    says: 'unpack a backup beside it, compare it with its checksums, and read all of it; exits with 1 if anything is damaged',
    example: 'verify-backup /backup/domain-monitor.tar.gz',
    async run([file = ''], _folder, { show }) {
      const { besideBackup, unpackBackup } = await backups();
      const unpacked = besideBackup(resolve(file));
      rmSync(unpacked, { recursive: true, force: true });
      mkdirSync(unpacked, { mode: 0o700 });
      try {
        const manifest = await unpackBackup(resolve(file), unpacked, show);
        const { lines, isSound } = verifyData(unpacked);
        const from = `backup of ${manifest.createdAt}, version ${manifest.version}, ${sizeOf(manifest)}`;
        return {
          lines: [from, ...lines.slice(0, -1), `${resolve(file)} is ${isSound ? 'sound' : 'damaged'}`],
          isSound,
        };
      } finally {
        rmSync(unpacked, { recursive: true, force: true });
      }
    },
  },
  restore: {
    args: '<file>',
    says: 'restore a backup into DATA_DIR, which must be empty',
    example: 'restore /backup/domain-monitor.tar.gz',
    async run([file = ''], folder, { show }) {
      const { restoreBackup } = await backups();
      const manifest = await restoreBackup(resolve(file), folder, show);
      const lines = [
        `restored the backup of ${manifest.createdAt} into ${folder}: start the service with it`,
      ];
      return { lines, isSound: true };
    },
  },
};

const sizeOf = ({ files }: Manifest): string => {
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  return `${pluralize(files.length, 'file')}, ${megabytes.toFixed(1)} MB unpacked`;
};
